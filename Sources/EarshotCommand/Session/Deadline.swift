/// Runs something for at most a span of time.
///
/// - Returns: `nil` if the time ended first; then the work is cancelled.
func within<Result: Sendable>(
    _ duration: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: duration)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
