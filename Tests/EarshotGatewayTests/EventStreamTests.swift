import Earshot
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("The event stream")
struct EventStreamTests {
    @Test("misses nothing that happens after it was opened, and gives the states in order")
    func order() async throws {
        try await TestNode.pair { alice, bob in
            let names: Set<EventName> = [.messageQueued, .messageSent, .messageDelivered]
            let seen = try await alice.client.withEvents(names) { events in
                let sent = try await alice.client.send("hello", to: "bob")
                var seen: [String] = []
                for try await event in events {
                    #expect((event.message?.id ?? event.stateChange?.messageID) == sent.id)
                    seen.append(event.name)
                    if event.name == "messageDelivered" { break }
                }
                return seen
            }
            #expect(seen == ["messageQueued", "messageSent", "messageDelivered"])
            withExtendedLifetime(bob) {}
        }
    }

    @Test("gives a client only the events that it asked for")
    func filter() async throws {
        try await TestNode.pair { alice, bob in
            let event = try await bob.client.withEvents([.messageReceived]) { events in
                _ = try await alice.client.send("hello", to: "bob")
                var iterator = events.makeAsyncIterator()
                return try #require(try await iterator.next())
            }
            #expect(event.name == "messageReceived")
            #expect(event.message?.text == "hello")
        }
    }

    @Test("gives a client what nobody wanted when it came, and goes on with what it wants from then on")
    func unwanted() async throws {
        try await TestNode.pair { alice, _ in
            let start = try await alice.node.journal.latest().description
            // The feed reads for this stream, and encodes none of it.
            let texts = try await alice.client.withEvents([.linkFailed]) { _ in
                _ = try await alice.client.send("before", to: "bob")
                return try await alice.client.withEvents([.messageQueued], after: start) { events in
                    _ = try await alice.client.send("after", to: "bob")
                    var texts: [String?] = []
                    for try await event in events where texts.count < 2 {
                        texts.append(event.message?.text)
                        if texts.count == 2 { break }
                    }
                    return texts
                }
            }
            #expect(texts == ["before", "after"])
        }
    }

    @Test("ends when the node ends, and does not hold it up")
    func shutdown() async throws {
        let (clients, lend) = AsyncStream<GatewayClient>.makeStream()
        let (opened, open) = AsyncStream<Void>.makeStream()
        async let stream: Void? = clients.first { _ in true }?.withEvents { events in
            open.yield()
            for try await _ in events {}
        }
        // A stream that went on would be cut off in the end, and its client told so.
        try await TestNode.with("alice", shutdown: patience) { alice in
            lend.yield(alice.client)
            _ = await opened.first { true }
        }
        #expect(try await stream != nil)
    }

