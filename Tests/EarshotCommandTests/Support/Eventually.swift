import Testing

/// Waits for a condition; fails the test if it does not come true in time.
func eventually(
    _ what: Comment, _ place: SourceLocation = #_sourceLocation, within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: place)
        try await Task.sleep(for: .milliseconds(20))
    }
}
