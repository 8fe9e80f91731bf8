import EarshotModel

/// The conversations of many that this node's user belongs to, or has belonged to, and who else is known to.
///
/// A participant of an open one is whoever has written that they join and has not written later that they leave; so
/// everybody who holds the same entries knows the same participants.
///
/// It compares what entries say of a private one with what programs were told last, and so knows what is news.
struct ConversationTable: Sendable {
    private let userID: UserID
    private let deviceID: DeviceID
    private var open: [ConversationID: OpenConversationRecord] = [:]
    /// What the disk does not have yet.
    private var unwritten: Set<ConversationID> = []
    /// Those whose owners say who belongs to them.
    private var governed: PrivateConversations
    /// What programs were told last of these.
    private var told: [ConversationID: PrivateConversationRecord] = [:]
    /// Where the logs of revoked devices end.
    private var ends: Cuts
    /// What this node's user has erased on another device.
    private var erased: Erasures
    /// What their devices have shown and does not count.
    private var saidShown: Showings
    /// What this node keeps and does not show.
    private var kept: SilentEntries
    /// In open conversations, where the logs of this node's user first say that they join.
    private var joins: [ConversationID: [LogID: LogPlace?]] = [:]

    /// - Parameters:
    ///   - told: what the disk has of private conversations beside their entries.
    ///   - shared: what it has of cuts, of erasures, and of what was shown.
    ///   - silent: what it keeps and does not show.
    ///   - joins: the first `join` of each log of an open conversation.
    init(
        userID: UserID, deviceID: DeviceID, records: [OpenConversationRecord] = [], entries: [RecordedEntries] = [],
        told: [PrivateConversationRecord] = [], shared: [RecordedEntries] = [], joins: [RecordedEntries] = [],
        silent: SilentEntries = SilentEntries()
    ) {
        self.userID = userID
        self.deviceID = deviceID
        ends = Cuts(shared)
        erased = Erasures(of: userID, shared)
        saidShown = Showings(of: userID, shared)
        kept = silent
        governed = PrivateConversations(userID: userID, deviceID: deviceID, entries)
        for run in shared where run.log.conversation.kind == .private { takeCuts(in: run.entries, of: run.log) }
        _ = governed.fold()
        for record in records { open[record.conversationID] = record }
        for run in joins { noteJoins(in: run.entries, of: run.log) }
        for record in told { self.told[record.conversationID] = record }
        // The node may have ended between the entries and what follows from them.
        for conversation in governed.all {
            guard let summary = conversation.summary(for: userID) else { continue }
            let told = self.told[summary.conversationID]
            let isTold = told?.decidingDeviceID != nil && summary.news(since: told, for: userID, on: deviceID).isEmpty
            if !isTold { unwritten.insert(summary.conversationID) }
        }
        // So may it between the entries and what counts because of them.
        noteAllDue()
        for conversationID in kept.conversationIDs { regard(in: conversationID) }
        regardShown()
    }

    /// Those whose owners say who belongs to them.
    var privates: PrivateConversations {
        get { governed }
        _modify { yield &governed }
    }

    /// Where the logs of revoked devices end.
    var cuts: Cuts { ends }

    /// What this node's user has erased on another device.
    var erasures: Erasures {
        get { erased }
        _modify { yield &erased }
    }

    /// What the devices of this node's user have shown and does not count.
    var showings: Showings {
        get { saidShown }
        _modify { yield &saidShown }
    }

    /// What this node keeps and does not show.
    var silent: SilentEntries {
        get { kept }
        _modify { yield &kept }
    }

    /// More is known of who was in, or of where a revoked device ends: messages that did not count are looked at again, and so
    /// are those that are shown.
    mutating func regard(in conversationID: ConversationID) {
        kept.noteDue(conversationID)
        let (ends, erased, conversation, userID) = (ends, erased, governed[conversationID], userID)
        var known = PrivateConversation.Standings()
        kept.regard(in: conversationID) { silent in
            let (entry, log) = (silent.entry, silent.log)
            return ends.counts(entry.place, of: log, by: silent.authorID)
                && (silent.authorID == userID
                    || conversation?.counts(entry, of: silent.branch, by: silent.authorID, in: log, &known) != false)
                && !erased.covers(entry, of: log.logID, isFirst: silent.branch == log.logID)
        }
    }