    @Test("ends for a client that has finished before the stream begins")
    func finishedClient() async throws {
        try await TestNode.with("alice") { alice in
            let request = Array("GET /v1/events HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".utf8)
            let answer = try await RawRequest.exchange(request, with: alice.node.home.socketFile, finishes: true)
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("ends after as many events as a client wants, whether they come from the journal or as they happen")
    func counted() async throws {
        try await TestNode.pair { alice, _ in
            let start = try await alice.node.journal.latest()
            _ = try await alice.send(3)
            let request = RawRequest(path: "/v1/events?names=messageQueued&count=2&after=\(start)")
            let past = try await request.send(to: alice.node.home.socketFile)
            #expect(String(decoding: past.body, as: UTF8.self).matches(of: /event: messageQueued/).count == 2)

            let (begun, begin) = AsyncStream<Void>.makeStream()
            let head = "GET /v1/events?names=messageQueued&count=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
            async let answer = RawRequest.exchange(Array(head.utf8), with: alice.node.home.socketFile) { begin.yield() }
            _ = await begun.first { true }
            _ = try await alice.send(2)
            #expect(String(decoding: try await answer, as: UTF8.self).matches(of: /event: messageQueued/).count == 1)
        }
    }

    @Test("goes on after the last event that a client knows")
    func resumed() async throws {
        try await TestNode.pair { alice, bob in
            let start = try await alice.node.journal.latest()
            let sent = try await alice.send(3)
            func queued(after id: String?, _ count: Int) async throws -> [GatewayEvent] {
                try await alice.client.withEvents([.messageQueued], after: id) { events in
                    var queued: [GatewayEvent] = []
                    for try await event in events {
                        queued.append(event)
                        if queued.count == count { break }
                    }
                    return queued
                }
            }
            let all = try await queued(after: start.description, 3)
            #expect(all.compactMap(\.message?.id) == sent)
            #expect(try await queued(after: all[1].id, 1).map(\.message?.id) == [sent[2]])
        }
    }

    @Test("takes the id from the query, and rather from the header of a client that connects anew")
    func placeInRequest() async throws {
        try await TestNode.pair { alice, bob in
            let start = try await alice.node.journal.latest()
            let sent = try await alice.send(2)
            let feed = EventFeed(node: alice.node)
            let route = EventRoutes(node: alice.node, feed: feed).routes[0]
            /// What a stream says until the last message comes.
            @Sendable func text(lastEventID: String?) async throws -> String {
                let headers = lastEventID.map { ["last-event-id": $0] } ?? [:]
                let target = "/v1/events?names=messageQueued&after=\(start)"
                let request = Request(method: .GET, target: target, headers: HTTPHeaders(headers.map { ($0, $1) }))
                let response = try await route.respond(to: request, holding: HeldRequests())
                guard case .events(let stream) = response.body else { return "" }
                var text = ""
                try await stream.write { buffer in
                    text += String(buffer: buffer)
                    if text.contains(sent[1]) { stream.finish() }
                }
                return text
            }
            try await Self.with(feed) {
                let all = try await text(lastEventID: nil)
                #expect(all.hasPrefix(": earshot events\nid: \(start)\n\n") && all.contains(sent[0]))
                let id = try #require(all.firstMatch(of: /id: (\S+)\nevent: messageQueued/)?.output.1)
                #expect(try await !text(lastEventID: String(id)).contains(sent[0]))
                // A client that has none yet says so (WHATWG HTML, section 9.2.4).
                #expect(try await text(lastEventID: "").contains(sent[0]))
            }
        }
    }

    @Test("refuses what is not the id of an event", arguments: ["", "7", "00000000000000ab.7"])
    func invalidID(text: String) async throws {
        try await TestNode.with("alice") { alice in
            let socket = alice.node.home.socketFile
            let byQuery = try await RawRequest(path: "/v1/events?after=\(text)").send(to: socket)
            #expect(byQuery.status == 400)
            // Also where it does not count, because the header says another one.
            let start = try await alice.node.journal.latest()
            let beside = try await RawRequest(
                path: "/v1/events?after=\(text)&count=1", headers: ["last-event-id: \(start)"]
            ).send(to: socket)
            #expect(beside.status == 400)
            guard !text.isEmpty else { return }
            let error = await #expect(throws: GatewayError.self) {
                try await alice.client.withEvents(after: text) { _ in }
            }
            #expect(error?.code == .invalidRequest && error?.parameters.name == "Last-Event-ID")
        }
    }

    @Test("says first what is gone, and then all that is left")
    func gone() async throws {
        try await TestNode.pair { alice, bob in
            let foreign = try await bob.node.journal.latest()
            let first = try await alice.client.withEvents(after: foreign.description) { events in
                var iterator = events.makeAsyncIterator()
                return [try await iterator.next(), try await iterator.next()]
            }
            #expect(first.map(\.?.name) == ["eventsGone", "userDiscovered"])
            #expect(first[0]?.id == nil && first[0]?.first != nil && first[0]?.first == first[1]?.id)
        }
    }

    @Test("gives a client that is slow all that the journal has, and only once")
    func slow() async throws {
        try await TestNode.pair { alice, bob in
            let feed = EventFeed(node: alice.node, window: EventWindow(countLimit: 2))
            let stream = EventStream(
                feed: feed, node: alice.node, names: [.messageQueued], after: try await alice.node.journal.latest())
            try await Self.with(feed) {
                var sent: [String] = []
                var seen: [String] = []
                try await stream.write { buffer in
                    // While this client reads nothing, more happens than the feed keeps.
                    if sent.isEmpty { sent = try await alice.send(8) }
                    let text = String(buffer: buffer)
                    seen += sent.filter { text.contains("\"id\":\"\($0)\"") }
                    if seen.count == sent.count { stream.finish() }
                }
                #expect(seen == sent)
            }
        }
    }

    @Test("gives nothing more once it is finished, though it has yet to catch up")
    func finishedBehind() async throws {
        try await TestNode.pair { alice, bob in
            let feed = EventFeed(node: alice.node)
            let stream = EventStream(
                feed: feed, node: alice.node, names: [.messageQueued], after: try await alice.node.journal.latest())
            let sent = try await alice.send(3)
            try await Self.with(feed) {
                var text = ""
                try await stream.write { buffer in
                    text += String(buffer: buffer)
                    if text.contains(sent[0]) { stream.finish() }
                }
                #expect(text.matches(of: /event: messageQueued/).count == 1)
            }
        }
    }

    @Test("gives what was written before the node stopped, and then ends")
    func stopped() async throws {
        try await TestNode.with("alice") { alice in
            let feed = EventFeed(node: alice.node)
            let stream = EventStream(
                feed: feed, node: alice.node, names: [.nodeStateChanged], after: try await alice.node.journal.latest())
            try await Self.with(feed) {
                var text = ""
                try await stream.write { buffer in
                    if text.isEmpty { await alice.node.stop() }
                    text += String(buffer: buffer)
                }
                #expect(text.contains("\"nodeState\":\"stopped\""))
            }
            // One that begins now ends at once.
            let late = EventStream(
                feed: feed, node: alice.node, names: [.userDiscovered], after: try await alice.node.journal.latest())
            try await late.write { _ in }
        }
    }

    @Test("goes on for a stream that begins after all others have ended")
    func again() async throws {
        try await TestNode.pair { alice, bob in
            let feed = EventFeed(node: alice.node)
            try await Self.with(feed) {
                for _ in 0..<3 {
                    let stream = EventStream(
                        feed: feed, node: alice.node, names: [.messageQueued],
                        after: try await alice.node.journal.latest())
                    let sent = try await alice.send(1)[0]
                    try await stream.write { if String(buffer: $0).contains(sent) { stream.finish() } }
                    // The feed notices by an event that nobody is left.
                    _ = try await alice.send(1)
                }
            }
        }
    }

    /// Lends a feed that reads.
    private static func with(_ feed: EventFeed, _ body: () async throws -> Void) async throws {
        async let _: Void = feed.run()
        try await body()
    }

    @Test("says with each message when it reached its states")
    func times() async throws {
        try await TestNode.pair { alice, bob in
            let sent = try await alice.client.send("hello", to: "bob")
            try await alice.wait(for: "delivered", of: sent.id)
            let recipient = try #require(try await alice.client.message(sent.id).recipients.first)
            #expect(recipient.sentAt != nil && recipient.deliveredAt != nil && recipient.readAt == nil)
            #expect(recipient.sentAt == recipient.sentAtMilliseconds.map(Timestamp.text))
            let received = try await bob.client.message(sent.id)
            #expect(received.receivedAt != nil && received.receivedAtMilliseconds != nil)
            #expect(received.recipients.first?.deliveredAt == nil)
            try await bob.client.markRead(upTo: sent.id, with: "alice")
            try await alice.wait(for: "read", of: sent.id)
            #expect(try await alice.client.message(sent.id).recipients.first?.readAt != nil)
        }
    }
}

extension TestNode {
    /// Sends so many messages to Bob.
    /// - Returns: their ids.
    fileprivate func send(_ count: Int) async throws -> [String] {
        var ids: [String] = []
        for number in 1...count { ids.append(try await client.send("\(number)", to: "bob").id) }
        return ids
    }
}
