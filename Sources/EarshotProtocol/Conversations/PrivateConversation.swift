import DequeModule
import EarshotModel

/// A private conversation as far as this node holds it: its control logs, folded, and what the logs of messages say about
/// what their authors knew of them.
struct PrivateConversation: Sendable {
    /// From an entry on the author of a log knew the control logs up to a place.
    private struct Version: Hashable, Sendable {
        let sequence: UInt64
        let place: LogPlace
    }

    /// A `Join`, or a `Leave`, that came before the addition that it answers.
    private struct Answer: Hashable, Sendable {
        let userID: UserID
        let addition: LogPlace
        let isLeave: Bool
    }

    let conversationID: ConversationID
    /// `nil` while no log that is here founds the conversation.
    private(set) var membership: Membership?
    /// Control logs that count for nothing yet: nothing that is here founds the conversation, or gives it to their author.
    private var unconnected: [ControlLog] = []
    /// The ids of these, and of control logs that do not even begin like one.
    private(set) var unconnectedLogs: Set<LogID> = []
    /// Who founded it, and everybody to whom a log that is here hands it over. Nobody else's control logs can ever count.
    private var heirs: Set<UserID> = []
    /// What of the control logs is not folded yet, by branch.
    private var unfolded: [LogID: ControlRun] = [:]
    /// By branch of a log of messages, ascending.
    private var versions: [LogID: [Version]] = [:]
    /// Answers that have come and are not looked at yet.
    private var answers: [Answer] = []
    /// Answers to what is not here yet, oldest first.
    private var early: Deque<Answer> = []
    /// Where the logs of revoked devices end, and whose devices they are.
    private var cuts: [(cut: DeviceCut, userID: UserID)] = []
    private var hasNewCuts = false

    init(_ conversationID: ConversationID) { self.conversationID = conversationID }

    // MARK: - What came

    /// Takes entries of a branch that are on the disk.
    /// - Parameter before: the entry before them.
    ///
    /// What they say counts from `fold()` on: what comes together is folded once.
    mutating func take(
        _ entries: some Collection<EntryRecord>, of log: LogDescription, by authorID: UserID, branch: LogID,
        after before: Place
    ) {
        switch log.kind {
        case .control:
            if membership?.holds(log.logID) != true { unconnectedLogs.insert(log.logID) }
            unfolded[branch, default: ControlRun(of: log, by: authorID, after: before)].append(entries, after: before)
        case .messages: takeAnswers(entries, by: authorID)
        }
    }

    /// Takes entries whose bodies were missing, and are on the disk now. They count from `fold()` on.
    mutating func takeFound(
        _ entries: some Collection<EntryRecord>, of log: LogDescription, by authorID: UserID, branch: LogID
    ) {
        switch log.kind {
        case .control: unfolded[branch]?.complete(with: entries)
        case .messages: takeAnswers(entries, by: authorID)
        }
    }

    /// What was taken counts. One branch may go on from what another brings.
    /// - Returns: whether it may have changed who is in.
    mutating func fold() -> Bool {
        var isNews = !answers.isEmpty || hasNewCuts
        var folded: Bool
        repeat {
            folded = false
            for branch in unfolded.keys.sorted() where fold(branch) { folded = true }
            isNews = isNews || folded
        } while folded && !unfolded.isEmpty
        if isNews { applyCuts() }
        hasNewCuts = false
        membership?.settle()
        unconnectedLogs = unconnectedLogs.filter { membership?.holds($0) != true }
        noteAnswers()
        return isNews
    }

    /// - Returns: whether an entry of the branch was folded.
    private mutating func fold(_ branch: LogID) -> Bool {
        guard var run = unfolded[branch] else { return false }
        let records = run.records
        if let first = records.first {
            if first.place.sequence == 1 {
                insert(
                    ControlLog(
                        description: run.log, authorID: run.authorID, isPrimary: run.isPrimary, branches: [records]))
            } else {
                guard append(records, after: run.log.place(run.before)) else { return false }
            }
            run.drop(records.count)
        }
        unfolded[branch] = run.lacksBody ? run : nil
        return !records.isEmpty
    }

    private mutating func insert(_ log: ControlLog) {
        unconnected.append(log)
        connect()
    }

