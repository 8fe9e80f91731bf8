/// How long tests wait for what they expect. It matters only to tests that fail: a busy machine takes its time.
package let patience = Duration.seconds(60)

/// Something did not happen in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body` and returns its result, but waits no longer than a deadline: so a test that would hang fails instead.
///
/// - Parameters:
///   - what: what the test waits for, for the error.
///   - body: stops when its task is cancelled.
/// - Throws: `DeadlineExceeded`, or what `body` throws.
package func withDeadline<T: Sendable>(
    _ what: String, within deadline: Duration = patience, _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: deadline)
            throw DeadlineExceeded(description: "not within \(deadline): \(what)")
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else {
            preconditionFailure("a group with two tasks has a first result")
        }
        return first
    }
}
