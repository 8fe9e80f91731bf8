import EarshotModel

/// Claims about logs, "all of this log up to here", which are compared with a disk.
struct Claims: Sendable {
    private var highest: [LogID: UInt64] = [:]

    var count: UInt64 { highest.values.reduce(0, +) }

    mutating func note(_ logID: LogID, through sequence: UInt64) {
        highest[logID] = max(highest[logID, default: 0], sequence)
    }

    mutating func note(_ heads: [LogID: UInt64]) {
        for (logID, sequence) in heads { note(logID, through: sequence) }
    }

    /// How many claimed messages are not within these heads, each of which a disk holds without a gap.
    func beyond(_ heads: [LogID: UInt64]) -> Int {
        highest.reduce(0) { sum, claim in
            let held = heads[claim.key, default: 0]
            return sum + (claim.value > held ? Int(clamping: claim.value - held) : 0)
        }
    }
}
