import Earshot
import NIOCore
import NIOHTTP1
import TestSupport
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

    @Test("reads an answer of no given length to the end of the connection")
    func noLength() async throws {
        let node = try ScriptedNode { $0.write("HTTP/1.1 200 OK\r\n\r\nall of it") }
        let answer = try await GatewayClient(home: node.home).read(.status)
        #expect(String(buffer: answer) == "all of it")
    }

    @Test(
        "takes nothing for an answer that a node does not give",
        arguments: [
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1\r\n\r\n",
            "SSH-2.0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
            String(repeating: "x", count: GatewayLimits.headerBytes + 1),
        ])
    func strangeAnswer(text: String) async throws {
        let node = try ScriptedNode { connection in
            connection.write(text)
            connection.waitForEnd()
        }
        let client = try GatewayClient(home: node.home)
        let error = await #expect(throws: GatewayError.self) { _ = try await client.status() }
        #expect(error?.code == .unexpectedResponse)
    }

    @Test("sends nothing that would end a line of its request", arguments: ["a\r\nb: c", "a\nb", "\0", "\u{7f}"])
    func lines(key: String) async throws {
        let client = try GatewayClient(socketPath: "/nowhere")
        let error = await #expect(throws: GatewayError.self) { _ = try await client.send("x", to: "bob", key: key) }
        #expect(error?.code == .invalidRequest)
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

    @Test("goes on after the last event that it was done with when the stream is cut off, and says so once")
    func follow() async throws {
        let again = Watched("")
        let events = ["id: a.1\n\n", "id: a.2\n".event("one"), "id: a.3\n".event("two")].map(\.chunk).joined()
        let node = try ScriptedNode {
            $0.write(.eventStream + events)
        } then: { connection in
            again.update { $0 = connection.head }
            connection.write(.eventStream + "id: a.3\n".event("two").chunk + "id: a.4\n".event("end").chunk)
            connection.waitForEnd()
        }
        let (client, losses) = (try GatewayClient(home: node.home), Watched(0))
        var names: [String] = []
        let end = try await client.withEvents([.linkFailed]) { events in
            try await events.follow(patience: patience) {
                losses.update { $0 += 1 }
            } onReturn: {
                names.append("back")
            } _: { event in
                names.append(event.name)
                // The node dies while this asks it about the second event.
                if names == ["one", "two"] { throw GatewayError(.connectionLost, "no answer") }
                return event.name == "end" ? event.name : nil
            }
        }
        #expect(end == "end" && names == ["one", "two", "back", "two", "end"] && losses.value == 1)
        #expect(again.value.hasPrefix("GET /v1/events?names=linkFailed "))
        #expect(again.value.contains("\r\nlast-event-id: a.2\r\n"))
    }

    @Test("goes on where a stream began that was cut off before its first event")
    func followFromBeginning() async throws {
        let node = try ScriptedNode {
            $0.write(.eventStream + ": hello\nid: a.1\n\n".chunk)
        } then: { connection in
            let isKnown = connection.head.contains("\r\nlast-event-id: a.1\r\n")
            connection.write(.eventStream + "".event(isKnown ? "known" : "unknown").chunk)
            connection.waitForEnd()
        }
        let name = try await GatewayClient(home: node.home).withEvents { events in
            try await events.follow(patience: patience) { $0.name }
        }
        #expect(name == "known")
    }

    @Test("does not wait for a node that nobody starts again, or that has ended its events", arguments: [true, false])
    func followToEnd(isWhole: Bool) async throws {
        let node = try ScriptedNode { $0.write(.eventStream + (isWhole ? "0\r\n\r\n" : "")) }
        let client = try GatewayClient(home: node.home)
        var code: EarshotError.Code?
        do {
            let end: Never? = try await client.withEvents { try await $0.follow(patience: .zero) { _ in nil } }
            #expect(end == nil)
        } catch let error as GatewayError { code = error.code }
        #expect(code == (isWhole ? nil : .connectionLost))
    }
}

extension HTTPRequest {
    fileprivate static let status = HTTPRequest(method: .GET, uri: "/v1/node")
}

extension String {
    fileprivate static let eventStream =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

    /// These fields, and the data of an event.
    fileprivate func event(_ name: String) -> String { "\(self)data: {\"name\":\"\(name)\"}\n\n" }

    /// In chunked transfer coding (RFC 9112, section 7.1).
    fileprivate var chunk: String { "\(String(utf8.count, radix: 16))\r\n\(self)\r\n" }
}
