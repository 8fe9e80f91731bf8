import Foundation
import Synchronization

/// An attacker between two nodes: accepts a connection, makes one to the real destination, and carries messages from
/// one to the other, unchanged or changed.
final class Relay: Sendable {
    struct Recording: Sendable {
        /// The messages of the initiator, with their lengths before them, as they came.
        var fromInitiator: [[UInt8]] = []
        var fromResponder: [[UInt8]] = []
    }

    let port: UInt16
    private let listener: HostileSocket
    private let state = Mutex(Recording())

    var recording: Recording { state.withLock(\.self) }

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = HostileSocket(descriptor: descriptor)
        guard HostileSocket.call("127.0.0.1", 0, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 8) == 0 else {
            throw HostileSocket.Failure(description: "no port to listen on")
        }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// The next connection that somebody makes to it.
    func accept() throws -> HostileSocket {
        let descriptor = Glibc.accept(listener.descriptor, nil, nil)
        guard descriptor >= 0 else { throw HostileSocket.Failure(description: "nobody connected to the relay") }
        return HostileSocket(descriptor: descriptor)
    }

    /// Carries one connection to a port, until either end closes.
    /// - Parameter change: changes the initiator's message of this number, with its length before it. The `Hello` is
    ///   number 0, and 0 to 2 are the handshake. The result is sent on; nothing for `nil`.
    func carryOne(
        to port: UInt16, from source: String, change: @escaping @Sendable (Int, [UInt8]) -> [UInt8]?
    ) throws {
        let near = try accept()
        let far = try HostileSocket(to: port, from: source)
        for socket in [near, far] { socket.setPatience(60) }
        Thread.detachNewThread { [self] in
            while let framed = far.readFramed() {
                state.withLock { $0.fromResponder.append(framed) }
                guard near.write(framed) else { break }
            }
            shutdown(near.descriptor, Int32(SHUT_RDWR))
        }
        Thread.detachNewThread { [self] in
            var number = 0
            while let framed = near.readFramed() {
                state.withLock { $0.fromInitiator.append(framed) }
                if let changed = change(number, framed), !far.write(changed) { break }
                number += 1
            }
            shutdown(far.descriptor, Int32(SHUT_RDWR))
        }
    }
}
