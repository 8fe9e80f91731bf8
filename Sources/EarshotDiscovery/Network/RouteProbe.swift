import CLinuxNetwork
public import EarshotModel
import Glibc

/// The way that the kernel would send packets to an address.
public struct NetworkRouteChoice: Sendable, Hashable {
    /// The name of the interface that packets leave by.
    public let interface: String
    /// The address that they come from, as a literal; `nil` when the interface has none to give.
    public let source: String?
}

/// Addresses of a subnet that this machine is in, to which packets leave by another interface: a VPN took them.
public struct CapturedSubnet: Sendable, Hashable {
    public let subnet: Subnet
    /// An address in the subnet that packets do not get to.
    public let address: String
    /// The name of the interface that is in the subnet.
    public let expectedInterface: String
    /// The name of the interface that packets leave by; `nil` when the kernel refuses to send them.
    public let actualInterface: String?
}

/// Asks the kernel which way packets would take. Nothing is sent.
///
/// The kernel is asked as `ip route get` does (`RTM_GETROUTE`): it goes through all routing rules and names the
/// interface. The source address alone, which a connected socket has, would not tell: a tunnel without an address of
/// its own borrows that of the very interface it takes the packets from.
public enum RouteProbe {
    /// - Parameter address: a literal; a link-local IPv6 address has its scope. The port does not matter.
    /// - Returns: `nil` when there is no way.
    /// - Throws: `invalidAddress` for a name, `outOfResources` when the operating system does not answer.
    public static func route(to address: PeerAddress) throws(DiscoveryError) -> NetworkRouteChoice? {
        let parts = address.host.split(separator: "%", maxSplits: 1)
        guard let literal = parts.first, let ip = IPAddress(literal: String(literal)) else {
            throw DiscoveryError(.invalidAddress, "\(address.host) is not an IP address")
        }
        let scope = try parts.dropFirst().first.map { name throws(DiscoveryError) in try index(of: String(name)) }
        return try route(to: ip, scope: scope, asking: NetlinkSocket())
    }

    /// The subnets of these interfaces that packets do not get to by them.
    ///
    /// A few addresses of each subnet are asked for. Two interfaces of a kind in one subnet (a cable and a wireless
    /// network) may serve each other's packets; a tunnel may not.
    /// - Parameter interfaces: those which peers are looked for on. Only those that are running count.
    /// - Throws: `outOfResources` when the operating system does not answer.
    public static func capturedSubnets(of interfaces: [HostInterface]) throws(DiscoveryError) -> [CapturedSubnet] {
        let kernel = try NetlinkSocket()
        let all = try HostInterface.all(asking: kernel)
        let own = Set(all.flatMap(\.addresses).map(\.ip.bytes))
        var captured: [CapturedSubnet] = []
        for interface in interfaces where interface.isRunning && interface.kind != .loopback {
            // Link-local addresses are asked for on their interface: no route leads them elsewhere.
            for subnet in Set(interface.addresses.filter { $0.scope == .global }.map(\.subnet)) {
                for address in subnet.samples(besides: own) {
                    let choice = try route(to: address, scope: nil, asking: kernel)
                    let actual = all.first { $0.name == choice?.interface }
                    guard !interface.shares(subnet, with: actual) else { continue }
                    captured.append(
                        CapturedSubnet(
                            subnet: subnet, address: address.text(on: interface.name),
                            expectedInterface: interface.name, actualInterface: choice?.interface))
                    break
                }
            }
        }
        return captured
    }

    /// An answer for an address that nobody may have a route to is `nil`, as is a refusal by rule.
    static func route(
        to address: IPAddress, scope: UInt32?, asking kernel: NetlinkSocket
    ) throws(DiscoveryError) -> NetworkRouteChoice? {
        switch try kernel.ask(RTM_GETROUTE, body: request(for: address, scope: scope)) {
        case .success(let message): return choice(in: message)
        case .failure: return nil
        }
    }

    private static func request(for address: IPAddress, scope: UInt32?) -> [UInt8] {
        var body = [UInt8](repeating: 0, count: NetworkRoute.size)
        body[0] = UInt8(address.family == .ipv4 ? AF_INET : AF_INET6)
        body[1] = UInt8(address.bytes.count * 8)
        body += NetlinkMessage.attribute(Int(RTA_DST.rawValue), address.bytes)
        if let scope { body += NetlinkMessage.attribute(Int(RTA_OIF.rawValue), bytes(of: scope)) }
        return body
    }

    private static func choice(in message: NetlinkMessage) -> NetworkRouteChoice? {
        let attributes = message.attributes(after: NetworkRoute.size)
        // IPv6 answers with the route that refuses, IPv4 with an error.
        guard let type = message.body[...].integer(UInt8.self, at: 7), [RTN_UNICAST, RTN_LOCAL].contains(Int(type)),
            let index = attributes[Int(RTA_OIF.rawValue)]?[...].integer(UInt32.self, at: 0)
        else { return nil }
        let interface = interfaceName(index)
        let source = attributes[Int(RTA_PREFSRC.rawValue)].flatMap(IPAddress.init)
        return NetworkRouteChoice(interface: interface, source: source?.text(on: interface))
    }

    private static func index(of interface: String) throws(DiscoveryError) -> UInt32 {
        let index = if_nametoindex(interface)
        guard index != 0 else { throw DiscoveryError(.invalidAddress, "there is no interface \(interface)") }
        return index
    }

    /// - Returns: an interface that is gone has its number for a name.
    private static func interfaceName(_ index: UInt32) -> String {
        var buffer = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &buffer) != nil else { return "#\(index)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
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
