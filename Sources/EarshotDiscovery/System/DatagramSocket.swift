import CLinuxNetwork
import Glibc

/// The socket calls of `MulticastGuard`.
enum DatagramSocket {
    private static let roomBytes: CInt = 1024 * 1024

    /// How a datagram came.
    struct Arrival: Hashable {
        /// Of the datagram, at most as many as there was room for.
        let byteCount: Int
        /// 4 or 16 bytes, then zeros.
        let source: [UInt8]
        let sourcePort: UInt16
        /// 0 where the socket does not tell.
        let interface: UInt32
        /// Whether it was sent to a multicast group, as far as the socket tells.
        let isToGroup: Bool
    }

    /// Whether a descriptor is one of multicast DNS; the library also waits for netlink, and for pipes.
    static func isOne(_ descriptor: CInt) -> Bool {
        guard let domain = option(SO_DOMAIN, of: descriptor), domain == AF_INET || domain == AF_INET6 else {
            return false
        }
        return option(SO_TYPE, of: descriptor) == clinuxnetwork_datagram
    }

    /// Lets more datagrams wait in a socket: where many nodes start at once, each hears from all others in an instant.
    ///
    /// The kernel gives what `net.core.rmem_max` allows (socket(7)).
    static func makeRoom(in socket: CInt) {
        guard option(SO_RCVBUF, of: socket) ?? 0 < roomBytes else { return }
        _ = setOption(socket, SOL_SOCKET, SO_RCVBUF, roomBytes)
    }

    /// Reads the first datagram and leaves it where it is.
    /// - Returns: `nil` where there is none. At most as many bytes as the buffer has are read.
    static func peek(_ socket: CInt, into buffer: inout [UInt8]) -> Arrival? {
        let arrival = clinuxnetwork_peek_datagram(socket, &buffer, buffer.count)
        guard arrival.count >= 0 else { return nil }
        return Arrival(
            byteCount: arrival.count, source: withUnsafeBytes(of: arrival.source) { Array($0) },
            sourcePort: arrival.port, interface: arrival.interface, isToGroup: arrival.is_to_group)
    }

    /// Takes the first datagram off.
    static func remove(from socket: CInt) {
        _ = recv(socket, nil, 0, clinuxnetwork_no_wait)
    }

    /// - Returns: nothing for what is no socket.
    private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}
