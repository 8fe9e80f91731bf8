import EarshotModel

/// The private conversations that this node's user belongs to, was invited to, or has belonged to.
///
/// It decides what of them may go to whom, which invitations are looked at, and which entries wait for others. Who is in
/// is the matter of `Membership`.
struct PrivateConversations: Sendable {
    private let userID: UserID
    private let deviceID: DeviceID
    private var conversations: [ConversationID: PrivateConversation] = [:]
    /// Those of which peers say that this node's user belongs to them, and nothing is here, oldest first.
    private var offers: [(conversationID: ConversationID, userID: UserID, isStranger: Bool)] = []
    private var duties: Set<ConversationID> = []
    /// Those of which entries were taken that do not count yet.
    private var unfolded: Set<ConversationID> = []
    private var waiting = VersionWaits()

    /// - Parameter entries: what the disk has of who belongs to them.
    init(userID: UserID, deviceID: DeviceID, _ entries: [RecordedEntries] = []) {
        self.userID = userID
        self.deviceID = deviceID
        // Answers count only where what they answer is known, and a branch only behind the one that it parts from.
        let inOrder = entries.sorted { ($0.log.base?.sequence ?? 0) < ($1.log.base?.sequence ?? 0) }
        for kind in [LogKind.control, .messages] {
            for run in inOrder where run.log.description.kind == kind {
                noteOwnVersions(in: run.entries, of: run.log)
                take(run.entries, of: run.log, after: run.log.start.place)
            }
        }
        _ = fold()
        noteAllDuties()
    }

    /// Frames of messages that came before what their authors knew.
    var waits: VersionWaits {
        get { waiting }
        _modify { yield &waiting }
    }

    // MARK: - What there is

    subscript(conversationID: ConversationID) -> PrivateConversation? { conversations[conversationID] }

    /// Ascending by id.
    var all: [PrivateConversation] {
        conversations.values.sorted { $0.conversationID < $1.conversationID }
    }

    func contains(_ conversationID: ConversationID) -> Bool {
        conversations[conversationID] != nil || offers.contains { $0.conversationID == conversationID }
    }

    /// This node's user's own status.
    func status(in conversationID: ConversationID) -> Participant.Status? {
        conversations[conversationID]?.membership?.status(of: userID)
    }

    private func hasJoined(_ conversationID: ConversationID) -> Bool {
        conversations[conversationID]?.membership?.hasJoined(userID) == true
    }

    /// - Throws: `ProtocolError` that says why this node's user cannot write to it.
    func check(_ conversationID: ConversationID) throws(ProtocolError) -> Membership {
        guard let membership = conversations[conversationID]?.membership else {
            throw ProtocolError(.unknownConversation, "this node knows no such conversation")
        }
        let name = membership.uniqueName
        guard !membership.isClosed else {
            throw ProtocolError(.conversationClosed, "#\(name) is closed: nothing more can be written to it")
        }
        switch membership.status(of: userID) {
        case .joined: return membership
        case .invited: throw ProtocolError(.notJoined, "you are invited to #\(name): join it first")
        case .removed:
            throw ProtocolError(.notJoined, "you were removed from #\(name): ask its owner to invite you again")
        case .left, .closed, nil:
            throw ProtocolError(.notJoined, "you have left #\(name): ask its owner to invite you again")
        }
    }

    /// A decision of this device that has waited for the disk, as it is to be written by what is known now.
    /// - Throws: `ProtocolError` where it would count no more.
    func current(
        _ drafts: [EntryDraft], about conversationID: ConversationID
    ) throws(ProtocolError) -> [EntryDraft] {
        guard let known = conversations[conversationID]?.membership, case .control(let first)? = drafts.first
        else { return drafts }
        if case .created = first.entry { return drafts }
        _ = try check(conversationID)
        guard known.ownerID == userID else {
            throw ProtocolError(.notOwner, "#\(known.uniqueName) has another owner by now")
        }
        let counts =
            if case .begin = first.entry {
                first.entry == known.takeover || first.entry == known.continuation
            } else {
                known.writer == deviceID && known.continuation == nil
            }
        guard counts else {
            throw ProtocolError(
                .decidedElsewhere,
                "which device decides about #\(known.uniqueName) has changed meanwhile: look again, and repeat it there"
            )
        }
        return drafts.map { draft in
            guard case .control(let control) = draft, case .add(let addedID, _) = control.entry else { return draft }
            return .control(ControlBody(.add(addedID, returnsAfter: known.lateRemoval(of: addedID))))
        }
    }

