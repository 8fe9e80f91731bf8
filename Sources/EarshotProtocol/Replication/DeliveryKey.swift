import EarshotModel

/// One log and one of its recipients.
struct DeliveryKey: Hashable, Sendable, Comparable {
    let logID: LogID
    let recipientID: UserID

    static func < (a: DeliveryKey, b: DeliveryKey) -> Bool {
        a.logID == b.logID ? a.recipientID < b.recipientID : a.logID < b.logID
    }
}

extension DeliveryKey {
    /// The steps between two states of progress: those of a message that has failed are left out, unless a receipt says
    /// that it was delivered all the same.
    /// - Parameter returned: messages that came back, of which it is no news that they were sent and delivered.
    func steps(
        from old: DeliveryProgress, to new: DeliveryProgress, failed: [UInt64: DeliveryFailure],
        returned: ClosedRange<UInt64>? = nil
    ) -> [JournalRecord] {
        var steps: [JournalRecord] = []
        func add(_ step: JournalRecord.Step, _ sequences: SequenceSet, isLeftOut: (DeliveryFailure) -> Bool) {
            var sequences = sequences
            for place in failed.keys where sequences.contains(place) && failed[place].map(isLeftOut) == true {
                sequences.remove(place...place)
            }
            for run in sequences.ranges { steps.append(.progress(logID, recipientID, step, run)) }
        }
        // What the recipient lacked at first and has now.
        let late = old.missing.subtracting(new.missing)
        func passed(from start: UInt64, to end: UInt64) -> SequenceSet {
            start < end ? SequenceSet(start + 1...end) : SequenceSet()
        }
        let back = returned.map { SequenceSet($0) } ?? SequenceSet()
        func seen(from start: UInt64, to end: UInt64) -> SequenceSet {
            passed(from: start, to: end).subtracting(new.missing)
                .union(late.intersection(passed(from: 0, to: min(start, end))))
        }
        add(.sent, passed(from: old.sent, to: new.sent).subtracting(back)) { _ in true }
        add(
            .delivered,
            passed(from: old.delivered, to: new.delivered).subtracting(new.missing).union(late).subtracting(back),
            isLeftOut: \.isWithheld)
        add(.handled, seen(from: old.handled, to: new.handled), isLeftOut: \.isWithheld)
        add(.read, seen(from: old.read, to: new.read), isLeftOut: \.isWithheld)
        return steps
    }
}
