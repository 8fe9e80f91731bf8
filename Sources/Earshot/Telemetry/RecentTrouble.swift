import EarshotProtocol

/// What went wrong in the last minutes, in numbers: a bounded, pure value.
struct RecentTrouble: Sendable {
    /// How long it is remembered, in milliseconds, with the precision of a minute.
    static let age: Int64 = 600 * 1000
    private static let slice: Int64 = 60 * 1000

    struct Counts: Hashable, Sendable {
        /// A handshake that failed: why, and which end gave the reason.
        struct Refusal: Hashable, Sendable {
            let reason: String
            let isByPeer: Bool
        }

        var refusals: [Refusal: Int] = [:]
        var connectionsLimited = 0
        var commitFailures = 0
        /// Commits that took `NodeRecord.slowCommit` or longer.
        var slowCommits = 0
        /// How long the slowest commit took, in seconds.
        var slowestCommit = 0.0
        /// Since the node began.
        var eventsLost = 0

        mutating func add(_ other: Counts) {
            refusals.merge(other.refusals, uniquingKeysWith: +)
            connectionsLimited += other.connectionsLimited
            commitFailures += other.commitFailures
            slowCommits += other.slowCommits
            slowestCommit = max(slowestCommit, other.slowestCommit)
        }
    }

    /// One a minute, in ascending order.
    private var slices: [(start: Int64, counts: Counts)] = []

    /// - Parameter now: an uptime, in milliseconds.
    mutating func note(now: Int64, _ change: (inout Counts) -> Void) {
        if slices.last.map({ now - $0.start >= Self.slice }) ?? true {
            slices.removeAll { now - $0.start >= Self.age }
            slices.append((now, Counts()))
        }
        change(&slices[slices.count - 1].counts)
    }

    func counts(now: Int64) -> Counts {
        slices.filter { now - $0.start < Self.age }.reduce(into: Counts()) { $0.add($1.counts) }
    }
}
