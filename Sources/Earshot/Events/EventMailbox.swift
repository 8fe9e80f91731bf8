import DequeModule
import Synchronization

/// Events on their way to an observer: at least one.
enum OfferedEvents: Sendable {
    case one(Event)
    /// These of a run.
    case several(EventRun, Range<Int>)

    var count: Int {
        switch self {
        case .one: 1
        case .several(_, let range): range.count
        }
    }

    /// - Returns: the first of them, and the others.
    fileprivate var parted: (first: Event, rest: OfferedEvents?) {
        switch self {
        case .one(let event): (event, nil)
        case .several(let run, let range):
            (run.event(at: range.lowerBound), range.count > 1 ? .several(run, range.dropFirst()) : nil)
        }
    }

    /// - Parameter limit: how many there may be.
    fileprivate func prefix(_ limit: Int) -> OfferedEvents? {
        guard limit > 0 else { return nil }
        guard case .several(let run, let range) = self, range.count > limit else { return self }
        return .several(run[range.prefix(limit)], 0..<limit)
    }
}

/// The events that wait for one observer.
final class EventMailbox: Sendable {
    private struct State {
        private var waitingEvents: Deque<OfferedEvents> = []
        private var count = 0
        /// Lost events that were not yet reported, and how many of the waiting events come before them.
        var lost = 0
        private var eventsBeforeLost = 0
        var waiting: CheckedContinuation<Event?, Never>?
        var isFinished = false

        /// - Returns: how many did not fit any more.
        mutating func add(_ offered: OfferedEvents, limit: Int) -> Int {
            if let fitting = offered.prefix(limit - count) {
                waitingEvents.append(fitting)
                count += fitting.count
                guard fitting.count < offered.count else { return 0 }
                return lose(offered.count - fitting.count)
            }
            return lose(offered.count)
        }

        private mutating func lose(_ more: Int) -> Int {
            if lost == 0 { eventsBeforeLost = count }
            lost += more
            return more
        }

        /// - Returns: `nil` if nothing waits for the observer.
        mutating func take() -> Event? {
            if lost > 0, eventsBeforeLost == 0 {
                defer { lost = 0 }
                return .eventsLost(count: lost)
            }
            guard let (event, rest) = waitingEvents.popFirst()?.parted else { return nil }
            if let rest { waitingEvents.prepend(rest) }
            count -= 1
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
        watchesLosses: Bool, limit: Int, onLoss: @escaping @Sendable () -> Void,
        onFinish: @escaping @Sendable () -> Void
    ) {
        self.watchesLosses = watchesLosses
        self.limit = limit
        self.onLoss = onLoss
        self.onFinish = onFinish
    }

    /// - Parameter offered: events that it is for.
    func offer(_ offered: OfferedEvents) {
        let (next, lost): ((CheckedContinuation<Event?, Never>, Event)?, Int) = state.withLock { state in
            guard !state.isFinished else { return (nil, 0) }
            guard let waiting = state.waiting.take() else { return (nil, state.add(offered, limit: limit)) }
            let (first, rest) = offered.parted
            return ((waiting, first), rest.map { state.add($0, limit: limit) } ?? 0)
        }
        if let (waiting, first) = next { waiting.resume(returning: first) }
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
    /// - Throws: `EarshotError` `sequenceBusy` while another task waits for the next event.
    func next() async throws(EarshotError) -> Event? {
        guard !Task.isCancelled else { return nil }
        if let event = state.withLock({ $0.take() }) { return event }
        guard state.withLock({ $0.waiting == nil }) else { throw Self.busy }
        var isBusy = false
        let event = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (event, isReady) = state.withLock { state -> (Event?, Bool) in
                    if let event = state.take() { return (event, true) }
                    isBusy = state.waiting != nil
                    if state.isFinished || isBusy { return (nil, true) }
                    state.waiting = continuation
                    return (nil, false)
                }
                if isReady { continuation.resume(returning: event) }
            }
        } onCancel: {
            finish()
        }
        if isBusy { throw Self.busy }
        return event
    }

    private static let busy = EarshotError(
        .sequenceBusy, "another task iterates this sequence of events already: each task needs one of its own")

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
