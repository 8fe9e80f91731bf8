import EarshotCrypto
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
        session.openIfNew(log)
        let early = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        #expect(early == nil)
        let isOffered = session.offerNew([entry], bytes: entry.windowBytes, of: written.record)
        #expect(!isOffered)
        session.receivedAllHeads()
        let read = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        // One log at a time, and one read.
        let next = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        #expect(read?.from == 1 && next == nil)
    }

    @Test(
        "is nothing of a private conversation before the earlier control entries of its author, which it may name",
        arguments: LogKind.allCases)
    mutating func controlsFirst(kind: LogKind) {
        let conversation = ConversationRecord(
            conversationID: ConversationID(Bytes32()), kind: .private, participantIDs: [alice.userID, bob.userID],
            uniqueName: "ops")
        func own(_ kind: LogKind, epoch: UInt64) -> OwnLog {
            let description = LogDescription(
                conversationID: conversation.conversationID, deviceID: alice.deviceID, epoch: epoch, kind: kind)
            let head = LogHead(
                sequence: 2, chain: ChainHash(Bytes32()), timestamp: HybridTimestamp(rawValue: 2))
            return OwnLog(
                record: LogRecord(
                    description: description, authorID: alice.userID, conversation: conversation, head: head))
        }
        let (control, later) = (own(.control, epoch: 1), own(kind, epoch: 2))
        let logs = Logs(author: author, records: [control.record, later.record])
        session.openIfNew(later)
        session.receivedAllHeads()
        for (offered, expected) in [(1, nil), (2, later.record.logID)] {
            deliveries.offer(control.deliveryKey, through: UInt64(offered))
            let read = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
            #expect(read?.logID == expected)
        }
    }

    @Test("is no entry before it is on the disk that it may leave, and then each once")
    mutating func offered() {
        session.receivedAllHeads()
        let entries = [written.entry("one"), written.entry("two")]
        let isOffered = session.offerNew(entries, bytes: 100, of: written.record)
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
        _ = session.offerNew(entries, bytes: 100, of: written.record)
        let failure = DeliveryFailure(
            messageID: MessageID(log: written.logID, sequence: 1), recipientID: written.record.recipientID,
            reason: .cancelled, isWithheld: true)
        let sent = frames(committed: 2, failed: [1: failure])
        #expect(sent?.frames.first?.contents == [.withheld(entries[0].content.hash), entries[1].content])
    }

    @Test(
        "is a hash without a mark where this device lost the content, since others may hold it"
    )
    mutating func lost() throws {
        let conversation = ConversationRecord(
            conversationID: .open("general", networkTag: ""), kind: .open, participantIDs: [], uniqueName: "general")
        let description = LogDescription(
            conversationID: conversation.conversationID, deviceID: alice.deviceID, epoch: 1)
        let own = OwnLog(
            record: LogRecord(
                description: description, authorID: alice.userID, conversation: conversation,
                head: .origin(of: description.logID)))
        let entry = written.entry("one")
        func row(isDeleted: Bool = false, mark: Signature? = nil) -> EntryRecord {
            var row = EntryRecord(
                sequence: 1, timestamp: entry.timestamp, expiry: .max, kind: .unknown,
                content: .withheld(entry.content.hash), chain: entry.chain, isDeleted: isDeleted)
            row.mark = mark
            return row
        }
        let failure = DeliveryFailure(
            messageID: MessageID(log: own.record.logID, sequence: 1), recipientID: bob.userID, reason: .expired,
            isWithheld: true)
        #expect(!own.withholds(row(), nil))
        #expect(own.withholds(row(), failure))
        // So may they what it has erased, but in a conversation of two.
        #expect(!own.withholds(row(isDeleted: true), nil))
        let direct = OwnLog(
            record: LogRecord(
                description: description, authorID: alice.userID, conversation: .direct(alice.userID, bob.userID),
                head: .origin(of: description.logID)))
        #expect(direct.withholds(row(isDeleted: true), nil) && !direct.withholds(row(), nil))
        #expect(own.withholds(row(mark: own.mark(of: row(), by: author)), nil))

        session.receivedAllHeads()
        _ = session.offerNew([row()], bytes: 100, of: own.record)
        let sent = session.takeFrames(of: own, committed: 1, failed: [:], author: author)
        #expect(sent?.frames.first?.marks.isEmpty == true)
    }

    @Test("waits when the window is full, until a receipt frees it")
    mutating func window() {
        session.receivedAllHeads()
        let text = String(repeating: "x", count: Limits.textBytes)
        var isOffered = true
        while isOffered {
            let entry = written.entry(text)
            isOffered = session.offerNew([entry], bytes: entry.windowBytes, of: written.record)
            _ = frames(committed: .max)
        }
        #expect(session.windowUsed <= Limits.windowBytes)
        let sent = (session.log(written.logID)?.next ?? 1) - 1
        let receipt = Receipt.sign(
            logID: written.logID, sequence: sent, chain: written.head.chain, readSequence: 0,
            deviceID: bob.deviceID, with: bob.signingKey)
        session.acknowledged(receipt, of: written.logID)
        #expect(session.windowUsed == 0)
        let next = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        #expect(next?.from == sent + 1)
    }

    @Test("is acknowledged by the chain at the end of a frame; what is inside one only the store knows")
    mutating func chains() {
        session.receivedAllHeads()
        let first = [written.entry("one"), written.entry("two")]
        _ = session.offerNew(first, bytes: 100, of: written.record)
        _ = frames(committed: 2)
        let second = written.entry("three")
        #expect(session.chain(of: log, at: 3) == second.chain)
        #expect(session.chain(of: log, at: 2) == first[1].chain && session.chain(of: log, at: 1) == nil)
        session.acknowledged(receipt(1, first[0].chain), of: written.logID)
        #expect(session.windowUsed > 0)
        session.acknowledged(receipt(2, first[1].chain), of: written.logID)
        #expect(session.windowUsed == 0 && session.chain(of: log, at: 2) == nil)
    }

    @Test("of which the peer's end is to be found out takes no more room in the window")
    mutating func shut() {
        session.receivedAllHeads()
        _ = session.offerNew([written.entry("one")], bytes: 100, of: written.record)
        _ = frames(committed: 1)
        #expect(session.windowUsed > 0)
        session.shut(written.record.description, branches: [written.logID])
        #expect(session.windowUsed == 0)
    }

    @Test("looks at a receipt only where it says more than the one before")
    mutating func news() {
        session.receivedAllHeads()
        _ = session.offerNew([written.entry("one"), written.entry("two")], bytes: 100, of: written.record)
        _ = frames(committed: 2)
        let numbers: [(UInt64, UInt64)] = [(1, 0), (1, 0), (2, 1), (2, 1)]
        let hears = numbers.map { numbers in
            session.hear(
                receipt(numbers.0, read: numbers.1, written.head.chain), for: log, known: .init(), isParted: false)
        }
        #expect(hears == [true, false, true, false])
    }

    @Test("begins behind the place up to which the peer has a log")
    mutating func opened() {
        session.receivedAllHeads()
        let entries = [written.entry("one"), written.entry("two")]
        session.open(OwnLog(record: written.record), after: entries[0].head.place)
        #expect(session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })?.from == 2)
    }

    @Test("is nothing of a log while it is not known where the peer's end of it is")
    mutating func undecided() {
        session.receivedAllHeads()
        let entry = written.entry("one")
        session.openIfNew(log)
        session.shut(log.description, branches: [written.logID])
        session.openIfNew(log)
        let isOffered = session.offerNew([entry], bytes: 1, of: written.record)
        let early = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        #expect(early == nil && !isOffered && session.isUndecided(log.description))
        session.decide(log.description)
        session.openIfNew(log)
        #expect(session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })?.from == 1)
    }

    @Test("keeps receipts that come before the entries that they are for, as many as branches, and gives them out once")
    mutating func early() {
        let receipts = (1...UInt64(Limits.branchesPerLog + 1)).map { number in
            receipt(number, written.head.chain.appending(.of(body: [UInt8(number)])))
        }
        for receipt in receipts + receipts.suffix(1) { session.keep(receipt) }
        #expect(session.takeEarlyReceipts(for: log.description) == Array(receipts.dropFirst()))
        #expect(session.takeEarlyReceipts(for: log.description).isEmpty)
    }

    @Test(
        "keeps of a participant who is not known yet the furthest receipt, also where an earlier one was compared later"
    )
    mutating func premature() {
        let late = receipt(3, written.head.chain)
        for receipt in [receipt(2, written.head.chain), late, receipt(1, written.head.chain)] {
            session.keep(receipt, of: written.logID)
        }
        let kept = session.takePrematureReceipt(for: written.logID)
        #expect(kept == late)
        #expect(session.takePrematureReceipt(for: written.logID) == nil)
    }

    /// Another branch of the log, which parts from it behind an entry and sorts before it.
    private func branch(after base: LogHead, of text: String) -> OwnLog {
        var written = written
        _ = written.entry(text)
        return OwnLog(
            record: LogRecord(
                logID: LogID(Bytes32()), description: written.record.description,
                base: base, authorID: alice.userID, conversation: written.record.conversation,
                head: written.head))
    }

    @Test("hears a receipt for the end of a branch, whatever was said of another branch of the same log")
    mutating func partedReceipts() {
        _ = written.entry("one")
        let base = written.head
        let branch = branch(after: base, of: "three, in another branch")
        _ = written.entry("two")
        session.receivedAllHeads()
        for log in [log, branch] { session.open(log, after: base.place) }
        let known = DeliveryProgress()
        let other = receipt(2, branch.head.chain)
        let own = receipt(2, written.head.chain)
        let heard = [other, own].map { session.hear($0, for: log, known: known, isParted: true) }
        #expect(heard == [true, true])
        var all = known
        _ = all.acknowledge(own)
        let again = session.hear(own, for: log, known: all, isParted: true)
        let alone = session.hear(own, for: log, known: known, isParted: false)
        #expect(!again && !alone)
    }

    @Test("is a branch only behind the entries that it has in common with the one that it parts from")
    mutating func partedEntries() {
        let entries = [written.entry("one"), written.entry("two")]
        let branch = branch(after: entries[0].head, of: "two, in another branch")
        let logs = Logs(author: author, records: [branch.record, written.record])
        session.receivedAllHeads()
        let isOffered = session.offerNew([entries[1]], bytes: 100, of: branch.record)
        for log in [branch, log] { session.openIfNew(log) }
        let first = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        #expect(!isOffered && first?.logID == written.logID && first?.from == 1)
        if let first { _ = session.endReading(first) }
        session.offer(entries, of: written.logID)
        _ = frames(committed: 2)
        let second = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        #expect(second?.logID == branch.record.logID && second?.from == 2)
    }

    private func receipt(_ sequence: UInt64, read: UInt64 = 0, _ chain: ChainHash) -> Receipt {
        Receipt.sign(
            logID: written.logID, sequence: sequence, chain: chain, readSequence: read, deviceID: bob.deviceID,
            with: bob.signingKey)
    }

    @Test("is nothing of a log while a failure in it waits for the disk")
    mutating func pendingFailure() {
        session.receivedAllHeads()
        _ = written.entry("one")
        session.openIfNew(log)
        deliveries.failUndelivered(of: log, reason: .blocked)
        let early = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        _ = deliveries.takePending()
        let read = session.nextRead(logs: logs, deliveries: deliveries, isHeld: { _ in false })
        #expect(early == nil && read?.from == 1)
    }
}
