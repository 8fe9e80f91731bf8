import EarshotModel
import NIOCore
import Synchronization

/// The time of a simulated network and everything that is to happen in it, in order.
///
/// Everything runs on one event loop, each item as a turn of its own. Time stands still until it is moved on, except
/// for short waits: what is due within `shortWait` happens by itself as soon as nothing is left to do before it.
final class Timeline: Sendable {
    /// In milliseconds. It is longer than a change waits for company in a commit, and shorter than any other wait of a
    /// node.
    static let shortWait: Int64 = 50
    /// So far can time be moved: some ten thousand years.
    private static let longest = Int64.max / 16

    let loop: any EventLoop

    private struct Item {
        let time: Int64
        let number: UInt64
        let body: @Sendable () -> Void

        var place: (Int64, UInt64) { (time, number) }
    }

    private struct State {
        /// Milliseconds since the network began.
        var now: Int64 = 0
        /// Ascending in time; items of the same time are in the order in which they came.
        var items: [Item] = []
        var count: UInt64 = 0
        /// The time that the clock was moved to.
        var target: Int64 = 0
        var isTurning = false
        /// Tasks that have woken and may not yet have done what they woke for: time waits for them.
        var awake = 0
        var waiting: [(target: Int64, continuation: CheckedContinuation<Void, Never>)] = []

        func index(of place: (Int64, UInt64)) -> Int {
            var (low, high) = (0, items.count)
            while low < high {
                let middle = (low + high) / 2
                if items[middle].place < place { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private enum Step {
        case happen(@Sendable () -> Void)
        /// Time stands still: nothing is due.
        case rest([CheckedContinuation<Void, Never>])
        /// Somebody is awake, and moves time on when they are done.
        case wait
    }

    private let state = Mutex(State())

    init(loop: any EventLoop) { self.loop = loop }

    /// Milliseconds since the network began.
    var now: Int64 { state.withLock(\.now) }

    /// Schedules something for later, on the event loop.
    /// - Parameter delay: in milliseconds.
    @discardableResult
    func schedule(after delay: Int64 = 0, _ body: @escaping @Sendable () -> Void) -> TimelineTimer {
        schedule(at: state.withLock(\.now) + min(max(0, delay), Self.longest), body)
    }

    @discardableResult
    func schedule(at time: Int64, _ body: @escaping @Sendable () -> Void) -> TimelineTimer {
        let place = state.withLock { state in
            state.count += 1
            let item = Item(time: max(time, state.now), number: state.count, body: body)
            state.items.insert(item, at: state.index(of: item.place))
            return item.place
        }
        turn()
        return TimelineTimer(timeline: self, time: place.0, number: place.1)
    }

    fileprivate func cancel(_ time: Int64, _ number: UInt64) {
        state.withLock { state in
            let index = state.index(of: (time, number))
            if index < state.items.count, state.items[index].number == number { state.items.remove(at: index) }
        }
    }

    /// Moves time on, and returns when everything that was due has happened.
    func advance(by milliseconds: Int64) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                let start = max(state.target, state.now)
                state.target = start + min(milliseconds, Self.longest - start)
                state.waiting.append((state.target, continuation))
            }
            turn()
        }
    }

    /// A task wakes: time waits for it until `rest`.
    func wake() { state.withLock { $0.awake += 1 } }

    /// A task that woke is done.
    func rest() {
        state.withLock { $0.awake -= 1 }
        turn()
    }

    private func turn() {
        let begins = state.withLock { state in
            defer { state.isTurning = true }
            return !state.isTurning
        }
        if begins { loop.execute { self.step() } }
    }

    private func step() {
        switch state.withLock({ Self.next(&$0) }) {
        case .happen(let body):
            body()
            // A turn of its own, so that programs get theirs in between.
            loop.execute { self.step() }
        case .rest(let done): for continuation in done { continuation.resume() }
        case .wait: break
        }
    }

    private static func next(_ state: inout State) -> Step {
        guard state.awake == 0 || state.items.first?.time == state.now else {
            state.isTurning = false
            return .wait
        }
        if let item = state.items.first, item.time <= max(state.target, state.now + shortWait) {
            state.items.removeFirst()
            state.now = max(state.now, item.time)
            return .happen(item.body)
        }
        if state.now < state.target {
            state.now = state.target
            // What is due shortly after has its turn first.
            return .happen {}
        }
        state.isTurning = false
        let done = state.waiting.filter { $0.target <= state.now }
        state.waiting.removeAll { $0.target <= state.now }
        return .rest(done.map(\.continuation))
    }
}

/// Something that is scheduled.
struct TimelineTimer: Sendable {
    fileprivate let timeline: Timeline
    fileprivate let time: Int64
    fileprivate let number: UInt64

    /// Cancels it, if it has not happened yet.
    func cancel() { timeline.cancel(time, number) }
}
