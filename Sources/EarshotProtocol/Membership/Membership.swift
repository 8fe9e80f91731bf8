package import EarshotModel

/// Who belongs to a private conversation, who decides that, and what it is called: a fold over its control logs.
///
/// It is the same for everybody who holds the same entries, in whatever order they came. It is given entries that are
/// decoded and proved, and neither reads nor writes any. Three machines do the work, each with its rules: `TermChain`
/// knows which control logs count up to where, `MembershipState` what they say, and `Stays` which entries of former
/// participants count.
///
/// **Who decides.** The owner's devices write control logs, one at a time. There is always exactly one owner. Nothing
/// removes an owner, who leaves only by a hand-over. A pass or a hand-over takes effect with the first control entry of
/// the device or the user that it names. Until then the writer goes on; what it wrote after the pass or hand-over then
/// falls. Nobody can take a hand-over back: an owner who could, could take the conversation back later. So it also
/// counts for somebody who has left; who takes it up is in.
///
/// **What counts.** An old copy of a device can write a branch. While no other log follows, all branches count: the
/// additions, then the removals, any `closed`, the highest attributes. Once a log follows, only what its writer built
/// on counts. Removals beside that count until an addition names them.
///
/// **What a thief cannot do.** The keys of a linked device can remove others, but never the owner. They can neither
/// hand the conversation over nor displace a log of a device with the identity key. A takeover ends whatever they wrote
/// but removals, and a revocation ends these.
///
/// **Versions.** A message names the place of the control log that its author knew. Its recipients are the participants
/// there, less those whom a branch or a log beside it removes. If that place does not count, the message is taken as
/// written where its way parts from what counts.
package struct Membership: Hashable, Sendable {
    package let conversationID: ConversationID
    private var logs: ControlLogs
    private var revocations: [DeviceID: Set<LogPlace>]
    private var invitations = Invitations()
    private var chain: TermChain
    /// What the conversation was at the first entry of each control log that counts.
    private var starts: [MembershipState] = []
    private var state: MembershipState
    private var stays: Stays
    /// Whether something was gathered that is not folded yet.
    private var isStale = false

    /// - Parameters:
    ///   - logs: in any order; copies of one log may hold different branches.
    ///   - revocations: the revoked devices whose cuts in this conversation are known, with the last places that count.
    /// - Returns: `nil` while no log founds the conversation.
    package init?(
        conversationID: ConversationID, logs: [ControlLog], revocations: [DeviceID: Set<LogPlace>] = [:]
    ) {
        var held = ControlLogs()
        for log in logs { held.insert(log) }
        let election = TermElection(conversationID: conversationID, logs: held, revocations: revocations)
        guard let chain = TermChain(election), let founded = held[chain.terms[0].start].first else { return nil }
        self.conversationID = conversationID
        self.logs = held
        self.revocations = revocations
        self.chain = chain
        let ownerID = held[founded.place].authorID
        state = MembershipState(createdBy: ownerID, with: founded)
        stays = Stays(ownerID: ownerID, created: founded.place)
        fold()
    }

    // MARK: What came

    /// Takes a log, or more branches of one. Builds everything again.
    package mutating func insert(_ log: ControlLog) {
        gather(log)
        settle()
    }

    /// Takes the next entries of a log. Cheap where they go on at the end of the log that counts last.
    /// - Parameter place: the entry before them.
    /// - Returns: whether this node holds that entry.
    package mutating func append(_ records: some Collection<ControlRecord>, after place: LogPlace) -> Bool {
        defer { settle() }
        return gather(records, after: place)
    }

    /// Takes a log, or more branches of one, that counts from `settle()` on: what comes together is folded once.
    mutating func gather(_ log: ControlLog) {
        logs.insert(log)
        isStale = true
    }

    /// Takes the next entries of a log, like `append`. They count from `settle()` on.
    mutating func gather(_ records: some Collection<ControlRecord>, after place: LogPlace) -> Bool {
        let isAtEnd = !isStale && isEndOfOnlyBranch(place)
        guard logs.append(records, after: place) else { return false }
        guard isAtEnd, !records.contains(where: { chain.awaited.contains($0.place) }) else {
            isStale = true
            return true
        }
        let room = Limits.controlEntries - chain.last.paths[0].count
        for record in records.prefix(room) { stays.apply(state.apply(record)) }
        chain.extendLast(by: min(room, records.count))
        return true
    }

    /// Lets go of the unsent end of a branch: it was written to an older copy of the disk. Builds everything anew.
    /// - Parameters:
    ///   - end: its last entry.
    ///   - count: how many entries of the branch stay. The log that founds the conversation stays whole.
    package mutating func forget(_ end: LogPlace, after count: Int) {
        guard count > 0 || end.logID != chain.terms[0].start.logID else { return }
        logs.forget(end, after: count)
        rebuild()
    }

    /// Whether a place is where the log that counts last goes on, so that all behind it counts.
    private func isEndOfOnlyBranch(_ place: LogPlace) -> Bool {
        let log = logs[chain.last.start]
        return log.branches.count == 1 && log.branches[0].last?.place == place
            && revocations[log.description.deviceID] == nil
    }

    /// Cuts off what a revoked device wrote after some places. Builds everything again.
    /// - Parameter places: the last entry that counts, for each log and branch. A log without one counts for nothing.
    package mutating func revoke(_ deviceID: DeviceID, after places: Set<LogPlace>) {
        gather(revocationOf: deviceID, after: places)
        settle()
    }

    /// Like `revoke`; it counts from `settle()` on.
    mutating func gather(revocationOf deviceID: DeviceID, after places: Set<LogPlace>) {
        if revocations[deviceID]?.isSuperset(of: places) == true { return }
        revocations[deviceID, default: []].formUnion(places)
        isStale = true
    }

    /// How many control logs are here that may count.
    var logCount: Int { logs.all.count }

    /// Whether a control log counts last, and has one branch.
    func isLast(_ logID: LogID) -> Bool {
        chain.last.start.logID == logID && logs[chain.last.start].branches.count == 1
    }

    /// Whether a control log is among those that may count.
    func holds(_ logID: LogID) -> Bool { logs.contains(logID) }

    /// Whether a log that is here goes on from another one of a user, by the word of that user's identity key.
    func isTakenOver(_ logID: LogID, of userID: UserID) -> Bool {
        logs.all.contains { $0.takesOver(from: logID, of: userID) }
    }

    /// Whether a device of a user has written one of the control logs that are here.
    package func hasLog(of deviceID: DeviceID, by userID: UserID) -> Bool {
        logs.all.contains { $0.description.deviceID == deviceID && $0.authorID == userID }
    }

    /// Takes a `Join`.
    /// - Returns: whether the addition that it answers is held; else it counts for nothing yet.
    @discardableResult
    package mutating func noteJoin(of userID: UserID, answering addition: LogPlace) -> Bool {
        guard isAddition(addition, of: userID) else { return false }
        invitations.noteJoin(of: userID, answering: addition)
        return true
    }

    /// Takes a `Leave`.
    /// - Returns: whether the addition that it answers is held; else it counts for nothing yet.
    @discardableResult
    package mutating func noteLeave(of userID: UserID, answering addition: LogPlace) -> Bool {
        guard isAddition(addition, of: userID) else { return false }
        invitations.noteLeave(of: userID, answering: addition)
        return true
    }

    /// Bounds what strangers' answers can cost: there are no more of them than additions.
    private func isAddition(_ place: LogPlace, of userID: UserID) -> Bool {
        guard let (start, path) = logs.path(to: place) else { return false }
        switch logs[start][path].last?.entry {
        case .add(userID, _): return true
        case .created: return logs[start].authorID == userID
        case .begin(let begin):
            switch begin.cause {
            case .takeover(let restated): return restated.members.contains { $0.userID == userID }
            case .handOver: return logs[start].authorID == userID
            case .pass, .full: return false
            }
        default: return false
        }
    }

    /// What was gathered counts.
    /// - Returns: whether everything was built again, and not only the end that went on.
    @discardableResult
    mutating func settle() -> Bool {
        guard isStale else { return false }
        rebuild()
        return true
    }

    private mutating func rebuild() {
        isStale = false
        let election = TermElection(conversationID: conversationID, logs: logs, revocations: revocations)
        guard let chain = TermChain(election) else { preconditionFailure("a conversation that was founded stays so") }
        self.chain = chain
        fold()
    }

    private mutating func fold() {
        starts = []
        for term in chain.terms {
            let log = logs[term.start]
            guard let first = log.first else { preconditionFailure("a log that is held has an entry") }
            if let begin = log.begin {
                stays.apply(state.begin(begin, at: first, of: log.authorID, late: term.late, known: term.known))
            } else {
                state = MembershipState(createdBy: log.authorID, with: first)
                stays = Stays(ownerID: log.authorID, created: first.place)
            }
            starts.append(state)
            let common = log.commonCount(of: term.paths)
            for record in log.branches[term.paths[0].branch][1..<common] { stays.apply(state.apply(record)) }
            if term.paths.count > 1 { stays.apply(state.merge(term.paths.map { log[$0].dropFirst(common) })) }
        }
    }
}

