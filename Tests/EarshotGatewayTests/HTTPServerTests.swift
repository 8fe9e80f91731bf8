import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Testing

@testable import EarshotGateway

@Suite("The server of the local API")
struct HTTPServerTests {
    /// Lends a server that answers each request with its method, its path and how long its body is.
    private func withServer<Result: Sendable>(_ body: @escaping @Sendable (String) async throws -> Result) async throws
        -> Result
    {
        let path = "/tmp/earshot-http-\(UUID().uuidString.prefix(8)).sock"
        let server = HTTPServer(
            socketPath: path, shutdown: GatewayLimits.shutdown, logger: Logger(label: "test")
        ) { request in
            guard case .bytes(let body) = request.body else { return Response(status: .payloadTooLarge) }
            return Response(
                status: .ok, body: ByteBuffer(string: "[\(request.method) \(request.path) \(body.readableBytes)]"))
        }
        let (listening, isListening) = AsyncStream<Void>.makeStream()
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await server.run { isListening.yield() }
                return nil
            }
            group.addTask {
                _ = await listening.first { true }
                return try await body(path)
            }
            defer { group.cancelAll() }
            while let result = try await group.next() { if let result { return result } }
            throw CancellationError()
        }
    }

    private func answers(_ text: String, finishes: Bool = false) async throws -> String {
        try await withServer {
            String(
                decoding: try await RawRequest.exchange(Array(text.utf8), with: $0, finishes: finishes), as: UTF8.self)
        }
    }

    @Test("answers requests that come at once one after the other, and closes when it is asked to")
    func pipelined() async throws {
        let answer = try await answers(
            "GET /one HTTP/1.1\r\nhost: x\r\n\r\nPOST /two HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi"
                + "GET /three HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        let (one, two, three) = (
            answer.range(of: "[GET /one 0]"), answer.range(of: "[POST /two 2]"), answer.range(of: "[GET /three 0]")
        )
        #expect(try #require(one).upperBound <= #require(two).lowerBound)
        #expect(try #require(two).upperBound <= #require(three).lowerBound)
        #expect(answer.contains("connection: close"))
    }

    @Test("answers a client that says it has sent all")
    func halfClosed() async throws {
        #expect(try await answers("GET /one HTTP/1.1\r\nhost: x\r\n\r\n", finishes: true).hasSuffix("[GET /one 0]"))
    }

    @Test("says how long the body is that a HEAD request does not get")
    func head() async throws {
        let answer = try await answers("HEAD /one HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        #expect(answer.contains("content-length: 13\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test("passes over the rest of a body that is too long, and answers what follows", arguments: [true, false])
    func tooLong(isAnnounced: Bool) async throws {
        let body = String(repeating: "x", count: GatewayLimits.bodyBytes + 1)
        let framed =
            isAnnounced
            ? "content-length: \(body.utf8.count)\r\n\r\n\(body)"
            : "transfer-encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
        let answer = try await answers(
            "POST /one HTTP/1.1\r\nhost: x\r\n\(framed)GET /two HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.hasSuffix("[GET /two 0]"))
    }

    @Test("tells a client that sends no HTTP so, and closes")
    func noHTTP() async throws {
        #expect(try await answers("\u{1}\u{2}\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
    }

    @Test("that ends closes a connection on which nothing is asked")
    func end() async throws {
        let closed = try await withServer { path in
            let (opened, isOpen) = AsyncStream<Void>.makeStream()
            let closed = Task {
                try await RawRequest.exchange(Array("GET /one HTTP/1.1\r\nhost: x\r\n\r\n".utf8), with: path) {
                    isOpen.yield()
                }
            }
            _ = await opened.first { true }
            return closed
        }
        #expect(String(decoding: try await closed.value, as: UTF8.self).hasSuffix("[GET /one 0]"))
    }
}
