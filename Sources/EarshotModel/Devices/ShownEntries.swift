/// Entries of a log that a device has shown to its user, and that do not count by what came later, as it says to the others of
/// its user.
package struct ShownEntries: Hashable, Sendable {
    /// The log's own id; it has no branches.
    package let logID: LogID
    package let sequences: SequenceSet

    package init(_ sequences: SequenceSet, of logID: LogID) {
        self.sequences = sequences
        self.logID = logID
    }
}