    /// Devices of this node's user have said what they have shown.
    mutating func hearShown(_ said: [RecordedEntries]) {
        var isNews = false
        for entries in said {
            let heard = saidShown.insert(entries)
            if heard.isNews { isNews = true }
            guard heard.hasCut else { continue }
            kept.forgetExamined()
            noteAllDue()
        }
        if isNews { regardShown() }
    }

    private mutating func noteAllDue() {
        for conversationID in governed.all.map(\.conversationID) + ends.conversationIDs { kept.noteDue(conversationID) }
    }

    /// Another device of this node's user has shown what is kept here.
    private mutating func regardShown() {
        let (saidShown, erased) = (saidShown, erased)
        kept.regard { silent in
            saidShown.covers(silent.place)
                && !erased.covers(silent.entry, of: silent.log.logID, isFirst: silent.branch == silent.log.logID)
        }
    }

    /// What turned out to count, and was erased before the disk had that, is not told of.
    mutating func dropErased() {
        let erased = erased
        guard erased.mayCover else { return }
        kept.dropRegarded { logID, entry in erased.covers(entry, of: logID, isFirst: true) }
    }

    /// What of a branch is shown and counts for nothing, by what is known now, from an entry on; of this node's user, what is behind
    /// the end of a revoked device.
    /// - Parameter isParted: whether its log has other branches. Beside the last entry that counts there may be others then, so that
    ///   its place is among them, too.
    func shownUncounted(of log: IncomingLog, from start: UInt64, isParted: Bool) -> SequenceSet {
        let (end, conversationID) = (log.committed.sequence, log.description.conversationID)
        var uncounted = ends.uncounted(of: log.description, by: log.authorID, through: end, isParted: isParted)
        if log.authorID != userID {
            let ranges = governed[conversationID]?.uncounted(
                of: log.logID, by: log.authorID, in: log.description.logID, from: start, through: end,
                isParted: isParted)
            for range in ranges ?? [] where range.lowerBound <= end {
                uncounted.insert(range.lowerBound...min(range.upperBound, end))
            }
        }
        uncounted.subtract(kept[log.logID])
        return uncounted
    }

    /// Tells whether something has changed about which entries of a user count in a conversation.
    func fingerprint(of userID: UserID, on deviceID: DeviceID, in conversationID: ConversationID) -> Int {
        var hasher = Hasher()
        hasher.combine(ends.ends(of: deviceID, of: userID, in: conversationID))
        hasher.combine(governed[conversationID]?.membership?.fingerprint(of: userID))
        return hasher.finalize()
    }

    /// Entries of a log are on the disk. What is known since they were judged may say that they do not count.
    mutating func noteWritten(_ entries: [EntryRecord], of log: LogDescription, by authorID: UserID) {
        guard let first = entries.first,
            ends.contains(log.deviceID, of: authorID, in: log.conversationID)
                || governed[log.conversationID]?.membership?.wasEverOut(authorID) == true
        else { return }
        kept.noteDue(log, from: first.sequence)
    }

    /// Entries of a log are on the disk: some of them may say where the logs of a revoked device end.
    mutating func takeCuts(in entries: [EntryRecord], of record: LogRecord) {
        let conversationID = record.description.conversationID
        let cuts = ends.insert(entries, by: record.authorID, in: conversationID)
        if !cuts.isEmpty { regard(in: conversationID) }
        guard record.conversation.kind == .private else { return }
        for cut in cuts { governed.revoke(cut, by: record.authorID, in: conversationID) }
    }

    // MARK: - What there is

    subscript(conversationID: ConversationID) -> OpenConversationRecord? { open[conversationID] }

    /// Whether it is a conversation of many that is known here.
    func isOfMany(_ conversationID: ConversationID) -> Bool {
        open[conversationID] != nil || privates.contains(conversationID)
    }

    /// A conversation of many, open or private.
    func record(_ conversationID: ConversationID) -> ConversationRecord? {
        open[conversationID]?.record
            ?? (privates.contains(conversationID) ? privates.record(conversationID) : nil)
    }

