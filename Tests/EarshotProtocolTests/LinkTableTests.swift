import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("The table of links")
struct LinkTableTests {
    private var table = LinkTable()
    private let alice = LinkPeer(credential: device("alice").link.credential, run: 1)

    private func connection(
        from host: String? = nil, outbound: Bool = false, openedAt: Int64 = 0
    ) throws -> Link.Connection {
        var keys = SeededGenerator(seed: 1)
        let now = Moment(wallClock: 1_700_000_000_000, uptime: openedAt)
        let machine = try LinkMachine(
            role: outbound ? .initiator : .responder, configuration: device("bob").link,
            ephemeralKey: keys.agreementKey(), now: now)
        return Link.Connection(machine: machine, address: host.map { PeerAddress(host: $0, port: 1) })
    }

    private mutating func establish(
        _ number: UInt64, to peer: LinkPeer, at host: String? = nil, outbound: Bool = false, openedAt: Int64 = 0
    ) throws -> ConnectionID {
        let connection = try connection(from: host, outbound: outbound, openedAt: openedAt)
        let link = EstablishedLink(connection, peer: peer, targets: [], establishedAt: openedAt)
        table.establish(link, ConnectionID(number))
        return ConnectionID(number)
    }

    @Test("forgets a link under every name when it is gone, and finds another one to the same user")
    mutating func indexes() throws {
        let first = try establish(1, to: alice)
        _ = table.choose(first, isFirst: true)
        let second = try establish(2, to: alice)
        #expect(table.connections(to: alice.userID) == [first, second])
        #expect(table.remove(first) != nil)
        #expect(table[first] == nil)
        #expect(table.connection(to: alice.deviceID) == nil)
        #expect(table.connections(to: alice.userID) == [second])
        _ = table.remove(second)
        #expect(Array(table.users).isEmpty)
    }

    @Test("knows where the linked devices of a user are, and not those of others")
    mutating func hosts() throws {
        let carol = LinkPeer(credential: device("carol").link.credential, run: 1)
        for (number, host) in ["10.0.0.1", "10.0.0.2", "10.0.0.1", nil].enumerated() {
            _ = try establish(UInt64(number), to: alice, at: host)
        }
        _ = try establish(9, to: carol, at: "10.0.0.3")
        #expect(table.hosts(of: alice.userID) == ["10.0.0.1", "10.0.0.2"])
        #expect(table.hosts(of: device("bob").userID).isEmpty)
    }

    @Test("keeps of two crossing links the one dialled by the lower device id", arguments: [true, false])
    mutating func crossing(isFirst: Bool) throws {
        let dialled = try establish(1, to: alice, outbound: true)
        #expect(table.choose(dialled, isFirst: isFirst) == nil)
        let accepted = try establish(2, to: alice)
        #expect(table.choose(accepted, isFirst: isFirst) == (isFirst ? accepted : dialled))
        #expect(table.connection(to: alice.deviceID) == (isFirst ? dialled : accepted))
    }

    @Test("keeps the new one of two links where the peer has restarted, or has lost the old one")
    mutating func restarted() throws {
        let old = try establish(1, to: alice, outbound: true)
        _ = table.choose(old, isFirst: true)
        let late = try establish(2, to: alice, openedAt: Timing.simultaneousDial + 1)
        #expect(table.choose(late, isFirst: true) == old)
        let again = LinkPeer(credential: alice.credential, run: 2)
        let restarted = try establish(3, to: again, openedAt: Timing.simultaneousDial + 1)
        #expect(table.choose(restarted, isFirst: true) == late)
    }

    @Test("keeps the link of a peer that has restarted, though the dial of the other would win a crossing")
    mutating func restartedWhileCrossing() throws {
        let dialled = try establish(1, to: alice, outbound: true)
        _ = table.choose(dialled, isFirst: true)
        let accepted = try establish(2, to: LinkPeer(credential: alice.credential, run: 2))
        #expect(table.choose(accepted, isFirst: true) == dialled)
    }

    @Test("gives up the oldest handshake of an address that has too many, and of nobody else")
    mutating func surplusOfAddress() throws {
        table.insert(.answering(try connection(from: "10.0.0.1")), ConnectionID(1))
        for number in 2..<2 + UInt64(Limits.pendingHandshakesPerAddress) {
            #expect(table.surplusHandshake(for: PeerAddress(host: "10.0.0.2", port: 9)) == nil)
            table.insert(.answering(try connection(from: "10.0.0.2")), ConnectionID(number))
        }
        #expect(table.surplusHandshake(for: PeerAddress(host: "10.0.0.2", port: 9)) == ConnectionID(2))
        #expect(table.surplusHandshake(for: PeerAddress(host: "10.0.0.1", port: 9)) == nil)
    }

    @Test("gives up a handshake of the address that has the most, when there are too many of all")
    mutating func surplusOfAll() throws {
        for number in 1...UInt64(Limits.pendingHandshakes) {
            #expect(table.surplusHandshake(for: PeerAddress(host: "newcomer", port: 9)) == nil)
            let host = number == 5 || number == 9 ? "crowd" : "10.0.0.\(number)"
            table.insert(.answering(try connection(from: host)), ConnectionID(number))
        }
        #expect(table.surplusHandshake(for: PeerAddress(host: "newcomer", port: 9)) == ConnectionID(5))
    }

    @Test("gives up the least recently used of the links whose users stand lowest")
    mutating func surplusOfLinks() throws {
        let known = try establish(1, to: alice)
        for number in 2...UInt64(Limits.links) {
            let stranger = LinkPeer(credential: device("stranger \(number)").link.credential, run: 1)
            #expect(table.surplusLink(beside: ConnectionID(0)) { _ in .stranger } == nil)
            _ = try establish(number, to: stranger, openedAt: Int64(number))
        }
        let alice = alice.userID
        #expect(table.surplusLink(beside: ConnectionID(0)) { $0 == alice ? .known : .stranger } == ConnectionID(2))
        #expect(table.surplusLink(beside: ConnectionID(0)) { _ in .stranger } == known)
        #expect(table.surplusLink(beside: known) { _ in .stranger } == nil, "the newcomer itself does not count")
    }

    @Test("gives up a link over which something is under way, or that was used a moment ago, only if all are like that")
    mutating func busyLinks() throws {
        var small = LinkTable(limit: 3)
        for number in 1...4 as ClosedRange<UInt64> {
            let peer = LinkPeer(credential: device("stranger \(number)").link.credential, run: 1)
            let openedAt = Int64(number) * 10_000
            let link = EstablishedLink(
                try connection(openedAt: openedAt), peer: peer, targets: [], establishedAt: openedAt)
            small.establish(link, ConnectionID(number))
        }
        func surplus(now: Int64, busy: Set<UInt64>) -> ConnectionID? {
            small.surplusLink(
                beside: ConnectionID(4), now: now, isBusy: { busy.contains($0.number) }, standing: { _ in .known })
        }
        #expect(surplus(now: 40_000, busy: []) == ConnectionID(1))
        #expect(surplus(now: 40_000, busy: [1]) == ConnectionID(2))
        #expect(surplus(now: 30_000 + Timing.linkRest - 1, busy: [1, 2]) == ConnectionID(1), "of all")
        #expect(surplus(now: 30_000 + Timing.linkRest, busy: [1, 2]) == ConnectionID(3))
    }
}
