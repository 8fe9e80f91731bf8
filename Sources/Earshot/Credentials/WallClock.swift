import EarshotModel
import EarshotProtocol

/// The clock that credentials are valid by, and waiting; tests hand in their own.
struct WallClock: Sendable {
    /// Milliseconds since 1970. It may jump.
    let now: @Sendable () -> Int64
    /// Waits for some milliseconds, or throws when the task is cancelled.
    let sleep: @Sendable (_ milliseconds: Int64) async throws -> Void

    /// The system's. Time asleep counts, so that a machine that wakes looks at once at what has become of the time.
    static let system = WallClock(now: { Moment.now.wallClock }) { milliseconds in
        try await Task.sleep(for: .milliseconds(milliseconds), clock: .continuous)
    }
}