    /// - Returns: whether the entry before them is here.
    private mutating func append(_ records: [ControlRecord], after place: LogPlace) -> Bool {
        if membership?.gather(records, after: place) == true {
            noteHeirs(in: records)
            connect()
            return true
        }
        for index in unconnected.indices where unconnected[index].append(records, after: place) { return true }
        return false
    }

    /// Takes up the logs that may count from now on.
    private mutating func connect() {
        if membership == nil, let index = unconnected.firstIndex(where: { $0.founds(conversationID) }) {
            let founding = unconnected.remove(at: index)
            membership = Membership(conversationID: conversationID, logs: [founding])
            heirs.insert(founding.authorID)
            for branch in founding.branches { noteHeirs(in: branch) }
        }
        guard membership != nil else { return }
        while let index = unconnected.firstIndex(where: { heirs.contains($0.authorID) }) {
            let log = unconnected.remove(at: index)
            membership?.gather(log)
            for branch in log.branches { noteHeirs(in: branch) }
        }
    }

    /// How many control logs are here.
    private var controlLogCount: Int { (membership?.logCount ?? 0) + unconnectedLogs.count }

    /// How many requests it is to fold entries of a control log: none where the end of the last log goes on.
    func foldCost(of log: LogID) -> Int {
        membership?.isLast(log) == true ? 0 : controlLogCount / Limits.foldedLogsPerRequest
    }

    /// Whether a control log that is here goes on from another one of a user, by the word of that user's identity key.
    func isTakenOver(_ log: LogID, of userID: UserID) -> Bool {
        membership?.isTakenOver(log, of: userID) == true
            || unconnected.contains { $0.takesOver(from: log, of: userID) }
    }

    /// Whether a user may still answer it, as far as is known.
    func isInvitation(of userID: UserID) -> Bool {
        switch membership?.status(of: userID) {
        case .invited, nil: true
        case .joined, .left, .removed, .closed: false
        }
    }

    /// Whether a user founded it, or was ever handed it.
    func isHeir(_ userID: UserID) -> Bool { heirs.contains(userID) }

    private mutating func noteHeirs(in records: some Collection<ControlRecord>) {
        for record in records {
            if case .handOver(let userID) = record.entry { heirs.insert(userID) }
        }
    }

    /// The unsent end of a branch of an own log gives way to what comes back.
    mutating func forgetUnsent(_ end: LogPlace, of branch: LogID, after count: UInt64) {
        unfolded[branch] = nil
        membership?.forget(end, after: Int(count))
    }

    /// The identity key of a user has said where the logs of a device of theirs end. It counts from `fold()` on.
    mutating func revoke(_ cut: DeviceCut, by userID: UserID) {
        cuts.append((cut, userID))
        hasNewCuts = true
    }

    /// A cut of somebody else's device is none.
    private mutating func applyCuts() {
        for (cut, userID) in cuts where membership?.hasLog(of: cut.deviceID, by: userID) == true {
            membership?.gather(revocationOf: cut.deviceID, after: Set(cut.ends))
        }
    }

    private mutating func takeAnswers(_ entries: some Collection<EntryRecord>, by authorID: UserID) {
        for entry in entries where entry.kind == .join || entry.kind == .leave {
            switch entry.bodyContent {
            case .join(let addition?):
                answers.append(Answer(userID: authorID, addition: addition, isLeave: false))
            case .leave(let addition?):
                answers.append(Answer(userID: authorID, addition: addition, isLeave: true))
            default: continue
            }
        }
    }

    /// Answers count where what they answer is here, and wait for it elsewhere.
    private mutating func noteAnswers() {
        for answer in early where note(answer) { early.removeAll { $0 == answer } }
        for answer in answers where !note(answer) && !early.contains(answer) {
            if early.count >= Limits.earlyAnswers { early.removeFirst() }
            early.append(answer)
        }
        answers = []
    }

    /// - Returns: whether what it answers is here.
    private mutating func note(_ answer: Answer) -> Bool {
        let isHeld =
            answer.isLeave
            ? membership?.noteLeave(of: answer.userID, answering: answer.addition)
            : membership?.noteJoin(of: answer.userID, answering: answer.addition)
        return isHeld == true
    }

    // MARK: - Versions

