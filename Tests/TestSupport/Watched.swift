import Synchronization

/// A value that somebody changes while a test waits for it: each change wakes everybody who waits.
package final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiting: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var waitCount: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value { state.withLock(\.value) }

    package func update(_ body: (inout Value) -> Void) {
        let waiting = state.withLock { state in
            body(&state.value)
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.yield() }
    }

    /// Waits until something can be found in the value, and returns it.
    /// - Throws: `DeadlineExceeded`, or what `find` throws.
    @discardableResult
    package func wait<T: Sendable>(
        for what: String, within deadline: Duration = patience, _ find: @escaping @Sendable (Value) async throws -> T?
    ) async throws -> T {
        try await withDeadline(what, within: deadline) {
            for await _ in self.changes() {
                if let found = try await find(self.value) { return found }
            }
            throw CancellationError()
        }
    }

    /// One element now, and one after each change; changes that nobody has looked at yet become one.
    private func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let number = state.withLock { state in
            state.waitCount += 1
            state.waiting[state.waitCount] = continuation
            return state.waitCount
        }
        continuation.onTermination = { _ in _ = self.state.withLock { $0.waiting.removeValue(forKey: number) } }
        return stream
    }
}

extension Watched where Value == Bool {
    /// Waits until the value is true.
    package func wait(for what: String) async throws { try await wait(for: what) { $0 ? true : nil } }
}
