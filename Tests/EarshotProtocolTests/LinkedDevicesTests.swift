import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("Devices of one user")
struct LinkedDevicesTests {
    private static let hour = Family.hour

    @Test("link with each other, and are no user that is met")
    func link() {
        var network = Family().network
        network.meet(0, 1)
        #expect(network.isLinked(0, to: 1) && network.isLinked(1, to: 0))
        for node in network.nodes.prefix(2) {
            #expect(node.machine.users.isEmpty)
            #expect(node.events.isEmpty)
            #expect(node.machine.ownDevices.map(\.deviceID) != [node.local.deviceID])
        }
    }

    @Test("do not need a network that admits them: only others are kept out")
    func admission() {
        var network = Family().network
        for index in 0...1 { network.input(index) { $0.admit(.only([]), now: $1) } }
        network.meet(0, 1)
        network.meet(0, 2)
        #expect(network.isLinked(0, to: 1) && !network.isLinked(0, to: 2))
    }

    @Test("have their credentials renewed by a primary one at half of their time, unasked")
    func renewal() {
        var network = Family().network
        network.meet(0, 1)
        let old = network.nodes[1].machine.localCredential
        // It is valid for three hours from now, so half of that is over after one and a half.
        network.run(for: Self.hour + Self.hour / 2 - 20_000)
        #expect(network.nodes[1].machine.localCredential == old)
        network.run(for: 30_000)
        let new = network.nodes[1].machine.localCredential
        #expect(new.notAfter - new.notBefore == old.notAfter - old.notBefore)
        #expect(new.notAfter > old.notAfter && !new.isPrimary && new.userID == old.userID)
        #expect(network.nodes[1].events.names == [.credentialRenewed])
        #expect(network.nodes[0].issued.count == 1)
        // Years later, without a link in between.
        network.run(for: 12 * Self.hour)
        #expect(network.isLinked(0, to: 1))
        #expect(network.nodes[1].machine.localCredential.isValid(at: network.now.wallClock))
        #expect(network.nodes[0].issued.count < 12)
    }

    @Test("link with an expired credential for its renewal alone, while all others refuse it")
    func expired() {
        var network = Family(notAfter: Family.now - 1).network
        network.meet(1, 2)
        #expect(!network.isLinked(1, to: 2))
        network.meet(0, 1)
        #expect(network.nodes[1].machine.localCredential.isValid(at: network.now.wallClock))
        network.run(for: 60_000)
        #expect(network.isLinked(0, to: 1) && network.isLinked(1, to: 2))
    }

    /// A linked device whose credential is renewed after so many inputs.
    private struct RenewedHost: NodeHost {
        var machine: NodeMachine
        let credential: Credential
        let renewal: Int
        let now: Moment
        var count = 0

        @discardableResult
        mutating func input(_ body: (inout NodeMachine) -> [NodeAction]) -> [NodeAction] {
            let actions = body(&machine)
            count += 1
            return count == renewal ? actions + machine.renew(credential, now: now) : actions
        }
    }

    @Test("link anew where a credential is renewed in the middle of a handshake, as the other knows the old one alone")
    func renewedInHandshake() throws {
        let family = Family(notAfter: Family.now - 1)
        let now = Moment(wallClock: Family.now, uptime: 0)
        // Accepted, and shown to the other device with the second message: then comes the third.
        for (renewal, isLinked) in [(2, false), (9, true)] {
            var host = RenewedHost(
                machine: NodeMachine(local: family.linked, snapshot: Snapshot(), now: now) { .generate() },
                credential: Family().linked.link.credential, renewal: renewal, now: now)
            _ = try HandDrivenPeer(family.primary, beside: &host, now: now)
            #expect(host.count == 3 && host.machine.establishedLinks.isEmpty != isLinked)
        }
    }

    @Test("renew nothing without the identity's key, and try again an hour later")
    func sealed() {
        var network = Family(notAfter: Family.now - 1).network
        let identityKey = network.nodes[0].identityKey
        network.nodes[0].identityKey = nil
        network.meet(0, 1)
        #expect(network.isLinked(0, to: 1) && !network.nodes[0].issued.isEmpty)
        network.nodes[0].identityKey = identityKey
        network.run(for: Timing.credentialCheck + 10_000)
        #expect(network.nodes[1].machine.localCredential.isValid(at: network.now.wallClock))
    }

    @Test("that are linked renew nobody")
    func linkedOnly() {
        let (family, other) = (Family(notAfter: Family.now - 1), Family())
        var network = MachineNetwork([other.linked.link(of: family, seed: 77), family.linked])
        network.meet(0, 1)
        network.run(for: 2 * Self.hour)
        #expect(network.isLinked(0, to: 1))
        #expect(network.nodes.allSatisfy { $0.issued.isEmpty })
    }

    @Test("share the names that their user gives them, of which the later counts")
    func names() {
        var network = Family().network
        network.meet(0, 1)
        let (primary, linked) = (network.nodes[0].local.deviceID, network.nodes[1].local.deviceID)
        network.input(0) { $0.rename(linked, to: "desktop", requestID: RequestID(1), now: $1) }
        network.run(for: 1_000)
        #expect(network.name(of: linked, at: 1) == "desktop")
        network.cutSilently()
        network.input(1) { $0.rename(linked, to: "attic", requestID: RequestID(2), now: $1) }
        network.input(0) { $0.rename(primary, to: "laptop", requestID: RequestID(3), now: $1) }
        for index in 0...1 { network.input(index) { $0.networkChanged(now: $1) } }
        network.run(for: 10_000)
        for index in 0...1 {
            #expect(network.name(of: linked, at: index) == "attic")
            #expect(network.name(of: primary, at: index) == "laptop")
        }
    }
}

extension MachineNetwork {
    fileprivate func name(of deviceID: DeviceID, at index: Int) -> String? {
        nodes[index].machine.ownDevices.first { $0.deviceID == deviceID }?.name.text
    }
}

extension LocalDevice {
    /// Another linked device of a family's user.
    fileprivate func link(of family: Family, seed: UInt64) -> LocalDevice {
        var generator = SeededGenerator(seed: seed)
        return .generated(name: name.text, identityKey: family.identityKey, using: &generator)
    }
}
