import NIOCore

extension SocketAddress {
    /// Reads an address literal; a link-local one keeps its scope (`fe80::1%eth0`, RFC 4007).
    /// - Returns: `nil` for a host name, and for a scope that this host does not have.
    init?(literal address: PeerAddress) {
        let parts = address.host.split(separator: "%", maxSplits: 1)
        guard let base = parts.first, let plain = try? SocketAddress(ipAddress: String(base), port: Int(address.port))
        else { return nil }
        guard parts.count == 2 else {
            self = plain
            return
        }
        // The system's resolver reads scopes, and asks nobody about a literal.
        guard let scoped = try? SocketAddress.makeAddressResolvingHost(address.host, port: Int(address.port)) else {
            return nil
        }
        self = scoped
    }

    /// As the protocol's machines name it, without a scope. An IPv4 address that came over a dual-stack socket is one.
    var peerAddress: PeerAddress? {
        guard let port, let ipAddress, let port = UInt16(exactly: port) else { return nil }
        let mapped = "::ffff:"
        guard ipAddress.hasPrefix(mapped), ipAddress.contains(".") else {
            return PeerAddress(host: ipAddress, port: port)
        }
        return PeerAddress(host: String(ipAddress.dropFirst(mapped.count)), port: port)
    }
}
