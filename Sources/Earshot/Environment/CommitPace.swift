import EarshotModel

/// Whether the disk has been quick of late, so that a commit may hold the event loop instead of changing threads twice.
struct CommitPace {
    /// How long a commit may take that holds the loop.
    static let longest = Duration.milliseconds(2)
    /// How many commits in a row must have been as quick before one may.
    static let quickBefore = 16
    /// How many after one that was not. So a disk that is slow now and then holds the loop seldom.
    static let quickAfterSlow = 32
    /// What a commit may write that holds the loop.
    static let entries = 4
    static let journalRows = 16

    private var wanted: Int

    /// - Parameter wanted: how many commits must be quick before one may hold the loop.
    init(wanted: Int = Self.quickBefore) { self.wanted = wanted }

    /// A commit took so long.
    mutating func note(_ duration: Duration) {
        if duration > Self.longest { wanted = Self.quickAfterSlow } else if wanted > 0 { wanted -= 1 }
    }

    var isQuick: Bool { wanted == 0 }
}

extension Commit {
    /// Whether it takes hardly longer than the disk needs for anything at all.
    var isSmall: Bool {
        erasures.isEmpty && bodies.isEmpty && !beginsGeneration && journal.count <= CommitPace.journalRows
            && entries.reduce(0) { $0 + $1.entries.count } <= CommitPace.entries
    }
}
