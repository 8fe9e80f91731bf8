/// A network interface of this machine.
public struct HostInterface: Sendable, Hashable {
    /// What an interface leads to, as far as the kernel says.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// This machine only.
        case loopback
        /// A cable, a wireless network, or something built on one that looks alike: VLAN, bond, macvlan.
        case ethernet
        /// Joins interfaces of this machine: virtual machines, containers.
        case bridge
        /// One end of a cable inside this machine: a container, as a rule.
        case virtualEthernet
        /// Packets travel inside other packets, or through a program: VPN.
        case tunnel
        /// One peer at the other end: PPP.
        case pointToPoint
        case other
    }

    /// A usable address of the interface. IPv6 addresses are left out until the kernel has found that nobody else has
    /// them (RFC 4862 section 5.4).
    public struct Address: Sendable, Hashable {
        /// How far an address reaches.
        public enum Scope: Sendable, Hashable {
            /// This machine.
            case host
            /// The cable: RFC 4291 section 2.5.6, RFC 3927.
            case link
            case global
        }

        /// The literal. That of a link-local IPv6 address ends with its interface: `fe80::1%eth0`.
        public let text: String
        /// Bits: 0 to 32, or to 128.
        public let prefixLength: Int
        public let family: AddressFamily
        public let scope: Scope
        let ip: IPAddress

        init(_ ip: IPAddress, prefixLength: Int, interface: String) {
            self.ip = ip
            self.prefixLength = prefixLength
            text = ip.text(on: interface)
            family = ip.family
            switch ip.reach {
            case .loopback: scope = .host
            case .linkLocal: scope = .link
            case .routable: scope = .global
            }
        }

        /// The network that the address is in.
        public var subnet: Subnet { Subnet(containing: ip, prefixLength: prefixLength) }
    }

    public let name: String
    /// The kernel's number for it.
    public let index: UInt32
    public let kind: Kind
    /// Somebody has switched it on.
    public let isUp: Bool
    /// It is up and can carry packets: a cable is plugged in, a wireless network joined.
    public let isRunning: Bool
    public let supportsMulticast: Bool
    /// In a stable order.
    public let addresses: [Address]

    /// The interfaces of this machine, ordered by index, at most `interfaceLimit`.
    ///
    /// rtnetlink(7) tells, and not /sys, which may show another network namespace.
    /// - Throws: `outOfResources` when the operating system does not answer.
    public static func all() throws(DiscoveryError) -> [HostInterface] {
        let kernel = try NetlinkSocket()
        return try all(asking: kernel)
    }
}
