package import EarshotModel

/// Whether an entry of a participant counts.
package enum EntryStanding: Hashable, Sendable {
    case counts
    /// It counts if one of these places is the entry, or comes after it on its branch.
    case countsThrough(Set<LogPlace>)
    /// Its author did not belong to the conversation at its version, or everything of its log was cut off.
    case doesNotCount
    /// This node does not hold the control log up to its version.
    case unknownVersion
}

/// When each user has belonged to a private conversation, and which of their entries removals cut off.
///
/// A stay begins with an addition and ends with a removal. An entry belongs to the stay in which its version lies. What
/// was written in a stay that has ended counts up to the places that its removals name: in each log and branch up to
/// the furthest. A log that none of them names counts for nothing.
struct Stays: Hashable, Sendable {
    private struct Stay: Hashable, Sendable {
        let places: [LogPlace]
        var end: End?
    }

    private struct End: Hashable, Sendable {
        var cuts: Set<LogPlace>
        var reason: RemovalReason
    }

    private var stays: [UserID: [Stay]] = [:]

    init(ownerID: UserID, created: LogPlace) { stays[ownerID] = [Stay(places: [created])] }

    mutating func apply(_ changes: [StayChange]) {
        for change in changes {
            switch change {
            case .began(let userID, let places): stays[userID, default: []].append(Stay(places: places))
            case .ended(let userID, let cuts, let reason): end(of: userID, cuts, reason)
            }
        }
    }

    private mutating func end(of userID: UserID, _ cuts: Set<LogPlace>, _ reason: RemovalReason) {
        guard let last = stays[userID]?.indices.last else { return }
        if let end = stays[userID]?[last].end {
            stays[userID]?[last].end = End(cuts: end.cuts.union(cuts), reason: end.reason == .left ? reason : .removed)
        } else {
            stays[userID]?[last].end = End(cuts: cuts, reason: reason)
        }
    }

    /// Whether a stay of a user has ended.
    func hasEnded(_ userID: UserID) -> Bool { stays[userID]?.contains { $0.end != nil } == true }

    /// Tells whether something has changed about when a user was in, and which of their entries removals cut off.
    func fingerprint(of userID: UserID) -> Int { stays[userID].hashValue }

    /// Everybody who ever was in, in no order.
    var userIDs: some Collection<UserID> { stays.keys }

    /// Why a user who was in is in no longer.
    func end(of userID: UserID) -> RemovalReason? { stays[userID]?.last?.end?.reason }

    /// - Parameters:
    ///   - stay: the addition that began the stay, as the state at the entry's version names it.
    ///   - late: removals that keep the user out now.
    func standing(of userID: UserID, _ logID: LogID, stay: LogPlace, late: [LateRemoval]) -> EntryStanding {
        let all = stays[userID] ?? []
        guard let index = all.lastIndex(where: { $0.places.contains(stay) }) else { return .doesNotCount }
        var cuts = all[index].end?.cuts
        if index == all.indices.last {
            for removal in late { cuts = (cuts ?? []).union(removal.cuts) }
        }
        guard let cuts else { return .counts }
        let named = cuts.filter { $0.logID == logID }
        return named.isEmpty ? .doesNotCount : .countsThrough(named)
    }
}
