import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What goes over one link")
struct ReplicationSessionTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private var written: HandWrittenLog
    private var session: ReplicationSession
    private var deliveries = Deliveries()

    init() {
        written = HandWrittenLog(by: alice, to: bob.userID)
        session = ReplicationSession(
            connectionID: ConnectionID(1), userID: bob.userID, deviceID: bob.deviceID)
    }

    private var author: LogAuthor { LogAuthor(alice) }
    private var logs: Logs { Logs(author: author, records: [written.record]) }
    private var log: OwnLog { OwnLog(record: written.record) }

    private mutating func frames(
        committed: UInt64, failed: [UInt64: DeliveryFailure] = [:]
    ) -> (frames: [EntriesFrame], through: UInt64)? {
        session.takeFrames(of: log, committed: committed, failed: failed, author: author)
    }

    @Test("is nothing before the peer has said what it holds")
    mutating func heads() {
        let entry = written.entry("one")
        session.open(written.logID)
        let early = session.nextRead(logs: logs, deliveries: deliveries)
        #expect(early == nil)
        let isOffered = session.offerNew([entry], bytes: entry.windowBytes, of: written.logID)
        #expect(!isOffered)
        session.receivedAllHeads()
        let read = session.nextRead(logs: logs, deliveries: deliveries)
        // One log at a time, and one read.
        let next = session.nextRead(logs: logs, deliveries: deliveries)
        #expect(read?.from == 1 && next == nil)
    }

    @Test("is no entry before it is on the disk that it may leave, and then each once")
    mutating func offered() {
        session.receivedAllHeads()
        let entries = [written.entry("one"), written.entry("two")]
        let isOffered = session.offerNew(entries, bytes: 100, of: written.logID)
        let early = frames(committed: 1)
        #expect(isOffered && early == nil)
        let sent = frames(committed: 2)
        #expect(sent?.through == 2 && sent?.frames.map(\.contents.count) == [2])
        let again = frames(committed: 2)
        #expect(again == nil)
        #expect(session.windowUsed == entries.reduce(0) { $0 + $1.windowBytes })
    }

    @Test("is only the hash of what is withheld")
    mutating func withheld() {
        session.receivedAllHeads()
        let entries = [written.entry("one"), written.entry("two")]
        _ = session.offerNew(entries, bytes: 100, of: written.logID)
        let failure = DeliveryFailure(
            messageID: MessageID(log: written.logID, sequence: 1), recipientID: written.record.recipientID,
            reason: .cancelled, isWithheld: true)
        let sent = frames(committed: 2, failed: [1: failure])
        #expect(sent?.frames.first?.contents == [.withheld(entries[0].content.hash), entries[1].content])
    }

    @Test("waits when the window is full, until a receipt frees it")
    mutating func window() {
        session.receivedAllHeads()
        let text = String(repeating: "x", count: Limits.textBytes)
        var isOffered = true
        while isOffered {
            let entry = written.entry(text)
            isOffered = session.offerNew([entry], bytes: entry.windowBytes, of: written.logID)
            _ = frames(committed: .max)
        }
        #expect(session.windowUsed <= Limits.windowBytes)
        let sent = (session.log(written.logID)?.next ?? 1) - 1
        let receipt = Receipt.sign(
            logID: written.logID, sequence: sent, chain: written.head.chain, readSequence: 0,
            deviceID: bob.deviceID, with: bob.signingKey)
        _ = session.compare(receipt, with: receipt.chain)
        #expect(session.windowUsed == 0)
        let next = session.nextRead(logs: logs, deliveries: deliveries)
        #expect(next?.from == sent + 1)
    }

    @Test("is acknowledged by a receipt with the log's own chain, which only the store knows inside a frame")
    mutating func receipts() throws {
        session.receivedAllHeads()
        let entries = [written.entry("one"), written.entry("two")]
        _ = session.offerNew(entries, bytes: 100, of: written.logID)
        _ = frames(committed: 2)
        let (first, last) = (receipt(1, entries[0].chain), receipt(2, entries[1].chain))
        guard case .ask(let read) = try session.check(first, of: log, offered: 2) else {
            Issue.record("the store is not asked")
            return
        }
        #expect(read.from == 1 && read.countLimit == 1)
        guard case .acknowledged = session.compare(first, with: entries[0].chain),
            case .acknowledged = try session.check(last, of: log, offered: 2)
        else {
            Issue.record("what the peer holds is not acknowledged")
            return
        }
        #expect(session.windowUsed == 0)
        for other in [receipt(2, entries[0].chain), receipt(3, entries[1].chain)] {
            guard case .differs = try session.check(other, of: log, offered: 2) else {
                Issue.record("a receipt for something else holds")
                return
            }
        }
    }

    private func receipt(_ sequence: UInt64, _ chain: ChainHash) -> Receipt {
        Receipt.sign(
            logID: written.logID, sequence: sequence, chain: chain, readSequence: 0, deviceID: bob.deviceID,
            with: bob.signingKey)
    }

    @Test("is nothing of a log while a failure in it waits for the disk")
    mutating func pendingFailure() {
        session.receivedAllHeads()
        _ = written.entry("one")
        session.open(written.logID)
        deliveries.failUndelivered(of: log, reason: .blocked)
        let early = session.nextRead(logs: logs, deliveries: deliveries)
        _ = deliveries.takePending(cuts: [], withdrawn: [])
        let read = session.nextRead(logs: logs, deliveries: deliveries)
        #expect(early == nil && read?.from == 1)
    }
}
