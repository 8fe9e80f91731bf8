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

    /// Bob's receipt for a log of his own, which Alice's node holds.
    private var receiptForOwnLog: Receipt {
        Receipt.sign(
            logID: written.logID, sequence: 7, chain: ChainHash(Bytes32()), readSequence: 0, deviceID: bob.deviceID,
            with: bob.signingKey)
    }

    @Test("comes before its entries: entries that come first are a violation, and nothing of them is kept")
    mutating func entriesFirst() {
        let frame = written.append("too early")
        let error = #expect(throws: ProtocolError.self) {
            try replication.receivedEntries(frame, on: connectionID, isStranger: true, clocks: &clocks, now: now)
        }
        #expect(error?.code == .violation)
        #expect(replication.logs.incoming(written.logID)?.proved.sequence == 0)
    }

    @Test("of its own log is skipped, and holds back no message")
    mutating func ownLogInHeads() throws {
        try replication.receivedHead(receiptForOwnLog, on: connectionID, now: now)
        replication.receivedAllHeads(on: connectionID)
        replication.advance(now: now)
        let isAsking = replication.takeActions().contains { if case .send(.wanted, _) = $0 { true } else { false } }
        #expect(!isAsking && !replication.takingBack.isActive(on: connectionID))
    }

    @Test("of its own log is a violation once its heads are complete")
    mutating func ownLogInReceipts() {
        replication.receivedAllHeads(on: connectionID)
        let receipt = receiptForOwnLog
        let error = #expect(throws: ProtocolError.self) {
            try replication.receivedReceipt(receipt, on: connectionID, now: now)
        }
        #expect(error?.code == .violation)
    }
}