// MARK: - What it is now

extension Membership {
    package var ownerID: UserID { state.ownerID }
    /// Who founded it.
    package var creatorID: UserID { logs[chain.terms[0].start].authorID }
    package var uniqueName: String { state.uniqueName }
    package var attributes: ConversationAttributes { state.attributes }
    package var isClosed: Bool { state.isClosed }
    package var givesHistory: Bool { state.givesHistory }
    /// The conversation that this one continues.
    package var continues: ConversationID? { state.continues }
    /// The number of the control log that counts last, from 1.
    package var term: Int { chain.terms.count }
    /// The device that may append to the control log, unless the log is full.
    package var writer: DeviceID { logs[chain.last.start].description.deviceID }

    /// The ends of the control log that counts last: one, unless the log has branches.
    package var ends: [LogPlace] {
        let log = logs[chain.last.start]
        return chain.last.paths.compactMap { log[$0].last?.place }
    }

    /// Those who are in, the invited and those who have left included, ascending by time.
    package var participants: [Participant] {
        state.userIDs.compactMap(participant).sorted { ($0.since, $0.userID) < ($1.since, $1.userID) }
    }

    /// Everybody who ever was in, ascending by time: those who are out are listed with what ended that.
    package var everybody: [Participant] {
        let out = stays.userIDs.filter { !state.isIn($0) }.sorted().compactMap { userID in
            status(of: userID).map {
                Participant(
                    userID: userID, role: .participant, status: $0, since: HybridTimestamp(rawValue: 0))
            }
        }
        return participants + out
    }

