import EarshotModel

/// The time of a `TestNetwork`, for what a program does later: `try await network.clock.sleep(for: .seconds(60))` waits
/// for `TestNetwork.advance(by:)`, or passes by itself within 50 ms of the network's time. Give it to code that takes
/// `any Clock<Duration>`.
///
/// `advance(by:)` returns when all sleeps that are over by then have ended. What their tasks do next may still go on.
public struct TestClock: Clock {
    /// A moment of a network's time, in whole milliseconds since it began.
    public struct Instant: InstantProtocol {
        let milliseconds: Int64

        public func advanced(by duration: Duration) -> Instant {
            let (sum, isOver) = milliseconds.addingReportingOverflow(duration.milliseconds)
            return Instant(milliseconds: isOver ? .max : sum)
        }

        public func duration(to other: Instant) -> Duration { .milliseconds(other.milliseconds - milliseconds) }
        public static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
    }

    let timeline: Timeline

    public var now: Instant { Instant(milliseconds: timeline.now) }
    public var minimumResolution: Duration { .milliseconds(1) }

    /// Waits until the network's time has come so far.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let timer = timeline.schedule(at: deadline.milliseconds) { continuation.finish() }
        for await _ in stream {}
        timer.cancel()
        try Task.checkCancellation()
    }
}

extension TestNetwork {
    /// The network's time as a clock.
    public var clock: TestClock { TestClock(timeline: timeline) }
}
