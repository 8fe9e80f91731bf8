import EarshotModel

/// What the branches of a control log say about one user.
private struct BranchedUser {
    struct Removal {
        let cuts: [LogPlace]
        let reason: RemovalReason
    }

    private(set) var removals: [LogPlace: Removal] = [:]
    private(set) var additions: [LogPlace: ControlRecord] = [:]
    /// Removals that each addition takes back: those before it on its branch, and the one that it names.
    private var answers: [LogPlace: Set<LogPlace>] = [:]

    mutating func remove(by record: ControlRecord, cuts: [LogPlace], _ reason: RemovalReason) {
        removals[record.place] = Removal(cuts: cuts, reason: reason)
    }

    /// - Parameter removals: those before it on its branch.
    mutating func add(by record: ControlRecord, returnsAfter: LogPlace?, behind removals: Set<LogPlace>) {
        additions[record.place] = record
        answers[record.place] = removals.union(returnsAfter.map { [$0] } ?? [])
    }

    /// Ascending by time.
    func additions(where isCounting: (Set<LogPlace>) -> Bool) -> [ControlRecord] {
        additions.values.filter { isCounting(answers[$0.place] ?? []) }
            .sorted { ($0.timestamp, $0.place.chain) < ($1.timestamp, $1.place.chain) }
    }

    func named(by records: [ControlRecord]) -> Set<LogPlace> {
        records.reduce(into: []) { $0.formUnion(answers[$1.place] ?? []) }
    }

    func cuts(of places: some Collection<LogPlace>) -> Set<LogPlace> {
        places.reduce(into: []) { $0.formUnion(removals[$1]?.cuts ?? []) }
    }

    func reason(of places: some Collection<LogPlace>) -> RemovalReason {
        places.allSatisfy { removals[$0]?.reason == .left } ? .left : .removed
    }
}

extension MembershipState {
    /// Takes what the branches of a log have behind their common beginning: the additions of all branches, then the
    /// removals of all but those that an addition on the same branch takes back, or one that names them.
    mutating func merge(_ branches: [some Collection<ControlRecord>]) -> [StayChange] {
        guard !isClosed else { return [] }
        var users: [UserID: BranchedUser] = [:]
        var isClosed = false
        for branch in branches {
            var removals: [UserID: Set<LogPlace>] = [:]
            for record in branch {
                switch record.entry {
                case .add(let userID, let removal):
                    users[userID, default: BranchedUser()].add(
                        by: record, returnsAfter: removal, behind: removals[userID] ?? [])
                case .remove(let userID, let cuts, let reason):
                    users[userID, default: BranchedUser()].remove(by: record, cuts: cuts, reason)
                    removals[userID, default: []].insert(record.place)
                case .update(let attributes): update(attributes, by: record)
                case .closed: isClosed = true
                case .created, .pass, .handOver, .begin: break
                }
                if record.entry == .closed { break }
            }
        }
        users[ownerID] = nil
        let changes = merge(users)
        if isClosed { close() }
        return changes
    }

    private mutating func merge(_ users: [UserID: BranchedUser]) -> [StayChange] {
        var changes: [StayChange] = []
        let counting: [(userID: UserID, additions: [ControlRecord])] = users.map { userID, user in
            guard members[userID] != nil else { return (userID, user.additions { _ in true }) }
            let late = lateRemovals[userID] ?? []
            return (
                userID,
                user.additions { answers in
                    user.removals.keys.contains(where: answers.contains) || late.contains { answers.contains($0.place) }
                }
            )
        }
        // Who was added first finds room first.
        let inOrder = counting.filter { !$0.additions.isEmpty }.sorted {
            let (a, b) = ($0.additions[0], $1.additions[0])
            return (a.timestamp, a.place.chain) < (b.timestamp, b.place.chain)
        }
        var left = users.mapValues { Set($0.removals.keys) }
        for (userID, additions) in inOrder {
            guard let user = users[userID] else { continue }
            let named = user.named(by: additions)
            changes += beginStay(
                of: userID, additions, naming: named, after: user.reason(of: user.removals.keys),
                cuts: user.cuts(of: user.removals.keys))
            left[userID]?.subtract(named)
        }
        for (userID, removals) in left.sorted(by: { $0.key < $1.key }) where !removals.isEmpty {
            guard let user = users[userID] else { continue }
            changes += remove(userID, cuts: user.cuts(of: removals), user.reason(of: removals))
        }
        return changes
    }
}
