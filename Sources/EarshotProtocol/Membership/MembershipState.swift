import EarshotModel

/// What changed about who is in: what `Stays` has to know.
enum StayChange: Hashable, Sendable {
    /// - Parameter places: the additions that began it; the first one names it.
    case began(UserID, places: [LogPlace])
    case ended(UserID, cuts: Set<LogPlace>, RemovalReason)
}

/// What a private conversation is at one entry of its control log: a fold over the entries before it.
///
/// 1. An addition of somebody who is in, a removal of somebody who is not, and whatever concerns the owner counts for
///    nothing; so does an addition beyond `Limits.participants`, and every entry after `closed`, but for `begin`.
/// 2. Of several attributes those with the highest (counter, timestamp, log id) count. Those of a takeover replace all.
/// 3. A takeover says who is in. A pass, a full log and a hand-over change nothing but the writer and the owner.
/// 4. A late removal keeps its user out from the log on with which it begins. It ends with an addition that names it,
///    with a takeover that knew it, and with a hand-over. Any other log whose writer knew it makes it a removal as all
///    others.
struct MembershipState: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        /// The addition that began the stay, and others that an answer may name.
        fileprivate(set) var additions: [LogPlace]
        let since: HybridTimestamp
        /// The entry with which the user became the owner. An owner needs no invitation, and a former one who leaves names
        /// this.
        fileprivate(set) var owned: LogPlace?

        var stay: LogPlace { additions[0] }
    }

    private struct Order: Hashable, Sendable, Comparable {
        let counter: UInt64
        let timestamp: HybridTimestamp
        let logID: LogID

        static func < (a: Self, b: Self) -> Bool {
            (a.counter, a.timestamp, a.logID) < (b.counter, b.timestamp, b.logID)
        }
    }

    private(set) var ownerID: UserID
    /// Users who are in unless a late removal keeps them out.
    private(set) var members: [UserID: Member]
    private(set) var lateRemovals: [UserID: [LateRemoval]] = [:]
    private(set) var uniqueName: String
    private(set) var attributes: ConversationAttributes
    private var attributesOrder: Order
    let givesHistory: Bool
    let continues: ConversationID?
    private(set) var isClosed = false

    /// - Precondition: the record is a `created`.
    init(createdBy userID: UserID, with record: ControlRecord) {
        guard case .created(let creation) = record.entry else {
            preconditionFailure("the first log begins with `created`")
        }
        ownerID = userID
        members = [userID: Member(additions: [record.place], since: record.timestamp, owned: record.place)]
        uniqueName = creation.uniqueName
        attributes = creation.attributes
        attributesOrder = Self.order(of: creation.attributes, in: record)
        givesHistory = creation.givesHistory
        continues = creation.continues
    }

    private static func order(of attributes: ConversationAttributes, in record: ControlRecord) -> Order {
        Order(counter: attributes.counter, timestamp: record.timestamp, logID: record.place.logID)
    }

    func isIn(_ userID: UserID) -> Bool { members[userID] != nil && lateRemovals[userID] == nil }

    /// In no order.
    var userIDs: [UserID] { lateRemovals.isEmpty ? Array(members.keys) : members.keys.filter(isIn) }

    /// Whether the ownership can go to a user here.
    func isHandOverEffective(to userID: UserID) -> Bool { !isClosed && isIn(userID) }

    /// Takes the next entry of a control log, its first one excepted.
    mutating func apply(_ record: ControlRecord) -> [StayChange] {
        guard !isClosed else { return [] }
        switch record.entry {
        case .add(let userID, let removal): return add(userID, returnsAfter: removal, by: record)
        case .remove(let userID, let cuts, let reason): return remove(userID, cuts: Set(cuts), reason)
        case .update(let attributes): update(attributes, by: record)
        case .closed: close()
        // `TermChain` knows what follows from these.
        case .created, .pass, .handOver, .begin: break
        }
        return []
    }

    private mutating func add(_ userID: UserID, returnsAfter: LogPlace?, by record: ControlRecord) -> [StayChange] {
        let late = lateRemovals[userID] ?? []
        let isBack = late.contains { $0.place == returnsAfter }
        guard userID != ownerID, members[userID] == nil || isBack else { return [] }
        return beginStay(of: userID, [record], naming: returnsAfter.map { [$0] } ?? [], after: .removed, cuts: [])
    }

    /// - Parameters:
    ///   - additions: those that the user may answer, ascending by time.
    ///   - named: removals that they name.
    ///   - reason, cuts: how an earlier stay that goes on until now ends.
    /// - Returns: nothing if there is no room.
    mutating func beginStay(
        of userID: UserID, _ additions: [ControlRecord], naming named: Set<LogPlace>, after reason: RemovalReason,
        cuts: Set<LogPlace>
    ) -> [StayChange] {
        var changes: [StayChange] = []
        let late = lateRemovals[userID] ?? []
        if members[userID] != nil {
            changes.append(.ended(userID, cuts: late.reduce(into: cuts) { $0.formUnion($1.cuts) }, reason))
        } else if members.count >= Limits.participants {
            return []
        }
        let left = late.filter { !named.contains($0.place) }
        lateRemovals[userID] = left.isEmpty ? nil : left
        let places = additions.map(\.place)
        members[userID] = Member(additions: places, since: additions[0].timestamp)
        return changes + [.began(userID, places: places)]
    }

    mutating func remove(_ userID: UserID, cuts: Set<LogPlace>, _ reason: RemovalReason) -> [StayChange] {
        guard userID != ownerID else { return [] }
        members[userID] = nil
        return [.ended(userID, cuts: cuts, reason)]
    }

    mutating func close() { isClosed = true }

    mutating func update(_ attributes: ConversationAttributes, by record: ControlRecord) {
        let order = Self.order(of: attributes, in: record)
        guard order > attributesOrder else { return }
        self.attributes = attributes
        attributesOrder = order
    }
}