    // MARK: - Who may have what

    /// What of a conversation goes over a link to a user: no more than both may have.
    /// - Parameter saysJoined: whether the peer says that its user has joined. That is enough for who is invited: what
    ///   proves it may come on this link alone, and only if this end gives what proves the same of its own user.
    /// - Returns: `nil` if the two have it not in common.
    func access(
        with peerID: UserID, saysJoined: Bool, in conversationID: ConversationID
    ) -> ConversationAccess? {
        guard let conversation = conversations[conversationID], conversation.membership != nil else {
            guard contains(conversationID) else { return nil }
            // Of what founds nothing here nobody is told.
            var access = ConversationAccess.control
            access.unconnected = conversations[conversationID]?.unconnectedLogs ?? []
            return access
        }
        var access = conversation.access(of: peerID) ?? .through([:])
        if peerID == userID {
            // Devices of one user share everything.
            access = .everything
        } else {
            // Who is not known to be in is given nothing, and may bring what says that they are.
            if access == .control, saysJoined { access = .everything }
            if access == .everything, !hasJoined(conversationID) { access = .controlAndLogs(of: deviceID) }
        }
        access.unconnected = conversation.unconnectedLogs
        return access
    }

    /// Whether messages are taken from a user. Who is invited may have joined: their first message says so.
    func takesMessages(from peerID: UserID, in conversationID: ConversationID) -> Bool {
        guard peerID != userID else { return conversations[conversationID]?.membership != nil }
        guard hasJoined(conversationID) else { return false }
        switch conversations[conversationID]?.access(of: peerID)?.extent {
        case .everything, .control: return true
        case .controlAndLogs, .through, nil: return false
        }
    }

    /// Whether one more control log of a conversation has room while this node's user has not joined.
    /// - Parameter count: how many logs of a conversation are here, or on their way to the disk.
    func hasRoomForControlLog(of conversationID: ConversationID, count: (ConversationID) -> Int) -> Bool {
        guard contains(conversationID), !hasJoined(conversationID) else { return true }
        let held = count(conversationID)
        guard held >= Limits.controlLogsOfFurtherInvitation else { return true }
        guard held < Limits.controlLogsOfInvitation else { return false }
        let invitations = conversations.values.filter { $0.isInvitation(of: userID) }.map(\.conversationID)
        let all = Set(invitations + offers.map(\.conversationID) + [conversationID])
        return all.reduce(0) { $0 + count($1) } < Limits.controlLogsOfInvitations
    }

    /// How many requests it is to fold entries of a log.
    func foldCost(of log: LogDescription) -> Int {
        log.kind == .control ? conversations[log.conversationID]?.foldCost(of: log.logID) ?? 0 : 0
    }

    /// Whether the identity key of a user has said, in a control log that is here, that another of theirs goes on in it.
    func isTakenOver(_ log: LogDescription, of userID: UserID) -> Bool {
        log.kind == .control && conversations[log.conversationID]?.isTakenOver(log.logID, of: userID) == true
    }

    /// Whether anything that a user writes can count: messages of who was ever added, and control logs of who owned the
    /// conversation, or was handed it.
    func mayEverWrite(_ authorID: UserID, _ kind: LogKind, in conversationID: ConversationID) -> Bool {
        guard let conversation = conversations[conversationID], let membership = conversation.membership else {
            return false
        }
        return switch kind {
        case .messages: membership.status(of: authorID) != nil
        case .control: conversation.isHeir(authorID)
        }
    }

