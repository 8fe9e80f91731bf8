/// Waits that double with each failure in a row.
package struct BackOff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var next: Duration

    package init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// How long to wait after one more failure.
    package mutating func wait() -> Duration {
        defer { next = min(longest, next * 2) }
        return next
    }

    package mutating func reset() { next = first }
}
