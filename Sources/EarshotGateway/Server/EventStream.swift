import Earshot
import NIOCore

/// Writes the events of a node to one client.
///
/// Events that the journal keeps come once and in order, whatever becomes of the connection: first those after the last
/// one that the client knows, from the journal, and then those from the feed. Other events come as they happen.
final class EventStream: Sendable {
    private let feed: EventFeed
    private let node: Node
    private let names: Set<EventName>
    private let start: EventID
    /// How many events it writes; `nil` for as many as there are.
    private let count: Int?
    /// Which of them its client may hear.
    private let hearing: Access.Hearing
    private let seat: EventFeed.Seat

    /// Begins the stream: nothing that happens from now on is missed.
    /// - Parameters:
    ///   - start: the last event of the journal that the client knows.
    ///   - count: after how many events it ends; `nil` for never.
    ///   - hearing: which of them the client may hear.
    init(
        feed: EventFeed, node: Node, names: Set<EventName>, after start: EventID, count: Int? = nil,
        hearing: Access.Hearing = .everything
    ) {
        (self.feed, self.node, self.start, self.count) = (feed, node, start, count)
        self.hearing = hearing
        self.names = names.union([.eventsLost])
        seat = feed.join(self.names)
    }

    deinit { finish() }

    /// Ends the stream, from any thread. Nothing is written after that but what is being written.
    func finish() { feed.leave(seat.number) }

    /// Writes until the node has stopped or the stream is finished.
    func write(_ write: (ByteBuffer) async throws -> Void) async throws {
        var (place, known, eventsLeft) = (seat.begin, start, count)
        func send(_ text: EventText) async throws {
            // Events that were read before the stream was finished are not for its client any more.
            guard feed.isOpen(seat.number) else { return }
            switch text {
            case .comment(let bytes): try await write(bytes)
            case .event(let bytes):
                try await write(bytes)
                eventsLeft = eventsLeft.map { $0 - 1 }
                if eventsLeft == 0 { finish() }
            }
        }
        try await send(.beginning(at: start))
        for await _ in seat.changes {
            while let step = feed.next(seat.number, at: &place) {
                switch step {
                case .write(let items): for item in items { try await self.write(item, &known, send) }
                case .readJournal(let lost):
                    if lost > 0 { try await report(lost, send) }
                    try await catchUp(&known, send)
                }
            }
        }
    }

    private func write(
        _ item: EventWindow.Item, _ known: inout EventID, _ send: (EventText) async throws -> Void
    ) async throws {
        switch item.content {
        case .heartbeat: try await send(.heartbeat(at: known))
        case .journalChanged: try await catchUp(&known, send)
        case .omitted(let name, let id):
            guard id.follows(known) else { return }
            if names.contains(name) { try await catchUp(&known, send) } else { known = id }
        case .event(let name, let id):
            if let id {
                // The client has it from the journal already.
                guard id.follows(known) else { return }
                known = id
            }
            if names.contains(name), hearing.includes(name, draftedBy: item.draftedBy) {
                try await send(.event(hearing.isWhole ? item.bytes : item.told ?? item.bytes))
            }
        }
    }

    private func report(_ lost: Int, _ send: (EventText) async throws -> Void) async throws {
        for _ in 0..<lost { node.events.noteLost() }
        try await send(try .event(await Representer(node: node).event(.eventsLost(count: lost))))
    }

    /// Writes what the journal has after the last event that the client knows.
    private func catchUp(_ known: inout EventID, _ send: (EventText) async throws -> Void) async throws {
        var place: EventID? = known
        while feed.isOpen(seat.number) {
            switch try await node.journal.page(after: place) {
            case .gone(let first):
                try await send(try .event(.gone(before: first)))
                place = nil
            case .events(let events, let end):
                for entry in events where names.contains(entry.event.name) {
                    guard hearing.includes(entry.event.name, draftedBy: entry.event.draft?.insertedBy) else { continue }
                    let event = await Representer(node: node).event(entry.event, id: entry.id)
                    try await send(try .event(hearing.isWhole ? event : event.told))
                }
                guard end != place else { return }
                (place, known) = (end, end)
            }
        }
    }
}
