import EarshotModel

extension Recovery {
    /// An entry that came back without its content does not say when it was written, and counts from the one before it:
    /// this node may know better when that was.
    mutating func raiseTimes() {
        var last = max(comparedTime, run[..<compared].last?.timestamp ?? comparedTime)
        for (index, entry) in run.enumerated().dropFirst(compared) {
            guard case .withheld = entry.content, entry.timestamp <= last, last < .maximum else { return }
            last = last.next
            run[index] = EntryRecord(
                sequence: entry.sequence, timestamp: last, expiry: entry.expiry, kind: entry.kind,
                content: entry.content, chain: entry.chain, checkpoint: entry.checkpoint, isDeleted: entry.isDeleted)
        }
        log?.raise(to: last)
    }
}
