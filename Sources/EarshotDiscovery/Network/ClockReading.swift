import CLinuxNetwork
import Glibc

/// The system's clocks at one moment, each since its own beginning.
struct ClockReading: Equatable {
    /// The wall clock.
    var realtime: Duration
    /// Goes on while the machine sleeps.
    var boottime: Duration
    /// Stands still while the machine sleeps.
    var monotonic: Duration

    static func now() -> ClockReading {
        let monotonic = read(CLOCK_MONOTONIC)
        let boottime = read(CLOCK_BOOTTIME)
        return ClockReading(realtime: read(CLOCK_REALTIME), boottime: boottime, monotonic: monotonic)
    }

    private static func read(_ clock: clockid_t) -> Duration {
        let time = clinuxnetwork_read_clock(clock)
        guard time >= 0 else { preconditionFailure("Linux has these clocks since 2.6.39") }
        return .nanoseconds(time)
    }
}

/// Tells from readings of the clocks whether the machine slept or the wall clock was set: a pure value.
///
/// All three clocks are slewed alike, so they drift apart only if one of the two happened.
struct ClockWatch {
    /// Smaller differences are the time that passes between reading one clock and the next.
    static let tolerance = Duration.milliseconds(500)

    private var last: ClockReading

    init(_ reading: ClockReading) { last = reading }

    mutating func read(_ reading: ClockReading) -> [NetworkChange] {
        let slept = (reading.boottime - reading.monotonic) - (last.boottime - last.monotonic)
        let jumped = (reading.realtime - reading.boottime) - (last.realtime - last.boottime)
        var changes: [NetworkChange] = []
        if slept >= Self.tolerance { changes.append(.resumed(sleptFor: slept)) }
        if jumped >= Self.tolerance || jumped <= .zero - Self.tolerance { changes.append(.clockChanged) }
        if !changes.isEmpty { last = reading }
        return changes
    }
}
