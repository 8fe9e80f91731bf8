/// How a run of a stack ended: with a failure, or because the task was cancelled.
struct StackEnd: Sendable {
    var wasAvailable = false
    var failure: DiscoveryError?
}

/// Begins again whenever a stack fails or cannot even begin, until the task is cancelled. The first wait is `floor`;
/// each further one is twice as long, up to `ceiling`.
///
/// - Throws: `invalidAnnouncement`, and `CancellationError` when it is cancelled while it waits.
func reconnecting(
    floor: Duration, ceiling: Duration, reporting: @Sendable (SourceReport) -> Void,
    _ connect: () async throws -> StackEnd
) async throws {
    var delay = floor
    while !Task.isCancelled {
        let end = try await attempt(connect)
        guard let failure = end.failure else { return }
        guard failure.code != .invalidAnnouncement else { throw failure }
        reporting(.unavailable(reason: failure.message))
        if end.wasAvailable { delay = floor }
        try await Task.sleep(for: delay)
        delay = min(delay * 2, ceiling)
    }
}

/// - Returns: also what was thrown. A process that has no file descriptor left may have one in a moment.
private func attempt(_ connect: () async throws -> StackEnd) async throws -> StackEnd {
    do { return try await connect() } catch let error as CancellationError {
        throw error
    } catch let error as DiscoveryError {
        return StackEnd(failure: error)
    } catch {
        return StackEnd(failure: DiscoveryError(.stackFailed, "\(error)", cause: error))
    }
}
