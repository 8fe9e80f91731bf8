import EarshotCrypto
import EarshotModel
import EarshotSimulation

@testable import EarshotProtocol

/// The devices of one user, and a friend.
struct Family {
    let identityKey: SigningKey
    let primary: LocalDevice
    let linked: LocalDevice
    let friend = device("bob")

    static let hour: Int64 = 3_600_000
    static let now: Int64 = 1_700_000_000_000

    /// - Parameter notAfter: when the linked device's credential ends. It began an hour ago.
    init(notAfter: Int64 = now + 3 * hour) {
        var generator = SeededGenerator(seed: 12)
        identityKey = generator.signingKey()
        primary = .generated(name: "alice", identityKey: identityKey, isPrimary: true, using: &generator)
        linked = .generated(
            name: "alice", identityKey: identityKey, notBefore: min(Self.now, notAfter) - Self.hour, notAfter: notAfter,
            using: &generator)
    }

    /// The primary device is node 0, the linked one 1, the friend 2. Nobody has seen anybody.
    var network: MachineNetwork {
        var network = MachineNetwork([primary, linked, friend])
        network.nodes[0].identityKey = identityKey
        return network
    }
}

extension MachineNetwork {
    mutating func meet(_ a: Int, _ b: Int) {
        see(a, by: b)
        see(b, by: a)
        run(for: 5_000)
    }

    func isLinked(_ a: Int, to b: Int) -> Bool {
        nodes[a].machine.establishedLinks.contains { $0.peer.deviceID == nodes[b].local.deviceID }
    }
}
