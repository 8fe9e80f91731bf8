import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Taking this node's own logs back")
struct TakingBackTests {
    private let author = LogAuthor(device("alice"))
    private let bob = device("bob")
    private let connectionID = ConnectionID(1)
    private let otherID = ConnectionID(2)
    private let logs: Logs
    private let deliveries = Deliveries(deliveries: [], failures: [])
    private var sessions = ReplicationSessions()
    private var takingBack = TakingBack()

    init() throws {
        logs = Logs(author: author, records: [])
        try link(connectionID, to: bob)
    }

    private func now(_ uptime: Int64) -> Moment { Moment(wallClock: 0, uptime: uptime) }

    /// A device of Bob's user is linked, and claims a log of its own.
    private mutating func link(_ connectionID: ConnectionID, to device: LocalDevice) throws {
        sessions.begin(
            ReplicationSession(connectionID: connectionID, userID: bob.userID, deviceID: device.deviceID))
        let logID = try #require(LogID(bytes: [UInt8](repeating: UInt8(connectionID.number), count: Bytes32.count)))
        let claim = Receipt.sign(
            logID: logID, sequence: 3, chain: ChainHash(Bytes32()), readSequence: 0, deviceID: device.deviceID,
            with: device.signingKey)
        try takingBack.begin(
            claim, from: bob.userID, on: connectionID, logs: logs, sessions: sessions, now: now(0))
    }

    private mutating func beginNext(on connectionID: ConnectionID) -> [TakingBack.Effect]? {
        takingBack.beginNext(
            on: connectionID, logs: logs, deliveries: deliveries, author: author, sessions: sessions, commit: nil)
    }

    @Test("holds what goes to that user from the claim on, and to nobody else")
    func held() {
        #expect(takingBack.isHolding(bob.userID, over: sessions) && takingBack.isHolding(over: sessions))
        #expect(!takingBack.isHolding(author.userID, over: sessions))
    }

    @Test("begins when the peer has said all that it holds")
    mutating func heads() {
        let early = beginNext(on: connectionID)
        sessions[connectionID]?.receivedAllHeads()
        guard case .send(.wanted, connectionID)? = beginNext(on: connectionID)?.first else {
            Issue.record("the peer is not asked")
            return
        }
        #expect(early == nil)
    }

    @Test("begins with one device of a user at a time")
    mutating func oneDevice() throws {
        try link(otherID, to: device("bob", seed: 9))
        for id in [connectionID, otherID] { sessions[id]?.receivedAllHeads() }
        let (first, second) = (beginNext(on: connectionID), beginNext(on: otherID))
        #expect(first != nil && second == nil)
    }

    @Test("lets a peer go that claims what it does not give, and holds nothing for it any more")
    mutating func inVain() {
        sessions[connectionID]?.receivedAllHeads()
        _ = beginNext(on: connectionID)
        let early = takingBack.updateHolds(sessions, now: now(Timing.recovery - 1))
        let effects = takingBack.updateHolds(sessions, now: now(Timing.recovery))
        guard effects.count == 1, case .close(connectionID, .timeout, let error) = effects[0] else {
            Issue.record("the link is not closed: \(effects)")
            return
        }
        #expect(error.message.contains("does not give them back") && early.isEmpty)
        #expect(!takingBack.isActive(on: connectionID) && !takingBack.isHolding(bob.userID, over: sessions))
    }

    @Test("asks again after a pause where a log still waits for its turn")
    mutating func pause() {
        // It never begins, as if this node wrote to the user all the time.
        sessions[connectionID]?.receivedAllHeads()
        let over = takingBack.updateHolds(sessions, now: now(Timing.recovery))
        #expect(over.isEmpty && !takingBack.isHolding(bob.userID, over: sessions))
        let again = takingBack.updateHolds(sessions, now: now(Timing.recovery + Timing.recoveryPause))
        guard again.count == 1, case .hold(bob.userID) = again[0] else {
            Issue.record("nothing is held: \(again)")
            return
        }
        #expect(takingBack.isHolding(bob.userID, over: sessions))
    }

    @Test("releases requests to take messages back when the recipient's messages are held no longer")
    mutating func cancels() throws {
        let messageID = MessageID(log: LogID(Bytes32()), sequence: 1)
        try takingBack.hold(cancelOf: messageID, to: bob.userID, requestID: RequestID(7))
        let early = takingBack.releaseCancels { _ in true }
        let released = takingBack.releaseCancels { _ in false }
        #expect(early.isEmpty && released.map(\.messageID) == [messageID])
    }
}
