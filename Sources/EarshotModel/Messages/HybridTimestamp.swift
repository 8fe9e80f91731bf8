/// A hybrid logical clock's reading: milliseconds since 1970 and a counter within the millisecond.
///
/// It stays close to the wall clock, but never runs backwards in a log. The timestamp of an answer is greater than that
/// of the message that it answers. See Kulkarni et al., "Logical Physical Clocks", 2014.
package struct HybridTimestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The greatest timestamp. It is below 2^63, so the store can hold it as an integer.
    package static let maximum = HybridTimestamp(rawValue: UInt64(Int64.max))

    /// Milliseconds in the upper 48 bits, counter in the lower 16.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package init(milliseconds: Int64, counter: UInt16 = 0) {
        rawValue = UInt64(max(0, min(milliseconds, Self.maximum.milliseconds))) << 16 | UInt64(counter)
    }

    /// Milliseconds since 1970 (UTC).
    package var milliseconds: Int64 { Int64(rawValue >> 16) }
    package var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// The next timestamp. The greatest one is its own next.
    package var next: HybridTimestamp { self < .maximum ? HybridTimestamp(rawValue: rawValue + 1) : .maximum }

    package var description: String { "\(milliseconds).\(counter)" }
    package static func < (a: HybridTimestamp, b: HybridTimestamp) -> Bool { a.rawValue < b.rawValue }
}

/// Hands out timestamps that rise, whatever the wall clock does.
package struct HybridClock: Sendable {
    package private(set) var latest: HybridTimestamp

    package init(latest: HybridTimestamp = HybridTimestamp(rawValue: 0)) { self.latest = latest }

    /// Continues after a timestamp that this clock gave in an earlier run.
    package mutating func resume(after timestamp: HybridTimestamp) { latest = max(latest, timestamp) }

    /// The timestamp of something that happens now: greater than every timestamp that this clock gave or heard.
    package mutating func tick(wallClock: Int64) -> HybridTimestamp {
        latest = max(latest.next, HybridTimestamp(milliseconds: wallClock))
        return latest
    }

    /// Hears a timestamp of another node.
    /// - Returns: whether it is within `Timing.clockTolerance`. The clock does not follow one that is further ahead.
    package mutating func hear(_ timestamp: HybridTimestamp, wallClock: Int64) -> Bool {
        guard timestamp.milliseconds <= wallClock + Timing.clockTolerance else { return false }
        latest = max(latest, timestamp)
        return true
    }
}
