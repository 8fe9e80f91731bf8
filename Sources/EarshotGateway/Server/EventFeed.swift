import Earshot
import Synchronization

/// The events and heartbeats that wait for one client, in order. The feed is bounded; events that do not fit are
/// counted at the place where they are missing.
final class EventFeed: Sendable {
    enum Item: Sendable {
        case event(Event)
        case heartbeat
    }

    let items: AsyncStream<Item>
    private let bus: EventBus
    private let continuation: AsyncStream<Item>.Continuation
    private let lost = Mutex(0)
    private let token = Mutex<EventObserverToken?>(nil)

    init(_ bus: EventBus, names: Set<EventName>, limit: Int = GatewayLimits.pendingEvents) {
        self.bus = bus
        (items, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
        let observer = bus.addObserver(for: names.union([.eventsLost])) { [weak self] in self?.offer($0) }
        token.withLock { $0 = observer }
    }

    func offer(_ event: Event) {
        lost.withLock { lost in
            var event: Event? = event
            if case .eventsLost(let count) = event {
                lost += count
                event = nil
            }
            report(&lost)
            guard let event else { return }
            guard lost > 0 || !isAccepted(.event(event)) else { return }
            lost += 1
            bus.noteLost()
        }
    }

    /// Adds a heartbeat, which is sent when nothing happens. If it does not fit it is dropped, because other items wait
    /// to be sent.
    func beat() {
        lost.withLock { lost in
            report(&lost)
            _ = isAccepted(.heartbeat)
        }
    }

    func finish() {
        token.withLock { $0 }?.remove()
        continuation.finish()
    }

    private func report(_ lost: inout Int) {
        if lost > 0, isAccepted(.event(.eventsLost(count: lost))) { lost = 0 }
    }

    private func isAccepted(_ item: Item) -> Bool {
        switch continuation.yield(item) {
        case .enqueued: true
        case .dropped, .terminated: false
        @unknown default: false
        }
    }
}
