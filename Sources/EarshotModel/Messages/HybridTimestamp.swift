/// A hybrid logical clock's reading: milliseconds since 1970 and a counter within the millisecond.
///
/// It stays close to the wall clock and still never runs backwards in a log, and an answer's
/// is greater than that of what it answers.
/// See Kulkarni et al., "Logical Physical Clocks", 2014.
public struct HybridTimestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The greatest: below 2^63, so that it is an integer of the store's, too.
    public static let maximum = HybridTimestamp(rawValue: UInt64(Int64.max))

    /// Milliseconds in the upper 48 bits, counter in the lower 16.
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(milliseconds: Int64, counter: UInt16 = 0) {
        rawValue = UInt64(max(0, min(milliseconds, Self.maximum.milliseconds))) << 16 | UInt64(counter)
    }

    /// Milliseconds since 1970 (UTC).
    public var milliseconds: Int64 { Int64(rawValue >> 16) }
    public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// The least timestamp above this one. The greatest has none, and is its own.
    public var next: HybridTimestamp { self < .maximum ? HybridTimestamp(rawValue: rawValue + 1) : .maximum }

    public var description: String { "\(milliseconds).\(counter)" }
    public static func < (a: HybridTimestamp, b: HybridTimestamp) -> Bool { a.rawValue < b.rawValue }
}

/// Hands out timestamps that rise, whatever the wall clock does.
public struct HybridClock: Sendable {
    private var latest: HybridTimestamp

    public init(latest: HybridTimestamp = HybridTimestamp(rawValue: 0)) { self.latest = latest }

    /// Goes on after a timestamp that this clock gave in an earlier run.
    public mutating func resume(after timestamp: HybridTimestamp) { latest = max(latest, timestamp) }

    /// The timestamp of something that happens now: above all that this clock gave or heard.
    public mutating func tick(wallClock: Int64) -> HybridTimestamp {
        latest = max(latest.next, HybridTimestamp(milliseconds: wallClock))
        return latest
    }

    /// Takes note of a timestamp of another node.
    /// - Returns: whether it is within `Timing.clockTolerance`; one further ahead is not followed.
    public mutating func hear(_ timestamp: HybridTimestamp, wallClock: Int64) -> Bool {
        guard timestamp.milliseconds <= wallClock + Timing.clockTolerance else { return false }
        latest = max(latest, timestamp)
        return true
    }
}
