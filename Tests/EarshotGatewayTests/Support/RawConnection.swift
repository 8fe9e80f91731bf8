import Foundation
import TestSupport
import Testing

/// A connection to a server, byte by byte, as no client library would let us have it.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects to a Unix socket.
    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
    }

    /// Connects to a TCP port on loopback.
    init(port: Int) throws { descriptor = try LoopbackConnection.open(to: UInt16(port)) }

    deinit { close(descriptor) }

    /// Sends bytes, and reads nothing.
    func begin(_ request: String) async throws {
        try await onThread("a connection that takes bytes") { _ = self.send(Array(request.utf8)) }
    }

    /// Goes without having read an answer.
    func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends a request, and gives the answer to it; an empty one if the connection ends.
    func ask(_ request: String) async throws -> String {
        try await onThread("an answer") {
            self.send(Array(request.utf8))
            var answer = Data()
            while !Self.isWhole(answer), let piece = self.receive() { answer += piece }
            return String(decoding: answer, as: UTF8.self)
        }
    }

    /// Sends bytes, and gives all that comes until the server closes the connection.
    /// - Parameters:
    ///   - finishes: whether the client says that it has sent all.
    ///   - onAnswer: called when the first bytes of an answer have come.
    func exchange(
        _ bytes: [UInt8], finishes: Bool = false, onAnswer: @escaping @Sendable () -> Void = {}
    ) async throws -> Data {
        try await onThread("the end of the connection") {
            self.send(bytes)
            if finishes { shutdown(self.descriptor, Int32(SHUT_WR)) }
            var answer = Data()
            while let piece = self.receive() {
                if answer.isEmpty { onAnswer() }
                answer += piece
            }
            return answer
        }
    }

    /// Sends a head, and then a piece again and again, and only then reads.
    /// - Returns: how many bytes the other side, or the system for it, has taken, and all that it answered.
    func flood(_ head: String, with piece: [UInt8], atMost limit: Int) async throws -> (taken: Int, answer: String) {
        try await onThread("the end of the connection") {
            var taken = self.send(Array(head.utf8))
            while taken < limit {
                let sent = self.send(piece)
                taken += sent
                guard sent == piece.count else { break }
            }
            var answer = Data()
            while let received = self.receive() { answer += received }
            return (taken, String(decoding: answer, as: UTF8.self))
        }
    }

    /// - Returns: how many bytes were sent: fewer where the other side has closed the connection.
    @discardableResult
    private func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // The node may answer and close before it has read a body that is too long.
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// The first bytes of an answer, which are there to be read again.
    func peek() async throws -> String {
        try await onThread("the first bytes of an answer") {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = recv(self.descriptor, &buffer, buffer.count, Int32(MSG_PEEK))
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
    }

    private func receive() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Data(buffer[..<count]) : nil
    }

    /// Whether an answer has as many bytes as its head says.
    private static func isWhole(_ answer: Data) -> Bool {
        guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }?.dropFirst(16)
        return answer.count - end.upperBound >= length.flatMap { Int($0) } ?? 0
    }
}