    /// Whether messages may be taken once more is known of who is in.
    func mayYetTakeMessages(in conversationID: ConversationID) -> Bool {
        switch status(in: conversationID) {
        case .left, .removed: false
        case .invited, .joined, .closed, nil: contains(conversationID)
        }
    }

    func record(_ conversationID: ConversationID) -> ConversationRecord {
        conversations[conversationID]?.record
            ?? ConversationRecord(conversationID: conversationID, kind: .private, participantIDs: [])
    }

    func isParticipant(_ userID: UserID, in conversationID: ConversationID) -> Bool {
        conversations[conversationID]?.membership?.status(of: userID) != nil
    }

    /// Those of which a user is told, ascending.
    func shared(with peerID: UserID) -> [ConversationRecord] {
        all.filter { $0.membership?.status(of: peerID) != nil }.map(\.record)
    }

    // MARK: - History

    /// Whether a user may have the content of an entry. Whoever came later than a message gets its hash alone, unless the
    /// conversation gives its history; what says who is in goes to all.
    func owes(
        _ sequence: UInt64, _ kind: EntryKind, of branch: LogID, by authorID: UserID, in log: LogDescription,
        to userID: UserID
    ) -> Bool {
        guard log.kind == .messages, userID != self.userID, !kind.isOfMembership,
            let conversation = conversations[log.conversationID]
        else { return true }
        return conversation.owes(sequence, of: branch, by: authorID, to: userID)
    }

    /// Whether entries may come without content from their author, too.
    func mayWithhold(in conversationID: ConversationID) -> Bool {
        conversations[conversationID]?.membership.map { !$0.givesHistory } ?? false
    }

    /// What of entries without content this node's user may not have, as far as is known.
    func unowed(_ missing: SequenceSet, of branch: LogID, by authorID: UserID, in log: LogDescription) -> SequenceSet {
        guard log.kind == .messages, mayWithhold(in: log.conversationID),
            let conversation = conversations[log.conversationID],
            let first = missing.ranges.first?.lowerBound, let last = missing.ranges.last?.upperBound
        else { return SequenceSet() }
        let unowed = conversation.unowed(first...last, of: branch, by: authorID, to: userID)
        return missing.intersection(unowed)
    }

    /// The same for what is about to come.
    func owed(in frame: EntriesFrame, of branch: IncomingLog) -> SequenceSet {
        guard let conversation = conversations[frame.log.conversationID] else { return frame.withoutContent }
        var version = conversation.version(of: branch.logID, at: frame.firstSequence)
        return frame.contents.enumerated().reduce(into: SequenceSet()) { owed, content in
            let sequence = frame.firstSequence + UInt64(content.offset)
            switch content.element {
            case .body(let bytes):
                // A body that cannot be decoded is refused where it is proved.
                if case .version(let place) = (try? EntryBody(decoding: bytes))?.content { version = place }
            case .withheld:
                let isOwed = version.map { conversation.membership?.mayRead(userID, at: $0) ?? true } ?? false
                if frame.marks[sequence] == nil, isOwed { owed.insert(sequence) }
            }
        }
    }

    // MARK: - Invitations

    /// A peer says that this node's user belongs to a conversation: it is looked at if there is room.
    /// - Parameter isStranger: whether this node's user has never written to the peer. Identities cost nothing, so there is
    ///   a limit for all strangers together, too.
    mutating func offered(_ conversationID: ConversationID, by peerID: UserID, isStranger: Bool) {
        guard !contains(conversationID), conversations.count < Limits.conversationsOfMany else { return }
        if peerID != userID {
            guard openInvitations(by: peerID) < Limits.invitationsPerUser else { return }
            if isStranger, openInvitations(by: nil) >= Limits.strangersInvitations {
                // One behind which nothing has come keeps nobody else's out.
                guard let oldest = offers.firstIndex(where: \.isStranger) else { return }
                offers.remove(at: oldest)
            }
        }
        if offers.count >= Limits.offeredConversations { offers.removeFirst() }
        offers.append((conversationID, peerID, isStranger))
    }

