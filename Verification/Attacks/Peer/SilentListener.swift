import Foundation

/// A port of loopback that accepts every connection and stays silent: the system accepts, and nobody answers.
final class SilentListener: Sendable {
    let port: UInt16
    let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw HostileSocket.Failure(description: "no socket: errno \(errno)") }
        var status = HostileSocket.call("127.0.0.1", 0) { bind(descriptor, $0, $1) }
        if status == 0 { status = listen(descriptor, 64) }
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        if status == 0 {
            status = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw HostileSocket.Failure(description: "cannot listen: errno \(errno)")
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
