package import EarshotDiscovery

/// How a node looks for its peers.
public struct PeerDiscovery: Sendable {
    private let make: @Sendable (DiscoveryConfiguration) -> [any DiscoverySource]

    /// By DNS-SD: with the system's Avahi daemon where one runs, else with a stack in this process.
    public static let dnssd = PeerDiscovery { [DNSSDSource(configuration: $0)] }

    /// Not at all: only given and remembered addresses are dialled, and nobody finds this node.
    public static let off = PeerDiscovery { _ in [] }

    /// With sources of one's own.
    package static func sources(_ sources: [any DiscoverySource]) -> PeerDiscovery { PeerDiscovery { _ in sources } }

    package func sources(on interfaces: DiscoveryConfiguration) -> [any DiscoverySource] { make(interfaces) }
}
