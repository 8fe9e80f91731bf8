import Foundation
import Testing

/// A request byte by byte, as no client library would let us write it.
struct RawRequest: Sendable {
    var method = "GET"
    let path: String
    var body: [UInt8] = []
    /// Lines of the head, beside those that every request has.
    var headers: [String] = []

    struct Response: Sendable {
        let status: Int
        let head: String
        let body: Data

        fileprivate init(_ answer: Data) throws {
            let end = try #require(answer.firstRange(of: Data("\r\n\r\n".utf8)))
            head = String(decoding: answer[..<end.lowerBound], as: UTF8.self)
            status = try #require(head.split(separator: " ").dropFirst().first.flatMap { Int($0) })
            body = answer[end.upperBound...]
        }

        /// What the error that the body reports is about.
        func errorParameters() throws -> [String: Any] {
            let object = try #require(try JSONSerialization.jsonObject(with: body) as? [String: [String: Any]])
            return object["error"]?["parameters"] as? [String: Any] ?? [:]
        }

        func decoded<Value: Decodable>() throws -> Value { try JSONDecoder().decode(Value.self, from: body) }

        /// The error that the body reports.
        func error() throws -> (code: String, message: String) {
            let object = try #require(try JSONSerialization.jsonObject(with: body) as? [String: [String: Any]])
            let error = try #require(object["error"])
            return (try #require(error["code"] as? String), try #require(error["message"] as? String))
        }
    }

    func send(to socketPath: String) async throws -> Response {
        try Response(await RawConnection(socketPath).exchange(bytes(host: "localhost")))
    }

    func send(toPort port: Int) async throws -> Response {
        try Response(await RawConnection(port: port).exchange(bytes(host: "127.0.0.1:\(port)")))
    }

    private func bytes(host: String) -> [UInt8] {
        let lines =
            ["\(method) \(path) HTTP/1.1", "connection: close", "content-length: \(body.count)"]
            + (headers.contains { $0.hasPrefix("host:") } ? [] : ["host: \(host)"]) + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// Sends bytes, and gives all that comes until the server closes the connection.
    static func exchange(
        _ bytes: [UInt8], with socketPath: String, finishes: Bool = false,
        onAnswer: @escaping @Sendable () -> Void = {}
    ) async throws -> Data {
        try await RawConnection(socketPath).exchange(bytes, finishes: finishes, onAnswer: onAnswer)
    }
}
