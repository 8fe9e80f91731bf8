import CLinuxNetwork
package import EarshotModel
import Glibc

/// Asks the kernel which way packets would take. Nothing is sent.
///
/// The kernel is asked as `ip route get` does (`RTM_GETROUTE`): it goes through all routing rules and names the
/// interface. The source address alone, which a connected socket has, would not tell: a tunnel without an address of
/// its own borrows that of the very interface it takes the packets from.
package enum RouteProbe {
    /// The way that the kernel would send packets to an address.
    package struct Route: Sendable, Hashable {
        /// The name of the interface that packets leave by.
        package let interface: String
        /// The address that they come from, as a literal; `nil` when there is none to give.
        package let source: String?
    }

    /// - Parameter address: a literal; a link-local IPv6 address has its scope. The port does not matter.
    /// - Returns: `nil` when there is no way.
    /// - Throws: `invalidAddress` for a name, `outOfResources` when the operating system does not answer.
    package static func route(to address: PeerAddress) throws(DiscoveryError) -> Route? {
        let parts = address.host.split(separator: "%", maxSplits: 1)
        guard let literal = parts.first, let ip = IPAddress(literal: String(literal)) else {
            throw DiscoveryError(.invalidAddress, "\(address.host) is not an IP address")
        }
        let scope = try parts.dropFirst().first.map { name throws(DiscoveryError) in try index(of: String(name)) }
        return try route(to: ip, scope: scope, asking: NetlinkSocket())
    }

    /// - Parameter scope: the index of the interface that it has to be.
    static func route(
        to address: IPAddress, scope: UInt32?, asking kernel: NetlinkSocket
    ) throws(DiscoveryError) -> Route? {
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

    private static func choice(in message: NetlinkMessage) -> Route? {
        let attributes = message.attributes(after: NetworkRoute.size)
        // IPv6 answers with the route that refuses, IPv4 with an error.
        guard let type = message.body[...].integer(UInt8.self, at: 7), [RTN_UNICAST, RTN_LOCAL].contains(Int(type)),
            let index = attributes[Int(RTA_OIF.rawValue)]?[...].integer(UInt32.self, at: 0)
        else { return nil }
        let interface = NetworkInterface(index: index).name
        let source = attributes[Int(RTA_PREFSRC.rawValue)].flatMap(IPAddress.init)
        return Route(interface: interface, source: source?.text(on: interface))
    }

    private static func index(of interface: String) throws(DiscoveryError) -> UInt32 {
        let index = if_nametoindex(interface)
        guard index != 0 else { throw DiscoveryError(.invalidAddress, "there is no interface \(interface)") }
        return index
    }
}
