import Glibc

/// A TCP connection to loopback.
///
/// Here no module of NIO is imported. NIO's C module includes the system's headers too, and the compiler gives the members of
/// `sockaddr_in` to the C module that it happens to load first.
package enum LoopbackConnection {
    /// - Parameter source: the address that it comes from, within 127.0.0.0/8.
    /// - Returns: a socket that the caller closes.
    /// - Throws: `PeerFailure` if nobody listens at the port.
    package static func open(to port: UInt16, from source: String = "127.0.0.1") throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try PeerFailure.check(socket(AF_INET, type, 0), "socket")
        do {
            _ = try PeerFailure.check(call(source, 0) { bind(descriptor, $0, $1) }, "bind to \(source)")
            _ = try PeerFailure.check(
                call("127.0.0.1", port) { connect(descriptor, $0, $1) }, "connect to port \(port)")
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Takes a port as another program does that serves there, and answers nothing.
    /// - Returns: a socket that the caller closes.
    /// - Throws: `PeerFailure` if the port is not free.
    package static func occupy(_ port: UInt16) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try PeerFailure.check(socket(AF_INET, type, 0), "socket")
        do {
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            _ = try PeerFailure.check(call("127.0.0.1", port) { bind(descriptor, $0, $1) }, "bind to port \(port)")
            _ = try PeerFailure.check(listen(descriptor, 1), "listen")
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func call(
        _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
