import Glibc
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
        // The system's resolver reads scopes, and makes no look-up for a literal.
        guard let scoped = try? SocketAddress.makeAddressResolvingHost(address.host, port: Int(address.port)) else {
            return nil
        }
        self = scoped
    }

    /// The form that the protocol's machines use. A link-local address keeps its scope, or nobody could connect to it.
    /// An IPv4 address that came over a dual-stack socket becomes IPv4.
    var peerAddress: PeerAddress? {
        guard let port, let ipAddress, let port = UInt16(exactly: port) else { return nil }
        let mapped = "::ffff:"
        guard ipAddress.hasPrefix(mapped), ipAddress.contains(".") else {
            return PeerAddress(host: ipAddress + (scope ?? ""), port: port)
        }
        return PeerAddress(host: String(ipAddress.dropFirst(mapped.count)), port: port)
    }

    /// The interface of a link-local address, as a literal names it: `%eth0`.
    private var scope: Substring? {
        guard case .v6 = self else { return nil }
        let size = 128
        let host = withSockAddr { address, length in
            [CChar](unsafeUninitializedCapacity: size) { buffer, count in
                buffer.initialize(repeating: 0)
                getnameinfo(
                    address, socklen_t(length), buffer.baseAddress, socklen_t(size), nil, 0, Int32(NI_NUMERICHOST))
                count = size
            }
        }
        let text = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.firstIndex(of: "%").map { text[$0...] }
    }
}
