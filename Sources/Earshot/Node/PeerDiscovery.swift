package import EarshotDiscovery

/// How a node looks for its peers.
public struct PeerDiscovery: Sendable {
    private let make: @Sendable (DiscoveryConfiguration) -> [any DiscoverySource]

    /// With DNS-SD: through the system's Avahi daemon if one runs, else with a stack in this process.
    public static let dnssd = PeerDiscovery { [DNSSDSource(configuration: $0)] }

    /// Not at all: the node dials only given and remembered addresses, and nobody finds it.
    public static let off = PeerDiscovery { _ in [] }

    /// With the program's own sources.
    package static func sources(_ sources: [any DiscoverySource]) -> PeerDiscovery { PeerDiscovery { _ in sources } }

    package func sources(on interfaces: DiscoveryConfiguration) -> [any DiscoverySource] { make(interfaces) }
}
