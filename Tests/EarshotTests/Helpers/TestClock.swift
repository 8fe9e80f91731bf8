import Synchronization

@testable import Earshot

/// A wall clock that stands still until a test moves it. Whoever sleeps looks at it again after each move.
final class TestClock: Sendable {
    private struct State {
        var now: Int64
        var sleepers: [UInt64: (wakeAt: Int64, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var sleepCount: UInt64 = 0
        var arrivals: [AsyncStream<Void>.Continuation] = []
    }

    private let state: Mutex<State>

    init(now: Int64) { state = Mutex(State(now: now)) }

    var now: Int64 { state.withLock(\.now) }

    var wallClock: WallClock {
        WallClock(now: { self.now }) { try await self.sleep($0) }
    }

    /// Sets the clock, and wakes whoever sleeps: as though the longest wait were over.
    func set(to now: Int64) {
        let woken = state.withLock { state in
            state.now = now
            defer { state.sleepers = [:] }
            return state.sleepers.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Moves the clock on to when somebody wants to wake, or to a moment that is before that.
    func advanceToNextWake(before moment: Int64) {
        set(to: state.withLock { state in state.sleepers.values.map(\.wakeAt).min().map { min($0, moment) } ?? moment })
    }

    /// Returns when somebody sleeps.
    func untilAsleep() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        state.withLock { state in
            if state.sleepers.isEmpty { state.arrivals.append(continuation) } else { continuation.finish() }
        }
        for await _ in stream {}
    }

    private func sleep(_ milliseconds: Int64) async throws {
        let number = state.withLock { state in
            state.sleepCount += 1
            return state.sleepCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let arrivals = state.withLock { state in
                    state.sleepers[number] = (state.now + milliseconds, continuation)
                    defer { state.arrivals = [] }
                    return state.arrivals
                }
                for arrival in arrivals { arrival.finish() }
                if Task.isCancelled { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: UInt64) {
        state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
    }
}
