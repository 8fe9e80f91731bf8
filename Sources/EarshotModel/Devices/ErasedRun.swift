/// Entries of one branch of a log whose contents a device has erased, as it says so to the others of its user.
package struct ErasedRun: Hashable, Sendable {
    /// The last of them.
    package let last: LogPlace
    /// How many they are, at least one.
    package let count: UInt64

    package init(through last: LogPlace, count: UInt64 = 1) {
        self.last = last
        self.count = count
    }

    package var sequences: ClosedRange<UInt64> { last.sequence - count + 1...last.sequence }

    /// What of it is in a range; `nil` if nothing is.
    package func clamped(from first: UInt64) -> ErasedRun? {
        guard first <= last.sequence else { return nil }
        return ErasedRun(through: last, count: min(count, last.sequence - first + 1))
    }
}

/// What of a branch is erased with a commit.
package struct LogErasure: Hashable, Sendable {
    /// The branch's id on this node.
    package let logID: LogID
    /// Whether this device writes it: then what a recipient may still need stays.
    package let isOwn: Bool
    package let runs: [ErasedRun]

    package init(logID: LogID, isOwn: Bool, runs: [ErasedRun]) {
        self.logID = logID
        self.isOwn = isOwn
        self.runs = runs
    }
}