    private func participant(_ userID: UserID) -> Participant? {
        guard let member = state.members[userID], let status = status(of: userID) else { return nil }
        let role: Participant.Role = userID == ownerID ? .owner : .participant
        return Participant(userID: userID, role: role, status: status, since: member.since)
    }

    /// - Returns: `nil` for a user who was never added.
    package func status(of userID: UserID) -> Participant.Status? {
        if state.isIn(userID) { return isClosed ? .closed : answer(of: userID) }
        if state.members[userID] != nil { return .removed }
        switch stays.end(of: userID) {
        case .left: return .left
        case .removed: return .removed
        // An addition that does not count is a removal.
        case nil: return isAddedInVain(userID) ? .removed : nil
        }
    }

    /// Whether a user is in and has answered the addition, or needs no answer; also when the conversation is closed.
    package func hasJoined(_ userID: UserID) -> Bool { state.isIn(userID) && answer(of: userID) == .joined }

    /// Whether a user is in, invited or not.
    package func isIn(_ userID: UserID) -> Bool { state.isIn(userID) && status(of: userID) != .left }

    /// Whether a user's stay has ever ended, or was in vain: something that they wrote may not count.
    package func wasEverOut(_ userID: UserID) -> Bool { stays.hasEnded(userID) || isAddedInVain(userID) }

    /// Tells, as long as the program runs, whether something has changed about which of a user's entries count.
    package func fingerprint(of userID: UserID) -> Int {
        var hasher = Hasher()
        hasher.combine(stays.fingerprint(of: userID))
        hasher.combine(state.lateRemovals[userID])
        hasher.combine(isAddedInVain(userID))
        return hasher.finalize()
    }

