import Earshot
import EarshotModel
import NIOCore
import Synchronization

/// The clocks of one host on a simulated network.
final class SimulatedClock: NodeClock {
    private struct State {
        /// How far the wall clock is ahead of the network's time, in milliseconds.
        var ahead: Int64 = 0
        var isAwake = false
    }

    private let timeline: Timeline
    /// The wall clock when the network began, in milliseconds since 1970.
    private let start: Int64
    private let state = Mutex(State())

    init(_ timeline: Timeline, start: Int64) {
        self.timeline = timeline
        self.start = start
    }

    var now: Moment {
        let now = timeline.now
        return Moment(wallClock: start + now + state.withLock(\.ahead), uptime: now)
    }

    /// The wall clock jumps.
    func jump(by milliseconds: Int64) { state.withLock { $0.ahead += milliseconds } }

    func schedule(
        at uptime: Int64, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void
    ) -> any NodeTimer {
        timeline.schedule(at: uptime, body)
    }

    /// A task that sleeps here wakes while time stands still, until it sleeps again.
    func sleep(milliseconds: Int64) async throws {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let timer = timeline.schedule(after: milliseconds) {
            self.wake()
            continuation.finish()
        }
        rest()
        for await _ in stream {}
        timer.cancel()
        try Task.checkCancellation()
    }

    /// Time waits for this host until it rests.
    func wake() {
        let wakes = state.withLock { state in
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if wakes { timeline.wake() }
    }

    /// Nobody is awake here from now on.
    func rest() {
        let rests = state.withLock { state in
            defer { state.isAwake = false }
            return state.isAwake
        }
        if rests { timeline.rest() }
    }
}

extension TimelineTimer: NodeTimer {}
