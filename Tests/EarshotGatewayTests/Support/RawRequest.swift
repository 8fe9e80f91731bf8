import Foundation
import Testing

/// A request byte by byte, as no client library would let us write it.
struct RawRequest: Sendable {
    var method = "GET"
    let path: String
    var body: [UInt8] = []

    struct Response: Sendable {
        let status: Int
        let body: Data

        /// The error that the body reports.
        func error() throws -> (code: String, message: String) {
            let object = try #require(try JSONSerialization.jsonObject(with: body) as? [String: [String: Any]])
            let error = try #require(object["error"])
            return (try #require(error["code"] as? String), try #require(error["message"] as? String))
        }
    }

    func send(to socketPath: String) async throws -> Response {
        let head =
            "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
            + "content-length: \(body.count)\r\n\r\n"
        let answer = try await Self.exchange(Array(head.utf8) + body, with: socketPath)
        let text = String(decoding: answer, as: UTF8.self)
        let status = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        let end = try #require(answer.firstRange(of: Data("\r\n\r\n".utf8)))
        return Response(status: status, body: answer[end.upperBound...])
    }

    /// Sends bytes, and gives all that comes until the server closes the connection.
    /// - Parameters:
    ///   - finishes: whether the client says that it has sent all.
    ///   - onAnswer: called when the first bytes of an answer have come.
    static func exchange(
        _ bytes: [UInt8], with socketPath: String, finishes: Bool = false,
        onAnswer: @escaping @Sendable () -> Void = {}
    ) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            // A thread of its own, because it waits: the node under test needs those of the shared pools.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try exchangeNow(bytes, socketPath, finishes: finishes, onAnswer: onAnswer) })
            }
        }
    }

    private static func exchangeNow(
        _ bytes: [UInt8], _ socketPath: String, finishes: Bool, onAnswer: () -> Void
    ) throws -> Data {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(connected == 0)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // The node may answer and close before it has read a body that is too long.
            guard count > 0 else { break }
            sent += count
        }
        if finishes { shutdown(descriptor, Int32(SHUT_WR)) }
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return answer }
            if answer.isEmpty { onAnswer() }
            answer.append(contentsOf: buffer[..<count])
        }
    }
}