    /// The addition that a user who is in has to answer; of a former owner, the entry with which they became it.
    package func addition(of userID: UserID) -> LogPlace? {
        guard state.isIn(userID), let member = state.members[userID] else { return nil }
        return member.owned ?? member.stay
    }

    /// How far each control log may go to a user who is out: up to what says so; `nil` for a whole log.
    package func controlEnds(for userID: UserID) -> [LogID: LogPlace?] {
        var ends: [LogID: LogPlace?] = [:]
        var last: (term: Int, place: LogPlace)?
        for (index, term) in chain.terms.enumerated() {
            let records = term.paths.flatMap { logs[term.start][$0] }
            if let end = records.last(where: { $0.entry.endsStay(of: userID) }) { last = (index, end.place) }
        }
        for (start, losses) in chain.losses {
            // The user may hold an addition that no longer counts: what overrules it says so.
            let lost = losses.flatMap { loss in
                logs[start].branches[loss.branch].enumerated().dropFirst(loss.after)
                    .filter { $0.element.entry.concernsStay(of: userID) }
                    .map { (record: $0.element, isLate: $0.offset < loss.removalsEnd) }
            }
            guard !lost.isEmpty, let term = overruling(start), let first = logs[chain.terms[term].start].first else {
                continue
            }
            if term > last?.term ?? -1 { last = (term, first.place) }
            // A removal counts also in a log that does not.
            guard let removal = lost.last(where: { $0.isLate && $0.record.entry.endsStay(of: userID) }) else {
                continue
            }
            ends.updateValue(removal.record.place, forKey: start.logID)
        }
        if let end = last, overrulesRival(of: end.place, in: end.term),
            let first = logs[chain.terms[end.term + 1].start].first
        {
            last = (end.term + 1, first.place)
        }
        guard let last else { return [:] }
        for term in chain.terms.prefix(last.term) { ends.updateValue(nil, forKey: term.start.logID) }
        ends.updateValue(last.place, forKey: chain.terms[last.term].start.logID)
        return ends
    }

    /// Whether the log that follows one has won over another, which goes on from before an entry: who holds that one only
    /// would not take the entry to count.
    private func overrulesRival(of place: LogPlace, in term: Int) -> Bool {
        guard term + 1 < chain.terms.count else { return false }
        let log = logs[chain.terms[term].start]
        guard let path = log.path(to: place) else { return false }
        return chain.losses.keys.contains { start in
            guard start != chain.terms[term + 1].start, let begin = logs[start].begin,
                let before = log.path(to: begin.follows)
            else { return false }
            return min(before.count, log.commonCount(before.branch, path.branch)) < path.count
        }
    }

    /// The log that counts instead of another, or of its end, by its number from 0.
    private func overruling(_ start: LogPlace) -> Int? {
        var start = start
        while true {
            if let index = chain.terms.firstIndex(where: { $0.start == start }) {
                return index + 1 < chain.terms.count ? index + 1 : nil
            }
            guard let begin = logs[start].begin, let (before, _) = logs.path(to: begin.follows) else { return nil }
            start = before
        }
    }

    private func answer(of userID: UserID) -> Participant.Status? {
        guard let member = state.members[userID] else { return nil }
        guard let owned = member.owned else { return invitations.status(of: userID, additions: member.additions) }
        // A present owner leaves only by a hand-over.
        return userID != ownerID && invitations.hasLeft(userID, answering: owned) ? .left : .joined
    }

    private func isAddedInVain(_ userID: UserID) -> Bool {
        lostRecords { _ in true }.contains { record in
            if case .add(userID, _) = record.entry { true } else { false }
        }
    }

    /// What a device wrote and what does not count, to be offered to its user anew; ascending by time.
    package func lost(by deviceID: DeviceID) -> [ControlRecord] {
        lostRecords { $0 == deviceID }.filter { record in
            switch record.entry {
            case .add, .remove, .update, .handOver, .closed: true
            case .created, .pass, .begin: false
            }
        }
    }

