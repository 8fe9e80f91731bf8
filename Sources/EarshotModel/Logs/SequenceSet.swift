/// A set of sequence numbers that has few gaps: ranges of numbers, ascending and apart.
package struct SequenceSet: Hashable, Sendable {
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    package init() {}

    package init(_ range: ClosedRange<UInt64>) { ranges = [range] }

    /// - Returns: `nil` if the ranges are not ascending and apart.
    package init?(ranges: [ClosedRange<UInt64>]) {
        for (range, next) in zip(ranges, ranges.dropFirst()) {
            guard range.upperBound < next.lowerBound, next.lowerBound - range.upperBound > 1 else { return nil }
        }
        self.ranges = ranges
    }

    package var isEmpty: Bool { ranges.isEmpty }

    package func contains(_ sequence: UInt64) -> Bool {
        let index = firstRange(endingAtOrAfter: sequence)
        return index < ranges.count && ranges[index].contains(sequence)
    }

    /// The first numbers from a place on that follow each other, so many at most.
    package func first(from start: UInt64, limit: UInt64) -> ClosedRange<UInt64>? {
        let index = firstRange(endingAtOrAfter: start)
        guard index < ranges.count else { return nil }
        let first = max(start, ranges[index].lowerBound)
        return first...min(ranges[index].upperBound, first + limit - 1)
    }

    // MARK: - Changing

    package mutating func insert(_ sequence: UInt64) { insert(sequence...sequence) }

    package mutating func insert(_ range: ClosedRange<UInt64>) {
        let start = firstRange(endingAtOrAfter: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
        var end = start
        var merged = range
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound + 1 {
            merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: CollectionOfOne(merged))
    }

    package mutating func remove(_ range: ClosedRange<UInt64>) {
        let start = firstRange(endingAtOrAfter: range.lowerBound)
        var end = start
        var rest: [ClosedRange<UInt64>] = []
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            if ranges[end].lowerBound < range.lowerBound { rest.append(ranges[end].lowerBound...range.lowerBound - 1) }
            if ranges[end].upperBound > range.upperBound { rest.append(range.upperBound + 1...ranges[end].upperBound) }
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: rest)
    }

    /// Everything after a place goes.
    package mutating func removeAll(after end: UInt64) {
        guard end < .max else { return }
        remove(end + 1...(.max))
    }

    package mutating func formUnion(_ other: SequenceSet) {
        for range in other.ranges { insert(range) }
    }

    package mutating func subtract(_ other: SequenceSet) {
        for range in other.ranges { remove(range) }
    }

    /// At most so many ranges, of which the last one contains what lies between those that there were.
    package func fused(to count: Int) -> SequenceSet {
        guard ranges.count > count, count > 0, let last = ranges.last else { return self }
        return union(SequenceSet(ranges[count - 1].lowerBound...last.upperBound))
    }

    package func union(_ other: SequenceSet) -> SequenceSet {
        var union = self
        union.formUnion(other)
        return union
    }

    package func subtracting(_ other: SequenceSet) -> SequenceSet {
        var rest = self
        rest.subtract(other)
        return rest
    }

    package func intersection(_ other: SequenceSet) -> SequenceSet { subtracting(subtracting(other)) }

    private func firstRange(endingAtOrAfter sequence: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
