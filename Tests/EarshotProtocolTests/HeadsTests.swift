import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What a peer says that it holds")
struct HeadsTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let connectionID = ConnectionID(1)
    private let now = Moment(wallClock: 1_000, uptime: 1_000)
    private var replication: Replication
    private var clocks = ClockMachine()
    private var written: HandWrittenLog

    /// Alice's node has a log of Bob's device, and Bob's device has said nothing yet.
    init() {
        replication = .linked(alice, to: bob, on: connectionID, snapshot: .received(from: bob, by: alice))
        written = HandWrittenLog(by: bob, to: alice.userID)
    }

    /// Alice's node has a log of its own instead, of which so much was offered to Bob's device.
    private mutating func relink(with log: HandWrittenLog, offeredThrough sequence: UInt64) {
        var snapshot = Snapshot()
        snapshot.logs = [log.record]
        var progress = DeliveryProgress()
        progress.offered = sequence
        snapshot.deliveries = [DeliveryRecord(logID: log.logID, recipientID: bob.userID, progress: progress)]
        replication = .linked(alice, to: bob, on: connectionID, snapshot: snapshot)
    }

    /// What Bob's device says that it holds.
    private mutating func hears(
        _ heads: [BranchHead], of conversationID: ConversationID? = nil, isComplete: Bool = true
    ) {
        let frame = HeadsFrame(
            conversationID: conversationID ?? written.record.description.conversationID, heads: heads,
            isComplete: isComplete)
        replication.receivedHeads(frame, on: connectionID, trust: TrustMachine(), now: now)
        replication.advance(trust: TrustMachine(), clocks: &clocks, now: now)
    }

    /// Whether nothing is asked for, and nothing held back.
    private mutating func isAtRest() -> Bool {
        let actions = replication.takeActions()
        let asks = actions.contains { action in
            switch action {
            case .send(.wanted, _), .readChains, .close: true
            default: false
            }
        }
        return !asks && !replication.isTakingBack
    }

    @Test("comes before its entries: entries that come first are a violation, and nothing of them is kept")
    mutating func entriesFirst() {
        let frame = written.append("too early")
        let error = #expect(throws: ProtocolError.self) {
            try replication.receivedEntries(
                frame, on: connectionID, isStranger: true, trust: TrustMachine(), clocks: &clocks, now: now)
        }
        #expect(error?.code == .violation)
        #expect(replication.logs.incoming(written.logID)?.proved.sequence == 0)
    }

    @Test("of its own log is skipped, and holds back no message")
    mutating func ownLogInHeads() {
        _ = written.entry("one")
        hears([written.end])
        #expect(isAtRest())
    }

    @Test("of a conversation that is not with it is skipped")
    mutating func otherConversation() {
        var others = HandWrittenLog(by: alice, to: device("carol").userID)
        _ = others.entry("not for Bob")
        hears([others.end], of: others.record.description.conversationID)
        #expect(isAtRest())
    }

    @Test("of a log of this device that it does not know holds messages back, and is asked for when all is said")
    mutating func claim() {
        var lost = HandWrittenLog(by: alice, to: bob.userID)
        _ = lost.entry("forgotten")
        hears([lost.end], isComplete: false)
        #expect(replication.isTakingBack)
        #expect(replication.takeActions().contains { if case .readChains = $0 { true } else { false } } == false)
        hears([])
        let reads = replication.takeActions().compactMap { action -> ChainsRead? in
            if case .readChains(let read) = action { read } else { nil }
        }
        #expect(reads.map(\.purpose) == [.asking(lost.end)])
        replication.chainsRead(reads[0], [:], trust: TrustMachine(), now: now)
        let origin = LogHead.origin(of: lost.logID).place
        let wanted = WantedFrame(log: lost.record.description, end: lost.end.place, known: [origin])
        #expect(
            replication.takeActions().contains { action in
                if case .send(.wanted(wanted), connectionID) = action { true } else { false }
            })
    }

    @Test("is asked for with the end of what was offered of the log, and with spaced places when that is not in it")
    mutating func places() throws {
        var lost = HandWrittenLog(by: alice, to: bob.userID)
        let entries = (1...20).map { lost.entry("\($0)") }
        relink(with: lost, offeredThrough: 18)
        var theirs = HandWrittenLog(by: alice, to: bob.userID)
        for number in 1...19 { _ = theirs.entry("other \(number)") }
        hears([theirs.end])
        func reads() -> [ChainsRead] {
            replication.takeActions().compactMap { if case .readChains(let read) = $0 { read } else { nil } }
        }
        // Beyond 18 nobody can have anything of this node's.
        let first = try #require(reads().last)
        #expect(first.purpose == .asking(theirs.end) && first.sequences == [18])
        replication.receivedUnplaced(lost.record.description, on: connectionID, now: now)
        let second = try #require(reads().last)
        // The origin, too, which the disk does not hold.
        #expect(second.sequences == [0, 2, 10, 14, 16, 17, 18])
        let chains = Dictionary(
            uniqueKeysWithValues: second.sequences.dropFirst().map { ($0, entries[Int($0) - 1].chain) })
        replication.chainsRead(second, [lost.logID: chains], trust: TrustMachine(), now: now)
        let known = replication.takeActions().compactMap { action -> [UInt64]? in
            if case .send(.wanted(let wanted), _) = action { wanted.known.map(\.sequence) } else { nil }
        }
        #expect(known == [[0, 2, 10, 14, 16, 17, 18]])
    }

    @Test(
        "of a log that goes out already, for which the disk is asked, leaves its receipts to count",
        arguments: [false, true])
    mutating func receiptWhileTheDiskIsAsked(isEarly: Bool) throws {
        var log = HandWrittenLog(by: alice, to: bob.userID)
        let entries = (1...3).map { log.entry("\($0)") }
        relink(with: log, offeredThrough: 3)
        let conversationID = log.record.description.conversationID
        func hearReceipt() throws {
            let receipt = Receipt.sign(
                logID: log.logID, sequence: 3, chain: entries[2].chain, readSequence: 0, deviceID: bob.deviceID,
                with: bob.signingKey)
            try replication.receivedReceipt(receipt, on: connectionID, trust: TrustMachine(), now: now)
        }

        // Bob had one when he said so, and by now he has all.
        let place = Place(sequence: 1, chain: entries[0].chain)
        hears([BranchHead(log: log.record.description, place: place)])
        let read = try #require(
            replication.takeActions().compactMap { if case .readChains(let read) = $0 { read } else { nil } }.last)
        let digest = ConversationDigest(
            conversationID: conversationID, heads: replication.logs.headsHash(of: conversationID))
        replication.receivedDigests([digest], on: connectionID)
        if isEarly { try hearReceipt() }
        replication.chainsRead(
            read, [log.logID: [1: entries[0].chain]], trust: TrustMachine(), now: now)
        if !isEarly { try hearReceipt() }
        let key = DeliveryKey(logID: log.logID, recipientID: bob.userID)
        #expect(replication.deliveries.target(key)?.delivered == 3)
    }

    @Test("in a receipt for a log of its own means nothing, now or later")
    mutating func ownLogInReceipts() throws {
        hears([])
        let receipt = Receipt.sign(
            logID: written.logID, sequence: 7, chain: ChainHash(Bytes32()), readSequence: 0, deviceID: bob.deviceID,
            with: bob.signingKey)
        try replication.receivedReceipt(receipt, on: connectionID, trust: TrustMachine(), now: now)
        replication.advance(trust: TrustMachine(), clocks: &clocks, now: now)
        #expect(isAtRest())
    }
}
