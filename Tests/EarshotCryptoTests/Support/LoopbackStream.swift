import Glibc
import TestSupport

/// A connection on which every message is preceded by its length: two bytes, big-endian.
final class LoopbackStream {
    private let descriptor: Int32
    private static let patienceSeconds = 30

    init(owning descriptor: Int32) throws {
        self.descriptor = descriptor
        var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            let size = socklen_t(MemoryLayout<timeval>.size)
            _ = try PeerFailure.check(setsockopt(descriptor, SOL_SOCKET, option, &patience, size), "setsockopt")
        }
    }

    deinit { close(descriptor) }

    func send(_ message: [UInt8]) throws {
        guard let length = UInt16(exactly: message.count) else { throw PeerFailure("a message is too long to send") }
        let bytes = [UInt8(length >> 8), UInt8(length & 0xff)] + message
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            sent += try PeerFailure.check(count, "send")
        }
    }

    func receive() throws -> [UInt8] {
        let length = try receive(exactly: 2)
        return try receive(exactly: Int(length[0]) << 8 | Int(length[1]))
    }

    private func receive(exactly count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let part = bytes[received...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard try PeerFailure.check(part, "recv") > 0 else { throw PeerFailure("the peer closed the connection") }
            received += part
        }
        return bytes
    }
}
