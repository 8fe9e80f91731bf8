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
        func add(_ step: JournalRecord.Step, after: UInt64, through: UInt64, isLeftOut: (DeliveryFailure) -> Bool) {
            guard through > after else { return }
            var first = after + 1
            for place in failed.keys.filter({ $0 > after && $0 <= through }).sorted()
            where failed[place].map(isLeftOut) == true {
                if first < place { steps.append(.progress(logID, recipientID, step, first...place - 1)) }
                first = place + 1
            }
            if first <= through { steps.append(.progress(logID, recipientID, step, first...through)) }
        }
        func addNews(_ step: JournalRecord.Step, after: UInt64, through: UInt64, isLeftOut: (DeliveryFailure) -> Bool) {
            guard let returned else { return add(step, after: after, through: through, isLeftOut: isLeftOut) }
            add(step, after: after, through: min(through, returned.lowerBound - 1), isLeftOut: isLeftOut)
            add(step, after: max(after, returned.upperBound), through: through, isLeftOut: isLeftOut)
        }
        addNews(.sent, after: old.sent, through: new.sent) { _ in true }
        addNews(.delivered, after: old.delivered, through: new.delivered, isLeftOut: \.isWithheld)
        add(.read, after: old.read, through: new.read, isLeftOut: \.isWithheld)
        return steps
    }
}
