/// Counts what is said about wrong lines of a program, so that one which answers each complaint with a wrong line neither
/// goes on for ever nor fills the disk with its log. Times are of the uptime, in milliseconds.
struct Complaints: Sendable {
    enum Turn: Hashable, Sendable {
        case said
        /// It is said, and that is all for this minute.
        case last
        case leftOut
    }

    static let perMinute = 30

    private var minuteEnd = Int64.min
    private var count = 0

    /// What becomes of the next complaint.
    mutating func next(now: Int64) -> Turn {
        if minuteEnd <= now { (minuteEnd, count) = (now + 60_000, 0) }
        count = min(count + 1, Self.perMinute + 1)
        return count < Self.perMinute ? .said : count == Self.perMinute ? .last : .leftOut
    }
}
