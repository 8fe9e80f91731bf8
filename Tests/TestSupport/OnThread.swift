import Foundation

/// Runs blocking work on a thread of its own, so that it takes none of the threads that tasks share.
/// - Throws: `DeadlineExceeded`, and then the thread is left alone; or what `body` throws.
package func onThread<T: Sendable>(_ what: String, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    let outcome = Watched<Result<T, any Error>?>(nil)
    Thread.detachNewThread {
        let result = Result { try body() }
        outcome.update { $0 = result }
    }
    return try await outcome.wait(for: what) { $0 }.get()
}
