import EarshotDiscovery
import EarshotModel

@testable import Earshot

/// Facts of a healthy node, for a test to spoil one of.
enum Sample {
    static let now: Int64 = 1_800_000_000_000
    static let day: Int64 = 24 * 3600 * 1000

    static func userID(_ seed: UInt8) -> UserID { UserID(bytes: [UInt8](repeating: seed, count: 32))! }

    static let home = HomeFacts(
        path: "/home/alice/earshot", state: .initialized, loose: [], lock: .held(17), socket: .answers)

    static let disk = DiskFacts(path: "/home/alice/earshot", freeBytes: 1 << 34, isReadOnly: false)

    static let credential = CredentialFacts(
        notBefore: now - day, notAfter: now + 29 * day, canRenew: true, isInUse: true)

    static var network: NetworkFacts {
        NetworkFacts(
            interfaces: [
                interface("lo", isLoopback: true), interface("eth0"), interface("tun0", skip: "matches tun*"),
            ],
            multicast: [
                MulticastOutcome(interface: "eth0", family: .ipv4, outcome: .works),
                MulticastOutcome(interface: "eth0", family: .ipv6, outcome: .works),
            ])
    }

    static func interface(
        _ name: String, isLoopback: Bool = false, isRunning: Bool = true, skip: String? = nil
    ) -> InterfaceFacts {
        InterfaceFacts(
            name: name, isLoopback: isLoopback, isRunning: isRunning, supportsMulticast: true,
            addresses: ["192.0.2.1", "fe80::1%\(name)"], families: [.ipv4, .ipv6], skipReason: skip)
    }

    static var node: NodeFacts {
        var facts = NodeFacts(name: "alice", userID: userID(1))
        facts.port = 7000
        facts.discovery = .daemon
        facts.deviceCount = 1
        facts.users = [user("bob", 2, isPinned: true)]
        facts.links = [link("bob")]
        facts.clocks = [NodeFacts.PeerClock(name: "bob", ahead: 120)]
        facts.dialBacks = [NodeFacts.DialBack(name: "bob", isReached: true)]
        facts.credential = credential
        return facts
    }

    /// The healthy node's facts, and a change.
    static func node(_ change: (inout NodeFacts) -> Void) -> NodeFacts {
        var facts = node
        change(&facts)
        return facts
    }

    static func link(
        _ name: String, at address: String = "192.0.2.7:7000", isOutbound: Bool = true
    ) -> NodeFacts.PeerLink {
        NodeFacts.PeerLink(userID: userID(2), name: name, address: PeerAddress(address), isOutbound: isOutbound)
    }

    static func user(
        _ name: String, _ seed: UInt8, isPinned: Bool = false, conflictsWith: UInt8? = nil, trust: Trust = .unverified,
        isOnline: Bool = false
    ) -> User {
        let record = UserRecord(
            userID: userID(seed), name: try! UserName(typed: name), trust: trust, isPinned: isPinned, firstSeen: 1,
            lastSeen: 2)
        return User(record, conflictingID: conflictsWith.map(userID), isOnline: isOnline)
    }

    static func failure(_ address: String, _ code: String = "unreachable", of seed: UInt8? = nil) -> LinkFailure {
        LinkFailure(
            address: address, userID: seed.map(userID), code: code, message: "\(address) cannot be reached")
    }
}