    /// Entries that do not count, but for removals that count late.
    private func lostRecords(by isMeant: (DeviceID) -> Bool) -> [ControlRecord] {
        var records: [LogPlace: ControlRecord] = [:]
        for (start, losses) in chain.losses where isMeant(logs[start].description.deviceID) {
            let branches = logs[start].branches
            for loss in losses {
                for (index, record) in branches[loss.branch].enumerated().dropFirst(loss.after) {
                    if case .remove = record.entry, index < loss.removalsEnd { continue }
                    records[record.place] = record
                }
            }
        }
        return records.values.sorted { ($0.timestamp, $0.place.chain) < ($1.timestamp, $1.place.chain) }
    }
}

// MARK: - What a device is to write

extension Membership {
    /// Whether a device may append to the control log that counts last.
    package func mayWrite(_ userID: UserID, on deviceID: DeviceID) -> Bool { ownerID == userID && writer == deviceID }

    /// What a device writes without being asked: it takes up a hand-over to its user, and removes whoever has left.
    package func duties(of userID: UserID, on deviceID: DeviceID) -> [ControlEntry] {
        guard !isClosed, let end = ends.first else { return [] }
        if ownerID != userID, let place = openHandOver(to: userID), !isTakenUp(place, by: userID) {
            return [.begin(ControlBegin(term: UInt64(term) + 1, follows: place, heads: [end], cause: .handOver))]
        }
        guard mayWrite(userID, on: deviceID) else { return [] }
        return participants.filter { $0.status == .left }.map { .remove($0.userID, reason: .left) }
    }

    /// What a device still has to write of the unsent end of a control log of its own, after what came back.
    package func remaining(of entries: [ControlEntry], by userID: UserID, on deviceID: DeviceID) -> [ControlEntry] {
        guard !isClosed, mayWrite(userID, on: deviceID) else { return [] }
        var present = Set(participants.map(\.userID).filter(isIn))
        var counter = attributes.counter
        var remaining: [ControlEntry] = []
        for entry in entries {
            switch entry {
            case .add(let addedID, _):
                guard present.insert(addedID).inserted else { continue }
                remaining.append(.add(addedID, returnsAfter: lateRemoval(of: addedID)))
            case .remove(let removedID, _, let reason):
                guard present.remove(removedID) != nil else { continue }
                remaining.append(.remove(removedID, reason: reason))
            case .update(let old):
                counter += 1
                remaining.append(
                    .update(ConversationAttributes(friendlyName: old.friendlyName, json: old.json, counter: counter)))
            case .handOver(let newOwnerID): if present.contains(newOwnerID) { remaining.append(entry) }
            case .closed: remaining.append(entry)
            case .created, .pass, .begin: break
            }
        }
        return remaining
    }

    /// The last hand-over to a user in the control log that counts last.
    private func openHandOver(to userID: UserID) -> LogPlace? {
        let log = logs[chain.last.start]
        guard log.isPrimary else { return nil }
        return chain.last.paths.lazy.compactMap { path in
            log[path].last { $0.entry == .handOver(to: userID) }?.place
        }.first
    }

    /// Whether a log of a user that is here goes on from a hand-over, though it may wait for what else it names.
    private func isTakenUp(_ handOver: LogPlace, by userID: UserID) -> Bool {
        logs.all.contains { $0.authorID == userID && $0.begin?.follows == handOver }
    }

    /// Whether the log that counts last is of a device that has proved to hold the identity key.
    package var isWriterPrimary: Bool { logs[chain.last.start].isPrimary }

    /// A removal in a log that does not count, and that keeps a user out until an addition names it.
    package func lateRemoval(of userID: UserID) -> LogPlace? { state.lateRemovals[userID]?.last?.place }

    /// What a device that holds the identity key writes first to go on in a log of its own, where the device that wrote is lost
    /// or revoked: all who are in stay in. `nil` if no more logs may follow.
    package var takeover: ControlEntry? {
        guard let end = ends.first, term < Limits.controlTerms else { return nil }
        let members = participants.filter { $0.userID != ownerID && isIn($0.userID) }.compactMap { participant in
            addition(of: participant.userID).map {
                RestatedConversation.Member(userID: participant.userID, added: $0)
            }
        }
        let restated = RestatedConversation(uniqueName: uniqueName, attributes: attributes, members: members)
        let heads = Array(ends.dropFirst().prefix(Limits.controlHeads))
        return .begin(
            ControlBegin(term: UInt64(term) + 1, follows: end, heads: heads, cause: .takeover(restated)))
    }

