/// Addresses of a subnet that this machine is in, to which packets leave by another interface: a VPN took them.
package struct CapturedSubnet: Sendable, Hashable {
    package let subnet: Subnet
    /// An address in the subnet that packets do not get to.
    package let address: String
    /// The name of the interface that is in the subnet.
    package let expectedInterface: String
    /// The name of the interface that packets leave by; `nil` when the kernel refuses to send them.
    package let actualInterface: String?
}

extension RouteProbe {
    /// The subnets of these interfaces whose packets leave by another way, each once.
    ///
    /// The kernel is asked about a few addresses of each subnet. Two interfaces of a kind in one subnet (a cable and a
    /// wireless network) may serve each other's packets; a tunnel may not.
    /// - Parameter interfaces: those which peers are looked for on. Only those that are running count.
    /// - Throws: `outOfResources` when the operating system does not answer.
    package static func capturedSubnets(of interfaces: [HostInterface]) throws(DiscoveryError) -> [CapturedSubnet] {
        let kernel = try NetlinkSocket()
        let all = try HostInterface.all(asking: kernel)
        var captured: [CapturedSubnet] = []
        for interface in interfaces where interface.isRunning && interface.kind != .loopback {
            // Link-local addresses are asked for on their interface: no route leads them elsewhere.
            let subnets = Set(interface.addresses.filter { $0.scope == .global }.map(\.subnet))
            for subnet in subnets.sorted(by: { $0.description < $1.description }) {
                let first = try firstCaptured(of: subnet, on: interface, among: all, asking: kernel)
                captured += first.map { [$0] } ?? []
            }
        }
        return captured
    }

    private static func firstCaptured(
        of subnet: Subnet, on interface: HostInterface, among all: [HostInterface], asking kernel: NetlinkSocket
    ) throws(DiscoveryError) -> CapturedSubnet? {
        let own = Set(all.flatMap(\.addresses).map(\.ip.bytes))
        for address in subnet.samples(besides: own) {
            let actual = try route(to: address, scope: nil, asking: kernel)?.interface
            guard !interface.shares(subnet, with: all.first { $0.name == actual }) else { continue }
            return CapturedSubnet(
                subnet: subnet, address: address.text(on: interface.name), expectedInterface: interface.name,
                actualInterface: actual)
        }
        return nil
    }
}

extension HostInterface {
    /// Whether packets to a subnet of this interface get there when they leave by the other one.
    func shares(_ subnet: Subnet, with other: HostInterface?) -> Bool {
        guard let other else { return false }
        if other.name == name { return true }
        return other.kind != .tunnel && other.kind != .pointToPoint && other.addresses.contains { $0.subnet == subnet }
    }
}
