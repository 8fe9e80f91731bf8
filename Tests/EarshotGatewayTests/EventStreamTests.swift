import Earshot
import Foundation
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

    @Test("tells a slow client how many events it lost, at the place where they are missing")
    func lost() async throws {
        let bus = EventBus()
        let feed = EventFeed(bus, names: [.storageFailed], limit: 2)
        for number in 0..<5 { feed.offer(.storageFailed("\(number)")) }
        var items = feed.items.makeAsyncIterator()
        #expect(await items.next()?.event == .storageFailed("0"))
        #expect(await items.next()?.event == .storageFailed("1"))
        feed.offer(.storageFailed("5"))
        #expect(await items.next()?.event == .eventsLost(count: 3))
        #expect(await items.next()?.event == .storageFailed("5"))
    }

    @Test("tells of lost events even if nothing follows them")
    func lostAtTheEnd() async throws {
        let feed = EventFeed(EventBus(), names: [.storageFailed], limit: 1)
        for number in 0..<3 { feed.offer(.storageFailed("\(number)")) }
        var items = feed.items.makeAsyncIterator()
        #expect(await items.next()?.event == .storageFailed("0"))
        feed.beat()
        #expect(await items.next()?.event == .eventsLost(count: 2))
    }
}

extension EventFeed.Item {
    fileprivate var event: Event? { if case .event(let event) = self { event } else { nil } }
}
