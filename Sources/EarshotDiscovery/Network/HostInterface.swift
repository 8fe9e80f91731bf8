/// A network interface of this machine.
package struct HostInterface: Sendable, Hashable {
    /// What an interface leads to, as far as the kernel says.
    package enum Kind: Sendable, Hashable, CaseIterable {
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
    package struct Address: Sendable, Hashable {
        /// How far an address reaches.
        package enum Scope: Sendable, Hashable {
            /// This machine.
            case host
            /// The cable: RFC 4291 section 2.5.6, RFC 3927.
            case link
            case global
        }

        /// The literal. That of a link-local IPv6 address ends with its interface: `fe80::1%eth0`.
        package let text: String
        /// Bits: 0 to 32, or to 128.
        package let prefixLength: Int
        package let family: AddressFamily
        package let scope: Scope
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
        package var subnet: Subnet { Subnet(containing: ip, prefixLength: prefixLength) }
    }

    package let name: String
    /// The kernel's number for it.
    package let index: UInt32
    package let kind: Kind
    /// Somebody has switched it on.
    package let isUp: Bool
    /// It is up and can carry packets: a cable is plugged in, a wireless network joined.
    package let isRunning: Bool
    package let supportsMulticast: Bool
    /// In a stable order.
    package let addresses: [Address]

    /// The interfaces of this machine, ordered by index, at most `interfaceLimit`.
    ///
    /// rtnetlink(7) tells, and not /sys, which may show another network namespace.
    /// - Throws: `outOfResources` when the operating system does not answer.
    package static func all() throws(DiscoveryError) -> [HostInterface] {
        let kernel = try NetlinkSocket()
        return try all(asking: kernel)
    }
}