    /// Those that this node's user has not answered.
    /// - Parameter peerID: who owns them, or has told of them; `nil` for anybody.
    private func openInvitations(by peerID: UserID?) -> Int {
        let pending = offers.count { peerID == nil || $0.userID == peerID }
        return conversations.values.reduce(pending) { count, conversation in
            guard conversation.isInvitation(of: userID) else { return count }
            let isTheirs = conversation.membership.map { peerID == nil || $0.ownerID == peerID } ?? true
            return isTheirs ? count + 1 : count
        }
    }

    // MARK: - What came

    /// Entries of a branch are on the disk. They count from `fold()` on.
    mutating func take(_ entries: some Collection<EntryRecord>, of record: LogRecord, after before: Place) {
        let conversationID = record.description.conversationID
        offers.removeAll { $0.conversationID == conversationID }
        unfolded.insert(conversationID)
        conversations[conversationID, default: PrivateConversation(conversationID)]
            .take(entries, of: record.description, by: record.authorID, branch: record.logID, after: before)
    }

    /// Entries of a branch are proved. Messages of somebody who did not belong to the conversation are kept, so that others
    /// are not held up, and say nothing; but for those of this node's user, whose devices all show them as failed.
    mutating func judge(
        _ entries: inout ProvedEntries, of branch: IncomingLog, _ showings: Showings, isOwn: Bool
    ) {
        let conversationID = branch.description.conversationID
        conversations[conversationID]?.noteVersions(in: entries.records, of: branch)
        guard branch.description.kind == .messages, !isOwn else { return }
        judgeMessages(&entries, of: branch, showings)
    }

    private func judgeMessages(_ entries: inout ProvedEntries, of branch: IncomingLog, _ showings: Showings) {
        let (conversationID, authorID) = (branch.description.conversationID, branch.authorID)
        guard authorID != userID else { return }
        for index in entries.indices where entries.records[index].kind.isOfMessages {
            let counts = conversations[conversationID]?
                .counts(entries.records[index], of: branch.logID, by: authorID, in: branch.description)
            let place = branch.description.place(entries.records[index].place)
            guard counts != true, !showings.covers(place) else { continue }
            entries.silence(index, as: .disregarded)
        }
    }

    /// Bodies have come that were missing.
    mutating func judgeFound(_ entries: inout ProvedEntries, of branch: IncomingLog, _ showings: Showings, isOwn: Bool)
    {
        conversations[branch.description.conversationID]?.insertVersions(
            in: entries.records, branch: branch.logID)
        if !isOwn { judgeMessages(&entries, of: branch, showings) }
    }

    /// The identity key of a user has said where the logs of a device of theirs end. It counts from `fold()` on.
    mutating func revoke(_ cut: DeviceCut, by userID: UserID, in conversationID: ConversationID) {
        unfolded.insert(conversationID)
        conversations[conversationID, default: PrivateConversation(conversationID)].revoke(cut, by: userID)
    }

    /// Bodies that were missing are on the disk. They count from `fold()` on.
    mutating func takeFound(_ entries: [EntryRecord], of record: LogRecord) {
        unfolded.insert(record.description.conversationID)
        conversations[record.description.conversationID]?.takeFound(
            entries, of: record.description, by: record.authorID, branch: record.logID)
    }

    /// What was taken counts.
    /// - Returns: the conversations of which it may have changed who is in, ascending.
    mutating func fold() -> [ConversationID] {
        guard !unfolded.isEmpty else { return [] }
        defer { unfolded = [] }
        return unfolded.sorted().filter { conversations[$0]?.fold() == true }
    }

    // MARK: - What there is to do

