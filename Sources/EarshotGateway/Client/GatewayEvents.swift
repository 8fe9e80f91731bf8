import Earshot
import Foundation
import NIOCore
import Synchronization

/// The events of a node as they happen. They can be iterated once, and end when the node does.
///
/// Iterating throws `GatewayError` if the connection breaks, and `CancellationError`. `follow` goes on after that.
package struct GatewayEvents: AsyncSequence, Sendable {
    package typealias Element = GatewayEvent

    /// Where a client is in the node's journal.
    private final class Place: Sendable {
        let id = Mutex<String?>(nil)
    }

    let client: GatewayClient
    let names: Set<EventName>?
    let body: HTTPConnection.Body
    private let place = Place()

    init(client: GatewayClient, names: Set<EventName>?, body: HTTPConnection.Body) {
        self.client = client
        self.names = names
        self.body = body
    }

    /// The id of the last event that was taken, or of a later one that was not asked for; `nil` before the node has
    /// given any.
    package var lastID: String? { place.id.withLock(\.self) }

    package func makeAsyncIterator() -> AsyncIterator {
        let place = place
        return AsyncIterator(body: body.makeAsyncIterator()) { id in place.id.withLock { $0 = id } }
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        var body: HTTPConnection.Body.AsyncIterator
        private var parser = ServerSentEventParser()
        private let note: @Sendable (String?) -> Void

        init(body: HTTPConnection.Body.AsyncIterator, note: @escaping @Sendable (String?) -> Void) {
            self.body = body
            self.note = note
        }

        package mutating func next() async throws -> GatewayEvent? {
            while true {
                let data = try parser.next()
                note(parser.lastEventID)
                if let data { return try Self.decode(data) }
                do {
                    guard let buffer = try await body.next() else {
                        try Task.checkCancellation()
                        return nil
                    }
                    parser.append(buffer.readableBytesView)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    throw GatewayError(.connectionLost, "the connection to the node was lost: \(error)", cause: error)
                }
            }
        }

        private static func decode(_ data: [UInt8]) throws -> GatewayEvent {
            do { return try JSONDecoder().decode(GatewayEvent.self, from: Data(data)) } catch {
                throw GatewayError(.unexpectedResponse, "an event of the node cannot be read: \(error)", cause: error)
            }
        }
    }
}

// MARK: - Beyond one connection

extension GatewayEvents {
    /// Calls `body` with each event, until it returns something.
    ///
    /// When the connection breaks, this connects anew and goes on after the last event that `body` was done with. So
    /// `body` misses no event that the journal keeps, unless `eventsGone` says that some are gone. If `body` itself lost
    /// the node, it gets the same event again.
    /// - Parameters:
    ///   - patience: how long the node may be away.
    ///   - onLoss: called when the connection has broken and the node is waited for.
    ///   - onReturn: called when the node is back, before the next event. If it loses the node, that is one more loss.
    /// - Returns: `nil` if the node has ended the events.
    /// - Throws: `GatewayError`; `connectionLost` or `noNode` if the node stays away. `CancellationError`, and what
    ///   `body` throws.
    package func follow<Result: Sendable>(
        patience: Duration, onLoss: () async -> Void = {}, onReturn: () async throws -> Void = {},
        _ body: (GatewayEvent) async throws -> Result?
    ) async throws -> Result? {
        var place = lastID
        var deadline: ContinuousClock.Instant?
        do { return try await pass(to: body, &place) } catch let loss as GatewayError where loss.isLoss {
            guard patience > .zero else { throw loss }
        }
        while true {
            if deadline == nil {
                await onLoss()
                deadline = .now + patience
            }
            do {
                return try await client.withEvents(names, after: place) { events in
                    deadline = nil
                    try await onReturn()
                    return try await events.pass(to: body, &place)
                }
            } catch let loss as GatewayError where loss.isLoss {
                if let deadline, deadline < .now { throw loss }
                try await Task.sleep(for: GatewayLimits.reconnection)
            }
        }
    }

    /// - Parameter done: the id of the last event that `body` is done with.
    private func pass<Result: Sendable>(
        to body: (GatewayEvent) async throws -> Result?, _ done: inout String?
    ) async throws -> Result? {
        var iterator = makeAsyncIterator()
        while true {
            let event: GatewayEvent?
            do { event = try await iterator.next() } catch {
                done = lastID ?? done
                throw error
            }
            guard let event else { return nil }
            if let result = try await body(event) { return result }
            done = lastID ?? done
        }
    }
}

extension GatewayError {
    /// Whether the node cannot be reached, and may come back.
    package var isLoss: Bool { [.connectionLost, .noNode].contains(code) }
}
