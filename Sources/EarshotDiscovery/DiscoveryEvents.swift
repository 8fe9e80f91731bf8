import Synchronization

/// The events of one `Discovery`, for one consumer.
///
/// The queue is bounded and loses nothing that is still true: waiting events of one device merge into the one that
/// brings the consumer up to date. The sequence ends when `Discovery.run()` does.
struct DiscoveryEvents: AsyncSequence, Sendable {
    typealias Element = DiscoveryEvent
    typealias Failure = Never

    let queue: DiscoveryEventQueue

    func makeAsyncIterator() -> Iterator { Iterator(queue: queue, signal: queue.signal.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        let queue: DiscoveryEventQueue
        var signal: AsyncStream<Void>.Iterator

        mutating func next() async -> DiscoveryEvent? {
            await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> DiscoveryEvent? {
            while !Task.isCancelled {
                if let event = queue.pop() { return event }
                if await signal.next(isolation: actor) == nil { return Task.isCancelled ? nil : queue.pop() }
            }
            return nil
        }
    }
}

/// The pending events, and a signal that there are some.
final class DiscoveryEventQueue: Sendable {
    let signal: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation
    private let pending = Mutex(PendingEvents())

    init() {
        // One signal stands for any number of events: the consumer empties the queue before it waits again.
        (signal, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func push(_ events: [DiscoveryEvent]) {
        guard !events.isEmpty else { return }
        pending.withLock { pending in
            for event in events { pending.push(event) }
        }
        ring.yield()
    }

    func pop() -> DiscoveryEvent? { pending.withLock { $0.pop() } }

    func finish() { ring.finish() }
}