    /// What goes before the next entry if the log that counts last is full.
    package var continuation: ControlEntry? {
        guard let end = ends.first, end.sequence >= Limits.controlEntries else { return nil }
        return .begin(ControlBegin(term: UInt64(term) + 1, follows: end, cause: .full))
    }
}

extension ControlEntry {
    /// Whether it begins or ends the stay of a user.
    fileprivate func concernsStay(of userID: UserID) -> Bool {
        if case .add(userID, _) = self { true } else { endsStay(of: userID) }
    }

    fileprivate func endsStay(of userID: UserID) -> Bool {
        switch self {
        case .remove(userID, _, _): return true
        case .begin(let begin):
            guard case .takeover(let restated) = begin.cause else { return false }
            return !restated.members.contains { $0.userID == userID }
        default: return false
        }
    }
}

// MARK: - What it was at a version

extension Membership {
    /// What the conversation was for somebody who knew the control log up to a place.
    /// - Returns: `nil` if this node does not hold the log up to there, or the logs before it.
    func state(at version: LogPlace) -> MembershipState? {
        guard let (start, path) = logs.path(to: version) else { return nil }
        let log = logs[start]
        var state: MembershipState
        var counted = 0
        if let index = chain.terms.firstIndex(where: { $0.start == start }) {
            let paths = chain.terms[index].paths
            counted = min(path.count, log.count(of: path.branch, on: paths))
            if counted == path.count, ends == [version] { return self.state }
            state = starts[index]
            for record in log[path].prefix(counted).dropFirst() { _ = state.apply(record) }
            keepOut(removals(of: log, beside: path, paths), of: &state)
        } else {
            guard chain.losses[start] != nil, let begin = log.begin, let before = self.state(at: begin.follows)
            else { return nil }
            state = before
        }
        if let loss = chain.losses[start]?.first(where: { $0.branch == path.branch }), loss.after < path.count {
            keepOut(LateRemoval.last(in: log[path].prefix(loss.removalsEnd).dropFirst(counted)).values, of: &state)
        }
        return state
    }

    /// Removals on other branches that count and that the branch itself does not take back.
    private func removals(of log: ControlLog, beside path: ControlPath, _ paths: [ControlPath]) -> [LateRemoval] {
        guard paths.count > 1, path.count > log.commonCount(of: paths) else { return [] }
        return paths.flatMap { other in
            let common = min(path.count, log.commonCount(path.branch, other.branch))
            guard other.branch != path.branch, common < path.count else { return [LateRemoval]() }
            return Array(LateRemoval.last(in: log[other].dropFirst(common), takingBack: true).values)
        }
    }

    private func keepOut(_ removals: some Sequence<LateRemoval>, of state: inout MembershipState) {
        for removal in removals.sorted(by: { $0.place.chain < $1.place.chain }) where removal.userID != state.ownerID {
            _ = state.keepOut(removal)
        }
    }

    /// Who an entry is for: the participants at its version, the invited ones included.
    /// - Returns: `nil` if this node does not hold the control log up to there.
    package func recipients(of authorID: UserID, at version: LogPlace) -> Set<UserID>? {
        state(at: version).map { Set($0.userIDs).subtracting([authorID]) }
    }

    /// Whether a user may be given the contents of entries of a version.
    package func isOwed(_ userID: UserID, at version: LogPlace) -> Bool {
        state.isIn(userID) && answer(of: userID) == .joined && mayRead(userID, at: version)
    }

    /// Whether the contents of entries of a version are for a user, once they have joined.
    func mayRead(_ userID: UserID, at version: LogPlace) -> Bool {
        givesHistory || state(at: version)?.isIn(userID) == true
    }

    /// Whether an entry of a message log counts.
    package func standing(of authorID: UserID, in logID: LogID, at version: LogPlace) -> EntryStanding {
        guard let then = state(at: version) else { return .unknownVersion }
        guard !then.isClosed, let member = then.members[authorID] else { return .doesNotCount }
        return stays.standing(of: authorID, logID, stay: member.stay, late: state.lateRemovals[authorID] ?? [])
    }
}
