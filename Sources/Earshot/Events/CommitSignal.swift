import Synchronization

/// Wakes those who wait for what commits bring: messages, or rows of the journal. It holds nothing but who waits.
package final class CommitSignal: Sendable {
    typealias Waiter = AsyncStream<Void>.Continuation

    private struct State {
        var waiters: [UInt64: Waiter] = [:]
        var nextNumber: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    /// How many wait, so that a commit costs nothing where nobody does.
    private let count = Atomic<Int>(0)
    private let signals = Atomic<UInt64>(0)

    /// How often there was something to wake somebody for.
    var signalCount: UInt64 { signals.load(ordering: .relaxed) }

    /// A commit has brought something.
    func signal() {
        signals.wrappingAdd(1, ordering: .relaxed)
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        for waiter in state.withLock({ Array($0.waiters.values) }) { waiter.yield() }
    }

    /// A sequence with an element after each signal, several of them merged. It ends with the node, and when it is
    /// released.
    /// - Returns: also what ends it.
    func waiter() -> (signals: AsyncStream<Void>, end: Waiter) {
        let (stream, waiter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.nextNumber += 1
            state.waiters[state.nextNumber] = waiter
            return state.nextNumber
        }
        guard let number else {
            waiter.finish()
            return (stream, waiter)
        }
        count.wrappingAdd(1, ordering: .sequentiallyConsistent)
        waiter.onTermination = { [weak self] _ in
            guard let self, state.withLock({ $0.waiters.removeValue(forKey: number) }) != nil else { return }
            count.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        }
        return (stream, waiter)
    }

    /// There will be no more commits.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.finish() }
    }
}
