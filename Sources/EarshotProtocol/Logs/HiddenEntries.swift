/// The own entries of a log that are no messages, as runs of numbers: a program that edits in place writes many in a row.
struct HiddenEntries: Sendable {
    /// Ascending and apart.
    private var runs: [ClosedRange<UInt64>] = []

    mutating func insert(_ sequence: UInt64) {
        let index = firstRun(endingAtOrAfter: sequence == 0 ? 0 : sequence - 1)
        guard index < runs.count else { return runs.append(sequence...sequence) }
        let run = runs[index]
        guard !run.contains(sequence) else { return }
        if run.upperBound + 1 == sequence {
            runs[index] = run.lowerBound...sequence
        } else if run.lowerBound == sequence + 1 {
            runs[index] = sequence...run.upperBound
        } else {
            runs.insert(sequence...sequence, at: index)
            return
        }
        guard index + 1 < runs.count, runs[index].upperBound + 1 == runs[index + 1].lowerBound else { return }
        runs[index] = runs[index].lowerBound...runs[index + 1].upperBound
        runs.remove(at: index + 1)
    }

    func contains(_ sequence: UInt64) -> Bool {
        let index = firstRun(endingAtOrAfter: sequence)
        return index < runs.count && runs[index].contains(sequence)
    }

    /// The log ends here now.
    mutating func removeAll(after end: UInt64) {
        runs = runs.compactMap { $0.lowerBound > end ? nil : $0.lowerBound...min(end, $0.upperBound) }
    }

    private func firstRun(endingAtOrAfter sequence: UInt64) -> Int {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
