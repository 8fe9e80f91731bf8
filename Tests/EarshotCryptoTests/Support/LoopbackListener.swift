import Glibc
import TestSupport

/// A TCP socket that listens on a free port of 127.0.0.1.
final class LoopbackListener {
    let port: UInt16
    private let descriptor: Int32
    private static let patienceMilliseconds: Int32 = 30_000

    init() throws {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = try PeerFailure.check(socket(AF_INET, type, 0), "socket")
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        do {
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    _ = try PeerFailure.check(bind(descriptor, address, length), "bind")
                    _ = try PeerFailure.check(listen(descriptor, 1), "listen")
                    _ = try PeerFailure.check(getsockname(descriptor, address, &length), "getsockname")
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// Waits for one connection.
    /// - Throws: `PeerFailure` where none comes within 30 seconds.
    func accept() throws -> LoopbackStream {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = try PeerFailure.check(poll(&waiting, 1, Self.patienceMilliseconds), "poll")
        guard ready == 1 else { throw PeerFailure("no peer connected; what it printed is above") }
        let connection = try PeerFailure.check(Glibc.accept(descriptor, nil, nil), "accept")
        return try LoopbackStream(owning: connection)
    }
}