    /// The same, if this node's user and a peer have it in common.
    func record(_ conversationID: ConversationID, with peerID: UserID) -> ConversationRecord? {
        if let open = open[conversationID] { return open.isJoined ? open.record : nil }
        return privates.access(with: peerID, saysJoined: false, in: conversationID).map { _ in
            privates.record(conversationID)
        }
    }

    /// Whether a user is known to belong to it, or to have belonged to it.
    func isParticipant(_ userID: UserID, in conversationID: ConversationID) -> Bool {
        open[conversationID]?.participants[userID] != nil || privates.isParticipant(userID, in: conversationID)
    }

    /// What of a conversation goes over a link to a user.
    /// - Parameter saysJoined: whether the peer says that its user has joined.
    func access(with peerID: UserID, saysJoined: Bool, in conversationID: ConversationID) -> ConversationAccess {
        guard let open = open[conversationID] else {
            return privates.access(with: peerID, saysJoined: saysJoined, in: conversationID) ?? .everything
        }
        // Whoever is not known to have joined is told that this node's user has, so that both come to know of each other.
        let isIn = peerID == userID || open.participants[peerID]?.status == .joined
        return isIn ? .everything : .through(joins[conversationID] ?? [:])
    }

    /// Whether a user has ever joined an open conversation, and so may write in it.
    func hasEverJoined(_ userID: UserID, _ conversationID: ConversationID) -> Bool {
        open[conversationID]?.participants[userID] != nil
    }

    /// Whether a user is known to belong to an open conversation now; `true` for any other conversation.
    func isIn(_ userID: UserID, open conversationID: ConversationID) -> Bool {
        open[conversationID].map { $0.participants[userID]?.status == .joined } ?? true
    }

    /// Entries of a log of this node's user are on the disk: one of them may be the first that says that they join.
    mutating func noteJoins(in entries: [EntryRecord], of record: LogRecord) {
        let log = record.description
        guard record.conversation.kind == .open, record.authorID == userID,
            joins[log.conversationID]?[log.logID] == nil,
            let index = entries.indices.first(where: { entries[$0].kind == .join })
        else { return }
        let place = LogPlace(logID: log.logID, sequence: entries[index].sequence, chain: entries[index].chain)
        joins[log.conversationID, default: [:]].updateValue(place, forKey: log.logID)
    }

    /// Those that this node's user belongs to, ascending by id.
    var joined: [OpenConversationRecord] {
        open.values.filter(\.isJoined).sorted { $0.conversationID < $1.conversationID }
    }

    /// All of them, ascending by name.
    var all: [OpenConversationRecord] {
        open.values.sorted { ($0.uniqueName, $0.conversationID) < ($1.uniqueName, $1.conversationID) }
    }

    func isJoined(_ conversationID: ConversationID) -> Bool { open[conversationID]?.isJoined == true }

    /// Whether this node's user may write to it.
    func mayWrite(to conversationID: ConversationID) -> Bool {
        isJoined(conversationID) || privates.status(in: conversationID) == .joined
    }

    /// Those that this node's user belongs to, was invited to or has belonged to, ascending by name.
    var known: [ConversationOfMany] {
        let all = all.map(ConversationOfMany.init) + privates.all.compactMap { shown($0) }
        return all.sorted { ($0.uniqueName, $0.conversationID) < ($1.uniqueName, $1.conversationID) }
    }

    func known(_ conversationID: ConversationID) -> ConversationOfMany? {
        open[conversationID].map(ConversationOfMany.init) ?? privates[conversationID].flatMap { shown($0) }
    }

    private func shown(_ conversation: PrivateConversation) -> ConversationOfMany? {
        guard let record = conversation.summary(for: userID), let creatorID = conversation.membership?.creatorID else {
            return nil
        }
        return ConversationOfMany(record, creatorID: creatorID, userID: userID)
    }

    func checkJoined(_ conversationID: ConversationID) throws(ProtocolError) {
        guard !privates.contains(conversationID) else {
            _ = try privates.check(conversationID)
            return
        }
        guard let conversation = open[conversationID] else {
            throw ProtocolError(.unknownConversation, "this node knows no such conversation: join it first")
        }
        guard conversation.isJoined else {
            throw ProtocolError(.notJoined, "you have left #\(conversation.uniqueName): join it again first")
        }
    }

    // MARK: - Joining