// MARK: - One control log after another

extension MembershipState {
    /// Begins the next control log.
    /// - Parameters:
    ///   - authorID: whose device writes it.
    ///   - late: removals that count late with this log.
    ///   - known: places of late removals that its writer knew.
    mutating func begin(
        _ begin: ControlBegin, at record: ControlRecord, of authorID: UserID, late: [LateRemoval] = [],
        known: Set<LogPlace> = []
    ) -> [StayChange] {
        var standing = late.filter { $0.userID != ownerID }
        standing += lateRemovals.values.joined()
        lateRemovals = [:]
        var changes: [StayChange] = []
        if case .handOver = begin.cause {
            changes += own(authorID, by: record)
        }
        if case .takeover(let restated) = begin.cause {
            changes += restate(restated, by: record)
        } else {
            for removal in standing where known.contains(removal.place) {
                changes += remove(removal.userID, cuts: removal.cuts, .removed)
            }
        }
        guard begin.cause != .handOver else { return changes }
        for removal in standing.sorted(by: { $0.place.chain < $1.place.chain }) where !known.contains(removal.place) {
            changes += keepOut(removal)
        }
        return changes
    }

    /// Who takes a hand-over up is in, also if another branch has removed them. If their room was given away, whoever
    /// came last goes.
    private mutating func own(_ userID: UserID, by record: ControlRecord) -> [StayChange] {
        ownerID = userID
        var changes: [StayChange] = []
        if members[userID] == nil {
            let last = members.max { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
            if let last, members.count >= Limits.participants { changes += remove(last.key, cuts: [], .removed) }
            members[userID] = Member(additions: [record.place], since: record.timestamp)
            changes.append(.began(userID, places: [record.place]))
        }
        members[userID]?.owned = record.place
        return changes
    }

    /// Keeps a user out from here on.
    mutating func keepOut(_ removal: LateRemoval) -> [StayChange] {
        lateRemovals[removal.userID, default: []].append(removal)
        // Of several cuts of a stay that is over, the furthest counts.
        return members[removal.userID] == nil ? [.ended(removal.userID, cuts: removal.cuts, .removed)] : []
    }

    private mutating func restate(_ restated: RestatedConversation, by record: ControlRecord) -> [StayChange] {
        var changes: [StayChange] = []
        let before = members
        members = members.filter { $0.key == ownerID }
        for member in restated.members where members[member.userID] == nil && members.count < Limits.participants {
            if var known = before[member.userID] {
                if !known.additions.contains(member.added) { known.additions.append(member.added) }
                members[member.userID] = known
            } else {
                let places = [record.place, member.added]
                members[member.userID] = Member(additions: places, since: record.timestamp)
                changes.append(.began(member.userID, places: places))
            }
        }
        for userID in before.keys.sorted() where members[userID] == nil {
            changes.append(.ended(userID, cuts: [], .removed))
        }
        uniqueName = restated.uniqueName
        attributes = restated.attributes
        attributesOrder = Self.order(of: restated.attributes, in: record)
        return changes
    }
}
