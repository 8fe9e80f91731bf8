import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("While a node runs a credential")
struct CredentialRenewalTests {
    private static let hour: Int64 = 3_600_000

    /// Two linked nodes; the credential of the one ends in an hour.
    private func network(ending index: Int) -> MachineNetwork {
        var network = MachineNetwork(["alice", "bob"])
        let name = network.nodes[index].local.name.text
        network.nodes[index].local = device(name, notAfter: network.now.wallClock + Self.hour)
        network.restart(index)
        network.see(0, by: 1)
        network.see(1, by: 0)
        network.run(for: 5_000)
        return network
    }

    @Test("that is renewed is announced, and shown by every handshake from then on")
    func renewed() {
        var network = network(ending: 1)
        let notAfter = network.now.wallClock + 30 * 24 * Self.hour
        network.renew(1, notBefore: 7, notAfter: notAfter)
        #expect(
            network.nodes[1].events.last
                == .credentialRenewed(CredentialNotice(notBefore: 7, notAfter: notAfter)))
        #expect(network.isLinked(0) && network.isLinked(1))
        network.cutSilently()
        for index in 0...1 { network.input(index) { $0.networkChanged(now: $1) } }
        network.run(for: 5_000)
        #expect(network.nodes[0].machine.establishedLinks.map(\.peer.credential.notAfter) == [notAfter])
    }

    @Test("of a peer that ends closes the link at that moment, and a renewed one opens another", arguments: [0, 1])
    func ends(_ index: Int) throws {
        var network = network(ending: index)
        network.renew(index, notAfter: network.now.wallClock + 30 * 24 * Self.hour)
        let end = 1_700_000_000_000 + Self.hour
        network.run(for: end - network.now.wallClock - 1)
        #expect(network.isLinked(0) && network.isLinked(1))
        let ended = try #require(network.time { !$0.isLinked(0) })
        #expect(ended <= 20)
        let linked = try #require(network.time { $0.isLinked(0) && $0.isLinked(1) })
        #expect(linked <= 2 * Timing.redialFloor)
        // It is how things are meant to go, and no failure.
        #expect(network.nodes.allSatisfy { !$0.events.names.contains(.linkFailed) })
        network.run(for: 24 * Self.hour)
        #expect(network.isLinked(0) && network.isLinked(1))
    }

    @Test("that ended and was not renewed makes no link, and one makes it at once that comes late", arguments: [0, 1])
    func late(_ index: Int) throws {
        var network = network(ending: index)
        network.run(for: 2 * Self.hour)
        #expect(!network.isLinked(0) && !network.isLinked(1))
        #expect(network.nodes.allSatisfy { $0.events.names.contains(.linkFailed) })
        network.renew(index, notAfter: network.now.wallClock + 30 * 24 * Self.hour)
        let linked = try #require(network.time { $0.isLinked(0) && $0.isLinked(1) })
        #expect(linked <= Timing.redialFloor)
    }

    @Test("of a peer is looked at when the own clock is set", arguments: [true, false])
    func clockSet(isTold: Bool) {
        var network = network(ending: 1)
        network.nodes[0].clockOffset = Self.hour
        network.input(0) { isTold ? $0.clockChanged(now: $1) : $0.tick(now: $1) }
        network.run(for: 10)
        #expect(!network.isLinked(0) && !network.isLinked(1))
        network.run(for: 60_000)
        // Both ends say that it is the clock.
        for node in network.nodes {
            let failures = node.events.compactMap { if case .linkFailed(let failure) = $0 { failure } else { nil } }
            #expect(failures.contains { $0.message.contains("set one of the two clocks right") })
        }
        network.nodes[0].clockOffset = 0
        network.input(0) { isTold ? $0.clockChanged(now: $1) : $0.tick(now: $1) }
        network.run(for: 1_000)
        #expect(network.isLinked(0) && network.isLinked(1))
    }
}
