import Foundation

/// A TCP connection to loopback that sends whatever an attack wants.
final class HostileSocket: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        setPatience(10)
    }

    /// - Parameter source: the address that it comes from, within 127.0.0.0/8.
    init(to port: UInt16, from source: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "no socket: errno \(errno)") }
        setPatience(10)
        var status = Self.call(source, 0) { bind(descriptor, $0, $1) }
        if status == 0 { status = Self.call("127.0.0.1", port) { connect(descriptor, $0, $1) } }
        guard status == 0 else { throw Failure(description: "cannot connect from \(source): errno \(errno)") }
    }

    deinit { close(descriptor) }

    static func call(_ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
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

    /// How many seconds a read or a write waits.
    func setPatience(_ seconds: Int) {
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// - Returns: whether all of it went out before the patience ended or the other end closed.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Reads at most this many bytes; empty if the other end has closed.
    /// - Returns: `nil` if nothing came within the patience.
    func read(upTo limit: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        if count > 0 { return Array(buffer[..<count]) }
        return count == 0 || errno != EAGAIN ? [] : nil
    }

    /// Reads exactly so many bytes.
    /// - Returns: `nil` if the other end closed before that, or was silent.
    func read(exactly count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = read(upTo: count - bytes.count), !more.isEmpty else { return nil }
            bytes += more
        }
        return bytes
    }

    /// Reads one message as it came: with its length, or a refusal record.
    func readFramed() -> [UInt8]? {
        guard let length = read(exactly: 2) else { return nil }
        let count = Int(length[0]) << 8 | Int(length[1])
        return read(exactly: count == 0 ? 2 : count).map { length + $0 }
    }

    /// Reads one message without its length: a Noise message, or the three bytes that follow a length of zero.
    func readMessage() -> [UInt8]? { readFramed().map { Array($0.dropFirst(2)) } }

    /// Reads until the other end closes.
    /// - Returns: `nil` if it does not, within the patience.
    func readToEnd() -> [UInt8]? {
        var all: [UInt8] = []
        while true {
            guard let more = read() else { return nil }
            if more.isEmpty { return all }
            all += more
        }
    }

    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }

    static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
    }
}
