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
    private let bob = LinkPeer(credential: device("bob").link.credential, run: 1)
    private let carol = LinkPeer(credential: device("carol").link.credential, run: 1)

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

    @Test("has a device looked for again that cannot be reached, and not an address that the user has given")
    mutating func sought() throws {
        let bob = device("bob").deviceID
        _ = peers.found(bob, addresses: [address], remembered: [], now: now.uptime)
        peers.add(address, now: now.uptime)
        #expect(peers.takeSought() == [])
        for dial in peers.dialDue(now: now).connections {
            _ = peers.connectFailed(dial, reason: "refused", now: now.uptime)
        }
        #expect(peers.takeSought() == [bob])
        #expect(peers.takeSought() == [], "once for each failure")
        now.uptime += Timing.redialFloor
        let dials = peers.dialDue(now: now).connections
        for dial in dials { _ = peers.end(dial, error: ProtocolError(.closedByPeer, "gone"), now: now.uptime) }
        #expect(peers.takeSought() == [bob], "nobody has finished a handshake there")
    }

    @Test("has a device looked for again at whose address another one answers, and not one whose link ends")
    mutating func soughtAfterAnother() throws {
        _ = peers.found(bob.deviceID, addresses: [address], remembered: [], now: now.uptime)
        let dial = try #require(peers.dialDue(now: now).connections.first)
        _ = peers.establish(carol, on: dial, now: now.uptime)
        #expect(peers.takeSought() == [bob.deviceID])
        _ = peers.end(dial, error: nil, now: now.uptime)
        #expect(peers.takeSought() == [])
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

    /// A link that somebody else has begun.
    private mutating func link(_ peer: LinkPeer) throws -> (ConnectionID, EstablishedLink) {
        let connectionID = peers.accepted(from: address, now: now).0
        let link = peers.establish(peer, on: connectionID, now: now.uptime)
        return (connectionID, try #require(link))
    }

    /// A link that this node has begun, to an address that the user has given.
    private mutating func dialledLink(_ peer: LinkPeer) throws -> EstablishedLink {
        let dials = peers.dialDue(now: now)
        let link = peers.establish(peer, on: try #require(dials.connections.first), now: now.uptime)
        return try #require(link)
    }

    @Test("doubts a link only when its device is advertised anew after it was silent for a while")
    mutating func silence() throws {
        let (connectionID, _) = try link(bob)
        let stays = peers.choose(connectionID, for: bob)
        #expect(stays)
        now.uptime += Timing.silenceBeforeDoubt
        #expect(peers.found(bob.deviceID, addresses: [address], remembered: [], now: now.uptime) == nil)
        now.uptime += 1
        #expect(peers.found(bob.deviceID, addresses: [address], remembered: [], now: now.uptime) == connectionID)
    }

    @Test("takes nobody whom it has dialled for a member of its network before the last message")
    mutating func membership() throws {
        for networkKey in [nil, SecretBytes(copying: Array(repeating: 1 as UInt8, count: 32))] {
            peers = PeersMachine(local: device("alice", networkKey: networkKey)) { .generate() }
            peers.add(address, now: now.uptime)
            let dials = peers.dialDue(now: now)
            #expect(peers.provesMembership(try #require(dials.connections.first)) == (networkKey == nil))
            let accepted = peers.accepted(from: address, now: now).0
            #expect(peers.provesMembership(accepted))
        }
    }

    @Test("charges a peer for what was worth nothing, and sets off what moved a log")
    mutating func credit() throws {
        let (connectionID, _) = try link(bob)
        peers.credit(-Limits.peerRequests - 5, on: connectionID)
        peers.credit(5, on: connectionID)
        let isWithin = peers.charge(connectionID, isStranger: false, now: now.uptime)
        #expect(isWithin)
        peers.credit(-1, on: connectionID)
        let isStillWithin = peers.charge(connectionID, isStranger: false, now: now.uptime)
        #expect(!isStillWithin)
    }

    @Test("dials an address no more where it finds itself, but does where others say so", arguments: [true, false])
    mutating func ownIdentity(isOwnWord: Bool) throws {
        peers.add(address, now: now.uptime)
        let dials = peers.dialDue(now: now)
        let error = ProtocolError(isOwnWord ? .closedHere : .closedByPeer, "", closeReason: .ownIdentity)
        _ = peers.end(try #require(dials.connections.first), error: error, now: now.uptime)
        now.uptime += Timing.redialCeiling
        let again = peers.dialDue(now: now)
        #expect(again.isEmpty == isOwnWord)
    }

    @Test(
        "holds links that strangers begin against their address, and not those that it began",
        arguments: [true, false])
    mutating func linkCost(isDialled: Bool) throws {
        if isDialled { peers.add(address, now: now.uptime) }
        let link = isDialled ? try dialledLink(bob) : try link(bob).1
        for _ in 0...Limits.strangerRequests / Limits.linkRequests {
            peers.chargeLink(link, isStranger: true, now: now.uptime)
        }
        let error = peers.excess(of: carol, at: address, isStranger: true, now: now.uptime)
        #expect((error == nil) == isDialled)
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
