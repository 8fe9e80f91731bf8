/// Where a node goes only because somebody advertises it: not beyond the local network.
///
/// Whoever answers multicast can name any address. A node that dialled them all could be sent anywhere, by every machine of
/// a network at once. Peers elsewhere are given by name (`--peer`).
struct Neighbourhood: Sendable {
    /// Addresses that mean something only on local networks: RFC 1918, RFC 6598, RFC 4193. They may lie behind a router, for
    /// advertisements are carried from one network of a house to another.
    private static let privateNetworks: [Subnet] = [
        ("10.0.0.0", 8), ("172.16.0.0", 12), ("192.168.0.0", 16), ("100.64.0.0", 10), ("fc00::", 7),
    ].map { literal, prefixLength in
        guard let address = Subnet(literal, prefixLength: prefixLength) else {
            preconditionFailure("\(literal) is the literal of an address")
        }
        return address
    }

    private let ownNetworks: @Sendable () -> Set<Subnet>
    /// They are asked for once, and only where it depends on them.
    private var known: Set<Subnet>?

    /// - Parameter ownNetworks: the networks that this host has addresses in now.
    init(ownNetworks: @escaping @Sendable () -> Set<Subnet> = HostAddresses.networks) {
        self.ownNetworks = ownNetworks
    }

    /// - Parameter interface: where it was advertised.
    mutating func includes(_ address: IPAddress, advertisedOn interface: String) -> Bool {
        switch address.reach {
        // One that comes over a cable would have this node connect to itself.
        case .loopback: return interface == NetworkInterface.loopbackName
        case .linkLocal: return true
        case .routable:
            if Self.privateNetworks.contains(where: { $0.contains(address) }) { return true }
            let networks = known ?? ownNetworks()
            known = networks
            return networks.contains { $0.contains(address) }
        }
    }
}
