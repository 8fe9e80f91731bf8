import EarshotModel

/// How far a peer's clock is ahead of this node's, in milliseconds, and how that is told.
enum ClockOffset {
    /// - Returns: `nil` for a clock that cannot be: outside of the times that a credential may name, or not told.
    static func of(_ clock: Int64, at wallClock: Int64) -> Int64? {
        guard clock > 0, wallClock > 0, Credential.times.contains(clock), Credential.times.contains(wallClock) else {
            return nil
        }
        return clock - wallClock
    }

    /// What is left of it when this node's clock was set forward by `jump`.
    static func shifted(_ offset: Int64, by jump: Int64) -> Int64? {
        let (shifted, isOverflow) = offset.subtractingReportingOverflow(jump)
        return isOverflow ? nil : shifted
    }

    static func isLarge(_ offset: Int64) -> Bool { offset.magnitude > UInt64(Timing.clockTolerance) }

    static let remedy = "set the clock of one of the two right"

    /// Like "3 days ahead of".
    static func text(_ offset: Int64) -> String {
        "\(span(Int64(clamping: offset.magnitude))) \(offset < 0 ? "behind" : "ahead of")"
    }

    /// A span of time for people, in the largest unit of which there are two.
    static func span(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        if seconds == 1 { return "1 second" }
        if seconds < 120 { return "\(seconds) seconds" }
        if seconds < 2 * 3600 { return "\(seconds / 60) minutes" }
        if seconds < 48 * 3600 { return "\(seconds / 3600) hours" }
        return "\(seconds / 3600 / 24) days"
    }
}