    /// Entries of a branch are proved: notes what their author knew.
    mutating func noteVersions(in entries: some Collection<EntryRecord>, of branch: IncomingLog) {
        guard branch.description.kind == .messages, let first = entries.first else { return }
        noteVersions(
            in: entries, from: first.sequence, branch: branch.logID, trunk: branch.description.logID,
            base: branch.base?.sequence)
    }

    /// - Parameters:
    ///   - trunk: the branch that this one parts from.
    ///   - base: the last entry that they have in common.
    mutating func noteVersions(
        in entries: some Collection<EntryRecord>, from first: UInt64, branch: LogID, trunk: LogID, base: UInt64?
    ) {
        if versions[branch] == nil, let base {
            versions[branch] = versions[trunk]?.filter { $0.sequence <= base }
        }
        // What was proved and not written may have come differently.
        versions[branch]?.removeAll { $0.sequence >= first }
        for entry in entries where entry.kind == .version {
            guard case .version(let place) = entry.bodyContent else { continue }
            versions[branch, default: []].append(Version(sequence: entry.sequence, place: place))
        }
    }

    /// Versions were missing, and have come.
    mutating func insertVersions(in entries: [EntryRecord], branch: LogID) {
        for entry in entries where entry.kind == .version {
            guard case .version(let place) = entry.bodyContent else { continue }
            var known = versions[branch, default: []]
            known.removeAll { $0.sequence == entry.sequence }
            let index = known.firstIndex { $0.sequence > entry.sequence } ?? known.endIndex
            known.insert(Version(sequence: entry.sequence, place: place), at: index)
            versions[branch] = known
        }
    }

    /// What the author of an entry knew.
    func version(of branch: LogID, at sequence: UInt64) -> LogPlace? {
        versions[branch]?.last { $0.sequence <= sequence }?.place
    }

    /// Whether this node holds the control logs up to a place.
    func holds(_ version: LogPlace) -> Bool { membership?.state(at: version) != nil }

    /// What is known of entries of one log by one version of what its author knew.
    typealias Standings = [LogID: [LogPlace: EntryStanding]]

    /// Whether a message, or a change of one, counts.
    func counts(_ entry: EntryRecord, of branch: LogID, by authorID: UserID, in log: LogDescription) -> Bool {
        var known = Standings()
        return counts(entry, of: branch, by: authorID, in: log, &known)
    }

    /// - Parameter known: what was found for other entries: to find it costs a fold.
    func counts(
        _ entry: EntryRecord, of branch: LogID, by authorID: UserID, in log: LogDescription, _ known: inout Standings
    ) -> Bool {
        guard let membership, let version = version(of: branch, at: entry.sequence) else { return false }
        let standing = known[log.logID]?[version] ?? membership.standing(of: authorID, in: log.logID, at: version)
        known[log.logID, default: [:]][version] = standing
        switch standing {
        case .counts: return true
        case .countsThrough(let places):
            return places.contains {
                entry.sequence < $0.sequence || entry.sequence == $0.sequence && entry.chain == $0.chain
            }
        case .doesNotCount, .unknownVersion: return false
        }
    }

    /// Whether a user who has joined may have the content of an entry; what it is that the entry says is not looked at.
    func owes(_ sequence: UInt64, of branch: LogID, by authorID: UserID, to userID: UserID) -> Bool {
        unowed(sequence...sequence, of: branch, by: authorID, to: userID).isEmpty
    }

    /// The entries of a branch whose content a user may not have, once they have joined. Looks once at each version.
    func unowed(
        _ range: ClosedRange<UInt64>, of branch: LogID, by authorID: UserID, to userID: UserID
    ) -> SequenceSet {
        guard let membership, !membership.givesHistory, authorID != userID else { return SequenceSet() }
        let versions = versions[branch] ?? []
        let start = versions.lastIndex { $0.sequence <= range.lowerBound } ?? 0
        var unowed = SequenceSet()
        // What stands before the first version is for nobody.
        var first = range.lowerBound
        var isOwed = false
        for version in versions[min(start, versions.endIndex)...] {
            guard version.sequence <= range.upperBound else { break }
            if version.sequence > first {
                if !isOwed { unowed.insert(first...(version.sequence - 1)) }
                first = version.sequence
            }
            isOwed = membership.mayRead(userID, at: version.place)
        }
        if !isOwed { unowed.insert(first...range.upperBound) }
        return unowed
    }

