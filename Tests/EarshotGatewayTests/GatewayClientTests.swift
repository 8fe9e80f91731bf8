import Earshot
import NIOHTTP1
import Testing

@testable import EarshotGateway

@Suite("A client of the local API")
struct GatewayClientTests {
    @Test("leaves open whether a message was accepted where the node ends before it answers")
    func lostSend() async throws {
        let node = try ScriptedNode { _ in }
        let client = try GatewayClient(home: node.home)
        let error = await #expect(throws: GatewayError.self) { _ = try await client.send("x", to: "bob") }
        #expect(error?.code == .connectionLost)
        #expect(error?.message.contains("it is not known whether the node has accepted the message") == true)
        #expect(error?.parameters.detail == .mayBeAccepted)
    }

    @Test("says that the connection was lost where the node ends before it gives its events")
    func lostStream() async throws {
        let node = try ScriptedNode { _ in }
        let client = try GatewayClient(home: node.home)
        await #expect {
            try await client.withEvents { for try await _ in $0 {} }
        } throws: {
            ($0 as? GatewayError)?.code == .connectionLost
        }
    }

    @Test("takes half an answer for none")
    func cutOff() async throws {
        let node = try ScriptedNode { $0.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"name\":") }
        let client = try GatewayClient(home: node.home)
        let error = await #expect(throws: GatewayError.self) { _ = try await client.status() }
        #expect(error?.code == .connectionLost)
    }

    @Test("waits for an answer no longer than it may, and hangs up", arguments: ["", "HTTP/1.1 200 OK\r\n\r\n{"])
    func timeout(beginning: String) async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let node = try ScriptedNode { connection in
            connection.write(beginning)
            connection.waitForEnd()
            end.yield()
        }
        let client = try GatewayClient(home: node.home)
        let error = await #expect(throws: GatewayError.self) {
            _ = try await client.read(.status, within: .milliseconds(50))
        }
        #expect(error?.code == .timedOut)
        #expect(error?.whileSending.message.contains("it is not known whether") == true)
        #expect(await ends.first { true } != nil)
    }

    @Test("reads no answer that is longer than its limit")
    func tooLong() async throws {
        let node = try ScriptedNode { connection in
            connection.write("HTTP/1.1 200 OK\r\ncontent-length: 101\r\n\r\n" + String(repeating: "x", count: 101))
            connection.waitForEnd()
        }
        let client = try GatewayClient(home: node.home)
        let error = await #expect(throws: GatewayError.self) { _ = try await client.read(.status, upTo: 100) }
        #expect(error?.code == .unexpectedResponse)
    }

    @Test("says the status of a refusal that has no reason in it")
    func refusal() async throws {
        let node = try ScriptedNode { $0.write("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n") }
        let client = try GatewayClient(home: node.home)
        let error = await #expect(throws: GatewayError.self) { _ = try await client.status() }
        #expect(error?.code == .unexpectedResponse)
        #expect(error?.message.contains("503") == true)
    }

    @Test("hangs up when its task is cancelled")
    func cancellation() async throws {
        let (heard, hear) = AsyncStream<Void>.makeStream()
        let node = try ScriptedNode { connection in
            hear.yield()
            connection.waitForEnd()
            hear.finish()
        }
        let client = try GatewayClient(home: node.home)
        let request = Task { try await client.status() }
        var steps = heard.makeAsyncIterator()
        #expect(await steps.next() != nil)
        request.cancel()
        await #expect(throws: GatewayError.self) { _ = try await request.value }
        #expect(await steps.next() == nil)
    }

    @Test("takes events no faster than they are looked at")
    func backpressure() async throws {
        let event = "data: \(String(repeating: "x", count: 64 * 1024))\n\n"
        let pieces = 1024
        let (counts, count) = AsyncStream<Int>.makeStream()
        let node = try ScriptedNode { connection in
            connection.write(.eventStream)
            var written = 0
            for _ in 0..<pieces {
                let taken = connection.write(event.chunk)
                written += taken
                guard taken > 0 else { break }
            }
            count.yield(written)
        }
        let client = try GatewayClient(home: node.home)
        let written = try await client.withEvents { _ in await counts.first { _ in true } }
        #expect(try #require(written) < pieces * event.utf8.count / 4)
    }

    @Test("tells a stream that has ended from one that was cut off", arguments: [true, false])
    func endOfEvents(isWhole: Bool) async throws {
        let node = try ScriptedNode { $0.write(.eventStream + (isWhole ? "0\r\n\r\n" : ": nothing\n\n".chunk)) }
        let client = try GatewayClient(home: node.home)
        var code: EarshotError.Code?
        do { try await client.withEvents { for try await _ in $0 {} } } catch let error as GatewayError {
            code = error.code
        }
        #expect(code == (isWhole ? nil : .connectionLost))
    }
}

extension HTTPRequest {
    fileprivate static let status = HTTPRequest(method: .GET, uri: "/v1/node")
}

extension String {
    fileprivate static let eventStream =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

    /// In chunked transfer coding (RFC 9112, section 7.1).
    fileprivate var chunk: String { "\(String(utf8.count, radix: 16))\r\n\(self)\r\n" }
}
