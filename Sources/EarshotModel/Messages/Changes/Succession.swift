/// Entries that replace each other, in whatever order they come.
///
/// Each has a counter one higher than what it replaces, and one whose predecessor is missing waits for it. Of several with
/// one counter the latest counts.
package struct Succession<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The latest with each counter.
    private var steps: [UInt64: Step] = [:]

    private struct Step: Hashable, Sendable {
        let stamp: EntryStamp
        let value: Value
    }

    package init() {}

    package mutating func note(_ value: Value, counter: UInt64, at stamp: EntryStamp) {
        if let known = steps[counter], known.stamp >= stamp { return }
        steps[counter] = Step(stamp: stamp, value: value)
    }

    /// The counter of the one that stands; 0 if none does.
    package var counter: UInt64 {
        var counter: UInt64 = 0
        while counter < Counting.largest, steps[counter + 1] != nil { counter += 1 }
        return counter
    }

    /// The one that stands.
    package var standing: Value? { steps[counter]?.value }
}

/// When and where an entry was written. It orders entries in the same way for everybody who holds them.
package struct EntryStamp: Hashable, Sendable, Comparable {
    package let timestamp: HybridTimestamp
    package let place: LogPlace

    package init(timestamp: HybridTimestamp, place: LogPlace) {
        self.timestamp = timestamp
        self.place = place
    }

    /// Branches of a log may have entries with one timestamp: then the chain hashes decide.
    package static func < (a: EntryStamp, b: EntryStamp) -> Bool {
        (a.timestamp, a.place.logID, a.place.chain) < (b.timestamp, b.place.logID, b.place.chain)
    }
}