    /// The entries of a branch that count for nobody, because their author's stay was ended before them.
    /// - Parameters:
    ///   - start: from where on they are looked for. Each version that is looked at costs a fold.
    ///   - isDoubtIncluded: whether those are among them of which nobody can say it, as long as a version is not known.
    ///   - isParted: whether the last place that counts is among them, because the entry there may be another branch's.
    func uncounted(
        of branch: LogID, by authorID: UserID, in logID: LogID, from start: UInt64 = 0, through end: UInt64,
        isDoubtIncluded: Bool = false, isParted: Bool = false
    ) -> [ClosedRange<UInt64>] {
        guard let membership, membership.wasEverOut(authorID) else { return [] }
        let versions = versions[branch] ?? []
        return versions.indices.compactMap { index in
            let next = index + 1 < versions.count ? versions[index + 1].sequence - 1 : end
            guard next >= start else { return nil }
            var first = versions[index].sequence
            switch membership.standing(of: authorID, in: logID, at: versions[index].place) {
            case .counts: return nil
            case .unknownVersion where !isDoubtIncluded: return nil
            case .unknownVersion: break
            case .countsThrough(let places):
                first = max(first, (places.map(\.sequence).max() ?? 0) + (isParted ? 0 : 1))
            case .doesNotCount: break
            }
            return first <= next ? first...next : nil
        }
    }

    // MARK: - Who may have what

    /// What may go to a user; `nil` for nothing.
    func access(of userID: UserID) -> ConversationAccess? {
        guard let membership else { return nil }
        switch membership.status(of: userID) {
        case .invited: return .control
        case .joined: return .everything
        case .closed: return membership.hasJoined(userID) ? .everything : .control
        case .left, .removed: return .through(membership.controlEnds(for: userID))
        case nil: return nil
        }
    }

    /// The participants, the invited among them.
    var record: ConversationRecord {
        let participants = membership?.participants.filter { $0.status != .left && $0.status != .removed } ?? []
        return ConversationRecord(
            conversationID: conversationID, kind: .private, participantIDs: participants.map(\.userID),
            uniqueName: membership?.uniqueName ?? "")
    }
}

extension PrivateConversation {
    /// What its entries say it is; `nil` while nothing founds it.
    func summary(for userID: UserID) -> PrivateConversationRecord? {
        guard let membership else { return nil }
        return PrivateConversationRecord(
            conversationID: conversationID, uniqueName: membership.uniqueName,
            friendlyName: membership.attributes.friendlyName, attributes: membership.attributes.json,
            ownerID: membership.ownerID, decidingDeviceID: membership.writer, isJoined: membership.hasJoined(userID),
            givesHistory: membership.givesHistory, isClosed: membership.isClosed,
            participants: membership.everybody)
    }
}

extension EntryRecord {
    /// `nil` for one without content, or that this node cannot read.
    var body: EntryBody? {
        guard case .body(let bytes) = content else { return nil }
        // It was decoded once already, when it came.
        return try? EntryBody(decoding: bytes)
    }

    /// What it says.
    var bodyContent: EntryBody.Content? { body?.content }
}

extension EntryRecord {
    /// The same entry as one that says nothing.
    func silent(as kind: EntryKind) -> EntryRecord {
        var entry = EntryRecord(
            sequence: sequence, timestamp: timestamp, expiry: expiry, kind: kind, content: content,
            chain: chain, checkpoint: checkpoint, isDeleted: isDeleted, key: key)
        entry.mark = mark
        return entry
    }
}

extension EntryRecord {
    /// The same entry as it stands where it counts; `nil` if its content is gone.
    var regarded: EntryRecord? {
        guard let body else { return nil }
        var entry = EntryRecord(
            sequence: sequence, timestamp: timestamp, expiry: expiry, kind: body.kind, content: content, chain: chain,
            checkpoint: checkpoint, isDeleted: isDeleted, key: key, relation: body.content.relation,
            attachments: body.content.attachments)
        entry.mark = mark
        return entry
    }
}

extension EntryKind {
    /// Whether it says who belongs to a conversation, or what an author knew of that.
    var isOfMembership: Bool {
        switch self {
        case .version, .join, .leave, .branches: true
        default: false
        }
    }

    /// Whether it is a message, or says something about one.
    var isOfMessages: Bool {
        switch self {
        case .text, .edit, .retract, .reaction: true
        default: false
        }
    }
}
