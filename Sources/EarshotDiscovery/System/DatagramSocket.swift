import CLinuxNetwork
import Glibc

/// The socket calls of `MulticastGuard`.
enum DatagramSocket {
    /// Whether a descriptor is one of multicast DNS; the library also waits for netlink, and for pipes.
    static func isOne(_ descriptor: CInt) -> Bool {
        let domain = option(SO_DOMAIN, of: descriptor)
        return option(SO_TYPE, of: descriptor) == clinuxnetwork_datagram
            && (domain == AF_INET || domain == AF_INET6)
    }

    /// Reads the first datagram and leaves it where it is.
    /// - Returns: its bytes, at most as many as the buffer has; negative where there is none.
    static func peek(_ socket: CInt, into buffer: inout [UInt8]) -> Int {
        recv(socket, &buffer, buffer.count, clinuxnetwork_peek | clinuxnetwork_no_wait)
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
