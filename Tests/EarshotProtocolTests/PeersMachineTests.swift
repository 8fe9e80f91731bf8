import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("The machine of peers")
struct PeersMachineTests {
    private var peers = PeersMachine(local: device("alice")) { .generate() }
    private var now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)
    private let address = PeerAddress(host: "10.0.0.2", port: 7)

    @Test("dials a device that is advertised, and tells of no failure that only chance has brought about")
    mutating func dial() throws {
        let bob = device("bob").deviceID
        #expect(peers.found(bob, addresses: [address], remembered: [], now: now.uptime) == nil)
        let dials = peers.dialDue(now: now)
        let dial = try #require(dials.connections.first)
        let beside = peers.dialDue(now: now)
        #expect(beside.isEmpty, "one dial at a time")
        #expect(peers.connectFailed(dial, reason: "refused", now: now.uptime) == nil)
        #expect(peers.links[dial] == nil)
    }

    @Test("tells of a failure to reach an address that the user has given")
    mutating func given() throws {
        peers.add(address, now: now.uptime)
        let dials = peers.dialDue(now: now)
        let dial = try #require(dials.connections.first)
        let failure = peers.connectFailed(dial, reason: "refused", now: now.uptime)
        #expect(failure?.address == address.description)
        #expect(peers.connectFailed(dial, reason: "refused", now: now.uptime) == nil, "it is over")
    }

    @Test("dials nobody and lets nobody in once it stops, and says nothing of that")
    mutating func stopping() {
        peers.add(address, now: now.uptime)
        peers.stop()
        #expect(peers.dialDue(now: now).isEmpty)
        #expect(peers.dialDeadline == .max)
        let (connectionID, actions) = peers.accepted(from: address, now: now)
        guard case .disconnect(connectionID) = actions.first, case .refused(nil) = actions.last else {
            Issue.record("a stopping node closes what comes: \(actions)")
            return
        }
        #expect(peers.links[connectionID] == nil)
    }

    @Test("puts a connection in the place of the oldest handshake of its address")
    mutating func room() {
        let first = peers.accepted(from: address, now: now).0
        for _ in 1..<Limits.pendingHandshakesPerAddress {
            now.uptime += 1_000
            let (_, actions) = peers.accepted(from: address, now: now)
            #expect(actions.disconnections.isEmpty)
        }
        now.uptime += 1_000
        let (_, actions) = peers.accepted(from: address, now: now)
        #expect(actions.disconnections == [first])
    }

    @Test("hands frames to a link when it is flushed, once for all of an input's")
    mutating func flushing() {
        let connectionID = peers.accepted(from: address, now: now).0
        peers.send(.ping, on: connectionID)
        peers.send(.pong, on: connectionID)
        #expect(peers.takeLinksToFlush() == [connectionID])
        #expect(peers.takeLinksToFlush().isEmpty)
    }
}

@Suite("The limits of peers")
struct PeerLimitsTests {
    private var limits = PeerLimits()
    private let address = PeerAddress(host: "10.0.0.2", port: 7)

    @Test("tell that strangers were turned away at once, then seldom and with their number")
    mutating func refusals() throws {
        #expect(limits.refused(address, now: 0) != nil)
        #expect(limits.refused(address, now: Timing.refusalNotice - 1) == nil)
        let later = limits.refused(address, now: Timing.refusalNotice)
        #expect(try #require(later).message.contains("2 were closed"))
    }

    @Test("let an address begin so many handshakes at once, whatever another has done")
    mutating func gate() {
        var budget = AddressBudget(perAddress: 3, perAddressAndSecond: 1, perSecond: 100)
        let admitted = [0, 0, 0, 0].map { budget.admits("10.0.0.2", now: $0) }
        #expect(admitted == [true, true, true, false])
        let later = [budget.admits("10.0.0.3", now: 0), budget.admits("10.0.0.2", now: 1_000)]
        #expect(later == [true, true])
    }

    @Test("refuse a peer that asks for too much until it has waited, and strangers of its address with it")
    mutating func excess() {
        let peer = LinkPeer(credential: device("bob").link.credential, run: 1)
        let payers = [PeerBudgets.Payer.user(peer.userID), .strangers(at: address.host)]
        #expect(limits.excess(of: peer, payers: payers, now: 0) == nil)
        let isWithin = limits.charge(Limits.strangerRequests + 1, to: payers, now: 0)
        #expect(!isWithin)
        let other = LinkPeer(credential: device("carol").link.credential, run: 1)
        let others = [PeerBudgets.Payer.user(other.userID), .strangers(at: address.host)]
        #expect(limits.excess(of: other, payers: others, now: 0)?.code == .tooManyRequests)
        #expect(limits.excess(of: other, payers: [.user(other.userID)], now: 0) == nil)
        #expect(limits.excess(of: other, payers: others, now: 60_000) == nil)
    }
}

extension [PeersMachine.Action] {
    fileprivate var connections: [ConnectionID] {
        compactMap { if case .connect(let connectionID, _) = $0 { connectionID } else { nil } }
    }

    fileprivate var disconnections: [ConnectionID] {
        compactMap { if case .disconnect(let connectionID) = $0 { connectionID } else { nil } }
    }
}
