import EarshotModel
import EarshotProtocol

/// The clock that decides whether credentials are valid, and waiting; tests hand in their own.
struct WallClock: Sendable {
    /// Milliseconds since 1970. It may jump.
    let now: @Sendable () -> Int64
    /// Waits for some milliseconds, or throws when the task is cancelled.
    let sleep: @Sendable (_ milliseconds: Int64) async throws -> Void

    init(
        now: @escaping @Sendable () -> Int64, sleep: @escaping @Sendable (_ milliseconds: Int64) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    init(_ clock: any NodeClock) {
        self.init(now: { clock.now.wallClock }) { try await clock.sleep(milliseconds: $0) }
    }
}
