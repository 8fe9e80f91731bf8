package import EarshotModel
import Glibc
package import NIOCore

/// The clocks of a node.
package protocol NodeClock: Sendable {
    /// The readings of both clocks.
    var now: Moment { get }

    /// Calls once, on the event loop, at an uptime (in milliseconds).
    func schedule(
        at uptime: Int64, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void
    ) -> any NodeTimer

    /// Waits for some milliseconds, or throws when the task is cancelled.
    func sleep(milliseconds: Int64) async throws
}

extension NodeClock {
    /// The uptime at which some time has passed from now on; the last one there is for a time without end.
    func uptime(after duration: Duration) -> Int64 {
        let (uptime, isBeyond) = now.uptime.addingReportingOverflow(duration.milliseconds)
        return isBeyond ? .max : uptime
    }
}

/// A scheduled call.
package protocol NodeTimer: Sendable {
    /// Cancels the call if it has not begun.
    func cancel()
}

extension Scheduled: NodeTimer where T == Void {}

/// The system's clocks.
struct HostClock: NodeClock {
    var now: Moment { .now }

    func schedule(
        at uptime: Int64, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void
    ) -> any NodeTimer {
        loop.scheduleTask(in: .milliseconds(max(0, uptime - Moment.now.uptime)), body)
    }

    /// Time asleep counts, so that a machine that wakes looks at once.
    func sleep(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds), clock: .continuous)
    }
}

extension Moment {
    /// The system's clocks. The uptime includes sleep, so that a laptop that wakes knows how long it was away.
    static var now: Moment {
        Moment(wallClock: milliseconds(CLOCK_REALTIME), uptime: milliseconds(CLOCK_BOOTTIME))
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
