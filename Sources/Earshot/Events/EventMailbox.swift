import DequeModule
import Synchronization

/// The events that wait for one observer.
final class EventMailbox: Sendable {
    private struct State {
        var events: Deque<Event> = []
        /// Lost events that were not yet reported, and how many of the waiting events come before them.
        var lost = 0
        var eventsBeforeLost = 0
        var waiting: CheckedContinuation<Event?, Never>?
        var isFinished = false

        /// - Returns: how many did not fit any more.
        mutating func add(_ offered: ArraySlice<Event>, limit: Int) -> Int {
            let fitting = offered.prefix(max(0, limit - events.count))
            events.append(contentsOf: fitting)
            let lost = offered.count - fitting.count
            if lost > 0 {
                if self.lost == 0 { eventsBeforeLost = events.count }
                self.lost += lost
            }
            return lost
        }

        /// - Returns: `nil` if nothing waits for the observer.
        mutating func take() -> Event? {
            if lost > 0, eventsBeforeLost == 0 {
                defer { lost = 0 }
                return .eventsLost(count: lost)
            }
            guard let event = events.popFirst() else { return nil }
            if lost > 0 { eventsBeforeLost -= 1 }
            return event
        }
    }

    /// Whether the observer observes only losses. It is told of the losses of all observers, and has none of its own.
    let watchesLosses: Bool
    private let limit: Int
    private let onLoss: @Sendable () -> Void
    private let onFinish: @Sendable () -> Void
    private let state = Mutex(State())

    init(
        names: Set<EventName>, limit: Int, onLoss: @escaping @Sendable () -> Void,
        onFinish: @escaping @Sendable () -> Void
    ) {
        watchesLosses = names == [.eventsLost]
        self.limit = limit
        self.onLoss = onLoss
        self.onFinish = onFinish
    }

    /// - Parameter offered: events that it is for, at least one.
    func offer(_ offered: [Event]) {
        let (waiting, lost): (CheckedContinuation<Event?, Never>?, Int) = state.withLock { state in
            guard !state.isFinished else { return (nil, 0) }
            let waiting = state.waiting.take()
            return (waiting, state.add(waiting == nil ? offered[...] : offered.dropFirst(), limit: limit))
        }
        waiting?.resume(returning: offered[0])
        for _ in 0..<lost { onLoss() }
    }

    /// Another observer has lost an event: it is reported together with those that were not reported yet.
    func noteLoss() {
        let waiting: CheckedContinuation<Event?, Never>? = state.withLock { state in
            guard !state.isFinished else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            state.lost += 1
            return nil
        }
        waiting?.resume(returning: .eventsLost(count: 1))
    }

    /// The next event; `eventsLost` if some did not fit; `nil` at the end or when the task is cancelled.
    func next() async -> Event? {
        if !Task.isCancelled, let event = state.withLock({ $0.take() }) { return event }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (event, isReady) = state.withLock { state -> (Event?, Bool) in
                    if let event = state.take() { return (event, true) }
                    if state.isFinished { return (nil, true) }
                    precondition(state.waiting == nil, "one task at a time iterates a sequence of events")
                    state.waiting = continuation
                    return (nil, false)
                }
                if isReady { continuation.resume(returning: event) }
            }
        } onCancel: {
            finish()
        }
    }

    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
        onFinish()
    }
}
