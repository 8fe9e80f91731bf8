import Earshot
import Foundation
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("The server of the local API")
struct HTTPServerTests {
    /// Lends a server that answers each request with its method, its path and how long its body is.
    private func withServer<Result: Sendable>(
        connectionLimit: Int = GatewayLimits.connections, shutdown: Duration = GatewayLimits.shutdown,
        respond: @escaping @Sendable (Request) async -> Response = { await Self.echo($0) },
        _ body: @escaping @Sendable (String) async throws -> Result
    ) async throws -> Result {
        let path = "/tmp/earshot-http-\(UUID().uuidString.prefix(8)).sock"
        let server = HTTPServer(
            address: .socket(path), connectionLimit: connectionLimit, shutdown: shutdown, logger: Logger(label: "test"),
            admit: { _, _ in .owner }, intake: { _ in nil }, respond: respond,
            observe: { [judge = try DocumentJudge.shared.get()] in if $1.status.code >= 400 { judge?.check($0, $1) } })
        let (listening, isListening) = AsyncStream<Void>.makeStream()
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await server.run { _ in isListening.yield() }
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

    @Sendable private static func echo(_ request: Request) async -> Response {
        .text("[\(request.method) \(request.path) \(request.body.readableBytes)]", contentType: "text/plain")
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

    @Test("answers a body that is too long as soon as it knows, and closes", arguments: [true, false])
    func tooLong(isAnnounced: Bool) async throws {
        let body = String(repeating: "x", count: GatewayLimits.bodyBytes + 1)
        let framed =
            isAnnounced
            ? "content-length: 10000000000\r\n\r\n"
            : "transfer-encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)"
        let answer = try await answers("POST /one HTTP/1.1\r\nhost: x\r\n\(framed)")
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.contains("connection: close\r\n"))
        #expect(answer.contains(#"{"error":{"code":"tooLarge""#))
    }

    @Test("takes little of a body that does not end, and the client still hears why", arguments: [true, false])
    func endless(isAnnounced: Bool) async throws {
        let framing = isAnnounced ? "content-length: 10000000000" : "transfer-encoding: chunked"
        let piece = "100000\r\n" + String(repeating: "x", count: 1 << 20) + "\r\n"
        let (taken, answer) = try await withServer { path in
            try await RawConnection(path).flood(
                "POST /one HTTP/1.1\r\nhost: x\r\n\(framing)\r\n\r\n", with: Array(piece.utf8), atMost: 256 << 20)
        }
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        // The rest is what the system holds for a connection.
        #expect(taken < GatewayLimits.bodyBytes + GatewayLimits.lingerBytes + 8 << 20)
    }

    @Test("writes all of a long answer before it closes, also to a client that has sent all", arguments: [true, false])
    func longAnswer(finishes: Bool) async throws {
        let count = 16 << 20
        let answer = try await withServer(
            respond: { _ in .text(String(repeating: "x", count: count), contentType: "text/plain") },
            { path in
                try await RawRequest.exchange(
                    Array("GET /one HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".utf8), with: path,
                    finishes: finishes)
            })
        let end = try #require(answer.firstRange(of: Data("\r\n\r\n".utf8)))
        #expect(answer.count - end.upperBound == count)
    }

    @Test("tells a client that waits for it to send the body, and not one whose body is too long")
    func awaitedBody() async throws {
        let head = "POST /one HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nconnection: close\r\n"
        let answer = try await answers("\(head)content-length: 2\r\n\r\nhi")
        #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("[POST /one 2]"))
        #expect(try await answers("\(head)content-length: 10000000000\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
    }

    /// Requests that are wrong in a way that the parser, or this server before it reads a body, must notice.
    static let wrongRequests: [(name: String, request: String)] = [
        ("bytes that are no HTTP", "\u{1}\u{2}\r\n\r\n"),
        ("a body without its beginning", "hello\r\n\r\n"),
        ("another version", "GET /one HTTP/3.7\r\nhost: x\r\n\r\n"),
        ("no host", "GET /one HTTP/1.1\r\n\r\n"),
        ("no host, in HTTP/1.0", "GET /one HTTP/1.0\r\n\r\n"),
        ("two hosts", "GET /one HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n"),
        ("a header without a name", "GET /one HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n"),
        ("a header that goes on in another line", "GET /one HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n"),
        ("a length that is no number", "POST /one HTTP/1.1\r\nhost: x\r\ncontent-length: two\r\n\r\nhi"),
        ("a length below zero", "POST /one HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n"),
        ("a length past any number", "POST /one HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n"),
        ("two lengths", "POST /one HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nhi!"),
        (
            "a length, and chunks",
            "POST /one HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        ("an unknown transfer encoding", "POST /one HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\n\r\nhi"),
        (
            "two transfer encodings",
            "POST /one HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
        ),
        ("an unknown expectation", "POST /one HTTP/1.1\r\nhost: x\r\nexpect: tea\r\ncontent-length: 2\r\n\r\nhi"),
        ("a chunk size that is no number", "\(chunked)zz\r\nhi\r\n0\r\n\r\n"),
        ("a chunk size below zero", "\(chunked)-2\r\nhi\r\n0\r\n\r\n"),
        ("a chunk size past any number", "\(chunked)fffffffffffffffff\r\nhi\r\n0\r\n\r\n"),
        ("a chunk longer than its size", "\(chunked)2\r\nhi!!\r\n0\r\n\r\n"),
        ("a chunk without its end", "\(chunked)2\r\nhi0\r\n\r\n"),
        ("5,000 trailers", "\(chunked)0\r\n" + (0..<5000).map { "t\($0): x\r\n" }.joined() + "\r\n"),
        ("a body that ends early", "POST /one HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhi"),
        ("a chunk that ends early", "\(chunked)5\r\nhi"),
        ("a head that ends early", "GET /one HTTP/1.1\r\nhost: x"),
    ]

    private static let chunked = "POST /one HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"

    @Test("tells a client in the form of all errors what is wrong with its HTTP, and closes", arguments: wrongRequests)
    func malformed(name: String, request: String) async throws {
        let answer = try await answers(request, finishes: true)
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        #expect(answer.contains(#"{"error":{"code":"invalidRequest","message":""#), "\(answer)")
        #expect(answer.contains("connection: close\r\n") && answer.hasSuffix("}"), "\(answer)")
    }

    @Test("tells a client that its headers are too long", arguments: [1, 1000])
    func headers(count: Int) async throws {
        let fields = String(repeating: "x: \(String(repeating: "y", count: 1_000_000 / count))\r\n", count: count)
        let answer = try await answers("GET /one HTTP/1.1\r\nhost: x\r\n\(fields)\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 431 "))
        #expect(answer.contains(#""code":"headersTooLarge""#))
    }

    @Test("takes a few trailers after a body")
    func trailers() async throws {
        let answer = try await answers("\(Self.chunked)2\r\nhi\r\n0\r\na: b\r\n\r\n", finishes: true)
        #expect(answer.hasSuffix("[POST /one 2]"))
    }

    @Test("answers a request that also asks for another protocol, and closes")
    func upgrade() async throws {
        let answer = try await answers("GET /one HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n")
        #expect(answer.contains("connection: close\r\n") && answer.hasSuffix("[GET /one 0]"))
    }

    /// Which one gives way depends on when the server knows that they have read their answers: `OpenConnectionsTests`.
    @Test("closes a connection that waits for a request, for one more than it has places for")
    func places() async throws {
        try await withServer(connectionLimit: 2) { path in
            let (first, second) = (try RawConnection(path), try RawConnection(path))
            #expect(try await first.ask("GET /one HTTP/1.1\r\nhost: x\r\n\r\n").hasSuffix("[GET /one 0]"))
            #expect(try await second.ask("GET /two HTTP/1.1\r\nhost: x\r\n\r\n").hasSuffix("[GET /two 0]"))
            let third = try RawConnection(path)
            #expect(try await third.ask("GET /three HTTP/1.1\r\nhost: x\r\n\r\n").hasSuffix("[GET /three 0]"))
            let answers = [
                try await first.ask("GET /four HTTP/1.1\r\nhost: x\r\n\r\n"),
                try await second.ask("GET /five HTTP/1.1\r\nhost: x\r\n\r\n"),
            ]
            #expect(answers.count(where: \.isEmpty) == 1)
        }
    }

    @Test("refuses one more at once where every other has a request under way, and takes the next when one ends")
    func allBusy() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        try await withServer(
            connectionLimit: 2,
            respond: { request in
                begin.yield()
                if request.path == "/slow" { _ = await ends.first { true } }
                return await Self.echo(request)
            }
        ) { path in
            defer { end.finish() }
            var starts = begun.makeAsyncIterator()
            async let one = RawConnection(path).ask("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n")
            _ = await starts.next()
            async let two = RawConnection(path).ask("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n")
            _ = await starts.next()
            let refused = try await RawConnection(path).ask("")
            #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains(#""code":"overloaded""#))
            end.yield()
            end.yield()
            _ = try await (one, two)
            #expect(
                try await RawConnection(path).ask("GET /next HTTP/1.1\r\nhost: x\r\n\r\n").hasSuffix("[GET /next 0]"))
        }
    }

    @Test("has the places again of clients that left before they were answered")
    func left() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        try await withServer(
            connectionLimit: 2,
            respond: { request in
                begin.yield()
                if request.path == "/slow" { _ = await ends.first { true } }
                return await Self.echo(request)
            }
        ) { path in
            var starts = begun.makeAsyncIterator()
            for _ in 0..<2 {
                let connection = try RawConnection(path)
                try await connection.begin("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n")
                _ = await starts.next()
            }
            // Their connections end when the server hears of it.
            try await withDeadline("an answer", within: .seconds(20)) {
                while try await RawConnection(path).ask("GET /next HTTP/1.1\r\nhost: x\r\n\r\n")
                    .hasPrefix("HTTP/1.1 503 ")
                {}
            }
            end.yield()
            end.yield()
        }
    }

    @Test("gives the place of a client that stays after its last answer to one who asks something")
    func stayed() async throws {
        try await withServer(connectionLimit: 2) { path in
            let connections = [try RawConnection(path), try RawConnection(path)]
            for connection in connections {
                _ = try await connection.ask("GET /one HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            }
            let next = try await RawConnection(path).ask("GET /next HTTP/1.1\r\nhost: x\r\n\r\n")
            #expect(next.hasSuffix("[GET /next 0]"))
            withExtendedLifetime(connections) {}
        }
    }

    @Test("ends the answer that a client has waited for, when the client is gone")
    func goneClient() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let (never, _) = AsyncStream<Never>.makeStream()
        let router = Router(routes: [
            .get("/slow", isHeld: true) { _ in
                begin.yield()
                for await _ in never {}
                end.yield(Task.isCancelled)
                return .done
            }
        ])
        try await withServer(respond: { request in
            do { return try await router.respond(to: request) } catch { return Response(status: .internalServerError) }
        }) { path in
            let client = try RawConnection(path)
            try await client.begin("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n")
            _ = await begun.first { true }
            client.leave()
            try await withDeadline("the end of the answer") { #expect(await ended.first { _ in true } == true) }
        }
    }

    @Test("that ends closes a connection on which nothing is asked, and does not wait until it cuts off all")
    func end() async throws {
        let start = ContinuousClock.now
        let closed = try await withServer(shutdown: patience) { path in
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
        #expect(ContinuousClock.now - start < patience / 2)
    }

    @Test("listens before its socket is there: whoever finds it gets in")
    func ready() async throws {
        let path = "/tmp/earshot-http-\(UUID().uuidString.prefix(8)).sock"
        for _ in 0..<20 {
            let server = HTTPServer(
                address: .socket(path), logger: Logger(label: "test"), admit: { _, _ in .owner }, intake: { _ in nil },
                respond: { await Self.echo($0) })
            try await withThrowingTaskGroup { group in
                group.addTask { try await server.run { _ in } }
                // Not on a thread that the server needs.
                let failure = await withCheckedContinuation { (answer: CheckedContinuation<Int32, Never>) in
                    Thread.detachNewThread { answer.resume(returning: Self.firstFailure(at: path)) }
                }
                #expect(failure == ENOENT)
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    /// Connects again and again until it gets in.
    /// - Returns: why it did not before.
    private static func firstFailure(at path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        var failure: Int32 = ENOENT
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if result == 0 { return failure }
            if errno != ENOENT { failure = errno }
            sched_yield()
        }
        return ETIMEDOUT
    }

    @Test("knows whose process asks on loopback")
    func entrance() async throws {
        let (entrances, entered) = AsyncStream<Entrance>.makeStream()
        let server = HTTPServer(
            address: .loopback(port: 0), logger: Logger(label: "test"),
            admit: { _, entrance in
                entered.yield(entrance)
                return .owner
            }, intake: { _ in nil }, respond: { await Self.echo($0) })
        let (ports, listening) = AsyncStream<Int>.makeStream()
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run { if let port = $0 { listening.yield(port) } } }
            let port = try #require(await ports.first { _ in true })
            #expect(try await RawRequest(path: "/").send(toPort: port).status == 200)
            #expect(await entrances.first { _ in true } == .loopback(port: port, from: .own))
            group.cancelAll()
        }
    }
}
