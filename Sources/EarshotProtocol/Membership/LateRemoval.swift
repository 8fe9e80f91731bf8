import EarshotModel

/// A removal in a control log, or a part of one, that the logs after it do not build on.
///
/// It counts from the first of those logs on, until an addition names it: a device that had removed somebody sends them
/// nothing more, and the others must agree.
struct LateRemoval: Hashable, Sendable {
    let place: LogPlace
    let userID: UserID
    /// The last entries of the user that count; also those of earlier removals on the same way.
    let cuts: Set<LogPlace>

    /// The last removal of each user in consecutive records.
    /// - Parameter takingBack: whether an addition behind a removal takes it back.
    static func last(in records: some Sequence<ControlRecord>, takingBack: Bool = false) -> [UserID: LateRemoval] {
        var removals: [UserID: LateRemoval] = [:]
        for record in records {
            switch record.entry {
            case .remove(let userID, let cuts, _):
                removals[userID] = LateRemoval(
                    place: record.place, userID: userID, cuts: (removals[userID]?.cuts ?? []).union(cuts))
            case .add(let userID, _) where takingBack: removals[userID] = nil
            case .add, .created, .update, .pass, .handOver, .closed, .begin: break
            }
        }
        return removals
    }
}