    /// Something about who is in has changed: this device may have to say more.
    mutating func noteDuties(in conversationID: ConversationID) { duties.insert(conversationID) }

    /// Entries of another device of this node's user are on the disk: they may not count, and have failed then.
    mutating func noteWritten(byOwnUserIn conversationID: ConversationID) {
        if conversations[conversationID]?.membership?.wasEverOut(userID) == true { noteDuties(in: conversationID) }
    }

    mutating func noteAllDuties() { duties.formUnion(conversations.keys) }

    /// The conversations of which something has changed since duties were taken.
    var changed: [PrivateConversation] {
        duties.isEmpty ? [] : duties.sorted().compactMap { conversations[$0] }
    }

    /// - Parameter waiting: conversations in which this device writes nothing now.
    func hasDuties(besides waiting: Set<ConversationID>) -> Bool { !duties.isSubset(of: waiting) }

    /// The unsent end of an own control log gives way to what comes back.
    /// - Parameter limbo: that end, which waits to be written anew.
    mutating func forgetUnsent(_ limbo: LogRecord, of branch: LogID) {
        guard limbo.description.kind == .control else { return }
        let end = LogPlace(
            logID: limbo.description.logID, sequence: limbo.head.sequence, chain: limbo.head.chain)
        conversations[limbo.description.conversationID]?
            .forgetUnsent(end, of: branch, after: limbo.start.sequence)
    }

    /// What this device still has to write of such an end.
    func remaining(of entries: [EntryRecord], in conversationID: ConversationID) -> [EntryDraft] {
        let written = entries.compactMap { entry -> ControlEntry? in
            guard case .control(let control) = entry.bodyContent else { return nil }
            return control.entry
        }
        return conversations[conversationID]?.membership?.remaining(of: written, by: userID, on: deviceID)
            .map { .control(ControlBody($0)) } ?? []
    }

    /// What this device writes of itself: whoever has left is removed, and a hand-over to its user is taken up.
    /// - Parameter waiting: conversations in which this device writes nothing now.
    mutating func takeDuties(
        besides waiting: Set<ConversationID>
    ) -> [(conversationID: ConversationID, drafts: [EntryDraft])] {
        guard !duties.isEmpty else { return [] }
        let due = duties.subtracting(waiting)
        duties.formIntersection(waiting)
        return due.sorted().compactMap { conversationID in
            guard let membership = conversations[conversationID]?.membership else { return nil }
            let entries = membership.duties(of: userID, on: deviceID)
            guard !entries.isEmpty else { return nil }
            return (conversationID, entries.map { .control(ControlBody($0)) })
        }
    }

    /// What this device writes is proved already.
    mutating func noteOwnVersions(in entries: some Collection<EntryRecord>, of record: LogRecord) {
        guard record.description.kind == .messages, let first = entries.first else { return }
        let conversationID = record.description.conversationID
        conversations[conversationID, default: PrivateConversation(conversationID)].noteVersions(
            in: entries, from: first.sequence, branch: record.logID, trunk: record.description.logID,
            base: record.base?.sequence)
    }

    /// The control entry that the next entry of an own log is to name, if the log does not name it already.
    func dueVersion(of record: LogRecord) -> LogPlace? {
        guard record.description.kind == .messages,
            let conversation = conversations[record.description.conversationID],
            let end = conversation.membership?.ends.first
        else { return nil }
        return conversation.version(of: record.logID, at: record.head.sequence) == end ? nil : end
    }

    /// Whether a frame of messages names a place in the control logs that is not here.
    func lacksVersion(of frame: EntriesFrame) -> Bool {
        guard frame.log.kind == .messages, let conversation = conversations[frame.log.conversationID] else {
            return false
        }
        return frame.contents.contains { content in
            guard case .body(let bytes) = content,
                // A body that cannot be decoded is refused where it is proved.
                case .version(let place) = (try? EntryBody(decoding: bytes))?.content
            else { return false }
            return !conversation.holds(place)
        }
    }
}