    /// Prepares to join, and so to create it if nobody has yet: with the entry that says so this node's user belongs to it.
    /// - Returns: the conversation, if they do not belong to it already.
    /// - Throws: `ProtocolError` `tooManyConversations`.
    mutating func prepare(
        _ conversationID: ConversationID, uniqueName: String, isAdvertised: Bool
    ) throws(ProtocolError) -> ConversationRecord? {
        var conversation =
            open[conversationID]
            ?? OpenConversationRecord(conversationID: conversationID, uniqueName: uniqueName, isJoined: false)
        guard open[conversationID] != nil || open.count < Limits.conversationsOfMany else {
            throw ProtocolError(
                .tooManyConversations, "a node belongs to at most \(Limits.conversationsOfMany) conversations of many")
        }
        if open[conversationID] == nil || conversation.isAdvertised != isAdvertised {
            conversation.isAdvertised = isAdvertised
            open[conversationID] = conversation
            unwritten.insert(conversationID)
        }
        return conversation.isJoined ? nil : conversation.record
    }

    /// Another device of this node's user knows a conversation. Whether they belong to it is said by what that device
    /// wrote.
    mutating func learn(_ conversationID: ConversationID, uniqueName: String) {
        guard open[conversationID] == nil, open.count < Limits.conversationsOfMany else { return }
        open[conversationID] = OpenConversationRecord(
            conversationID: conversationID, uniqueName: uniqueName, isJoined: false)
        unwritten.insert(conversationID)
    }

    /// What entries say is on the disk.
    /// - Returns: the participants whose status is new.
    mutating func adopt(_ written: OpenConversationRecord) -> [Participant] {
        let old = open[written.conversationID]
        var conversation = old ?? written
        (conversation.isJoined, conversation.participants) = (written.isJoined, written.participants)
        open[written.conversationID] = conversation
        return written.participants.values.filter { $0 != old?.participants[$0.userID] }
            .sorted { $0.userID < $1.userID }
    }

    /// What entries and this node's user have changed, once it is on the disk.
    /// - Parameter isAdvertisedAnew: whether this node's user has said whether others are told its name.
    func news(of written: OpenConversationRecord, isAdvertisedAnew: Bool) -> [JournalRecord] {
        let old = open[written.conversationID]
        var changes: Set<ConversationChange> = []
        if written.isJoined != (old?.isJoined ?? false) { changes.insert(.status) }
        if isAdvertisedAnew, written.isJoined, old?.isJoined == true { changes.insert(.isAdvertised) }
        let others = written.participants.values
            .filter { $0.userID != userID && $0 != old?.participants[$0.userID] }.sorted { $0.userID < $1.userID }
        return (changes.isEmpty ? [] : [.conversation(written.update(changes))])
            + others.map {
                .participant(ParticipantUpdate(conversationID: written.conversationID, participant: $0))
            }
    }

    /// What is new about a private conversation once this is on the disk.
    func news(of written: PrivateConversationRecord) -> [JournalRecord] {
        written.news(since: told[written.conversationID], for: userID, on: deviceID)
    }

    /// It is on the disk, and programs are told.
    mutating func adopt(_ written: PrivateConversationRecord) { told[written.conversationID] = written }

    /// Who belongs to a private conversation has changed.
    mutating func changed(_ conversationID: ConversationID) { unwritten.insert(conversationID) }

    // MARK: - On their way to the disk

    var hasUnwritten: Bool { !unwritten.isEmpty }

    mutating func takeUnwritten() -> [OpenConversationRecord] {
        guard !unwritten.isEmpty else { return [] }
        defer { unwritten = unwritten.filter { open[$0] == nil } }
        return unwritten.sorted().compactMap { open[$0] }
    }

    mutating func takeUnwrittenPrivates() -> [PrivateConversationRecord] {
        guard !unwritten.isEmpty else { return [] }
        let taken = unwritten.sorted().compactMap { privates[$0]?.summary(for: userID) }
        unwritten = unwritten.filter { open[$0] != nil }
        return taken
    }

    mutating func writeAgain(_ records: [PrivateConversationRecord]) {
        unwritten.formUnion(records.map(\.conversationID))
    }

    /// They are not on the disk, and go into the next commit again.
    mutating func writeAgain(_ records: [OpenConversationRecord]) {
        unwritten.formUnion(records.map(\.conversationID))
    }
}
