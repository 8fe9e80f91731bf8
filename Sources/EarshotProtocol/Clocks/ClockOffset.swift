import EarshotModel

/// How far a peer's clock is ahead of this node's, in milliseconds, and the words for it.
enum ClockOffset {
    /// - Returns: `nil` for an impossible clock, outside of the times that a credential may name, and for one that was
    ///   not reported.
    static func of(_ clock: Int64, at wallClock: Int64) -> Int64? {
        guard clock > 0, wallClock > 0, Credential.times.contains(clock), Credential.times.contains(wallClock) else {
            return nil
        }
        return clock - wallClock
    }

    /// The offset after this node's clock was set forward by `jump`.
    static func shifted(_ offset: Int64, by jump: Int64) -> Int64? {
        let (shifted, isOverflow) = offset.subtractingReportingOverflow(jump)
        return isOverflow ? nil : shifted
    }

    static func isLarge(_ offset: Int64) -> Bool { offset.magnitude > UInt64(Timing.clockTolerance) }

    static let remedy = "set one of the two clocks right"

    /// Like "3 days ahead of".
    static func text(_ offset: Int64) -> String {
        "\(TimeSpan.text(milliseconds: offset)) \(offset < 0 ? "behind" : "ahead of")"
    }
}
