import EarshotModel

/// What follows for this node when peers hold more of its own logs than it does.
///
/// It decides whose messages and requests wait until that has come back, and for how long at most. Where it came back, the
/// log ends: its unsent end goes to a limbo, and is written anew at the beginning of the next epoch (`Rewriting`). What is
/// asked of whom is the matter of `Fetching`.
struct TakingBack: Sendable {
    /// A conversation of which own entries come back, or came back.
    struct Older: Sendable {
        let conversation: ConversationRecord
        /// The user who said so; this node's own for what was left when it ended.
        let userID: UserID
        /// Messages that came back, and those that have other names now.
        fileprivate(set) var count = 0
        fileprivate(set) var renamed: [RenamedMessages] = []
        /// Whether an own log has turned out to be longer elsewhere.
        fileprivate(set) var isProved = false
        /// The end of an own log that has to give way, and whether a commit with it is under way.
        fileprivate(set) var cut: UnsentTail?
        fileprivate(set) var isCutting = false
        /// Whether the disk is asked behind which entry an own log's unsent end begins.
        fileprivate var isLooking = false
        /// Whether entries came back since it was looked for own ones that nobody was offered.
        fileprivate(set) var isStale = false
        /// Whether an unsent end waits to be written anew. Until then nothing is appended in the places that it had: one more
        /// end could not move to where this one waits.
        fileprivate var hasLimbo = false
        /// What waits is written anew.
        fileprivate(set) var rewriting: Rewriting?
        /// The epoch that has begun since.
        fileprivate var target: LogID?

        var event: Event? {
            guard count > 0 || !renamed.isEmpty else { return nil }
            return .historyRecovered(HistoryRecovery(userID: userID, count: count, renamed: renamed))
        }
    }

    private var holds = SendHolds()
    private var cancels = HeldCancels()
    private var conversations: [ConversationID: Older] = [:]
    private var lookups: [EntriesRead] = []
    /// Whether this run has found the database to be an older copy, and the disk has that.
    private(set) var isKnownOlder = false

    /// - Parameter limbo: what was to be written anew when the node ended.
    init(limbo: some Sequence<LogRecord> = []) {
        for record in limbo {
            var older = Older(conversation: record.conversation, userID: record.recipientID)
            older.isProved = true
            older.hasLimbo = true
            conversations[record.description.conversationID] = older
        }
    }

    // MARK: - Who waits

    subscript(conversationID: ConversationID) -> Older? { conversations[conversationID] }

    /// Whether nothing is taken back.
    var isEmpty: Bool { conversations.isEmpty }

    /// Ascending.
    var conversationIDs: [ConversationID] { isEmpty ? [] : conversations.keys.sorted() }

    /// Whether messages to a conversation wait.
    func isHolding(_ conversationID: ConversationID) -> Bool {
        guard !conversations.isEmpty, let older = conversations[conversationID] else { return false }
        return older.cut != nil || older.hasLimbo || older.rewriting != nil || !holds.isPaused(conversationID)
    }

    /// Whether logs are being taken back, of any conversation.
    var isHolding: Bool { !isEmpty && conversations.keys.contains(where: isHolding) }

    /// Whether a conversation has had the time, and nothing of it is asked for again yet.
    func isPaused(_ conversationID: ConversationID) -> Bool { holds.isPaused(conversationID) }

    /// When a hold may be over: an uptime.
    var due: Int64 { holds.due }

    /// A request to take a message back waits for the logs of its conversation.
    mutating func hold(
        cancelOf messageID: MessageID, in conversationID: ConversationID, requestID: RequestID
    ) throws(ProtocolError) {
        try cancels.add(messageID, in: conversationID, requestID: requestID)
    }

    /// The requests that wait no longer, in the order in which they came.
    mutating func releaseCancels() -> [HeldCancels.Cancel] {
        guard !cancels.isEmpty else { return [] }
        let held = Set(conversations.keys.filter(isHolding))
        return cancels.release { held.contains($0) }
    }

    // MARK: - Claims

    /// A peer says that it holds own entries of a conversation that this node does not have. Nothing is written to it until
    /// that is settled, or has taken too long.
    mutating func begin(_ conversation: ConversationRecord, with userID: UserID, now: Moment) {
        if conversations[conversation.conversationID] == nil {
            conversations[conversation.conversationID] = Older(conversation: conversation, userID: userID)
        }
        let waiting = Set(conversations.keys)
        holds.begin(conversation.conversationID, now: now) { waiting.contains($0) }
    }

    /// Own entries came back, and wait for the disk.
    mutating func came(_ entries: [EntryRecord], of log: LogDescription) {
        guard conversations[log.conversationID] != nil else { return }
        holds.prolong(log.conversationID, by: entries, of: log.logID)
    }

    /// They are on the disk.
    mutating func returned(_ entries: [EntryRecord], of log: LogDescription) {
        conversations[log.conversationID]?.isProved = true
        conversations[log.conversationID]?.isStale = true
        conversations[log.conversationID]?.count += entries.count { entry in
            if case .body = entry.content { true } else { false }
        }
        isKnownOlder = true
    }

    // MARK: - The unsent end

    /// What comes back stands in the places of an own log's unsent end.
    mutating func cut(_ log: OwnLog, after head: LogHead) {
        let conversationID = log.description.conversationID
        guard conversations[conversationID]?.cut == nil else { return }
        let limbo = LogRecord(
            logID: .limbo(of: log.record.logID, after: head.sequence), description: log.description, base: head,
            isLimbo: true, authorID: log.record.authorID, conversation: log.record.conversation, head: log.head)
        conversations[conversationID]?.cut = UnsentTail(
            logID: log.record.logID, after: head.sequence, limbo: limbo)
        if conversations[conversationID]?.target == log.record.logID { conversations[conversationID]?.target = nil }
    }

    /// Whether something waits for a commit.
    var hasCommits: Bool {
        conversations.values.contains { $0.cut != nil && !$0.isCutting || $0.rewriting?.isReady == true }
    }

    /// Puts what has to give way into a commit, unless that commit writes to the same log.
    mutating func move(into next: inout CommitInFlight, logs: Logs, deliveries: Deliveries) {
        for conversationID in conversationIDs {
            guard let cut = conversations[conversationID]?.cut, let log = logs.own(cut.logID),
                !next.appended.contains(where: { $0.record.logID == cut.logID }),
                !deliveries.hasPendingFailures(in: cut.logID)
            else { continue }
            var record = log.record
            record.head = cut.limbo.start
            next.commit.logs.append(record)
            // The log may have grown while the commit before was written.
            let limbo = LogRecord(
                logID: cut.limbo.logID, description: log.description, base: cut.limbo.base, isLimbo: true,
                authorID: record.authorID, conversation: record.conversation, head: log.head)
            next.commit.unsentTails.append(UnsentTail(logID: cut.logID, after: cut.after, limbo: limbo))
            next.cuts.append(CommitInFlight.Cut(record: record, limbo: limbo))
            conversations[conversationID]?.isCutting = true
        }
    }

    /// The unsent end is elsewhere.
    mutating func wasCut(_ conversationID: ConversationID) {
        conversations[conversationID]?.cut = nil
        conversations[conversationID]?.isCutting = false
        conversations[conversationID]?.hasLimbo = true
    }

    /// The commit is not on the disk.
    mutating func takeBackCuts() {
        for conversationID in conversations.keys { conversations[conversationID]?.isCutting = false }
    }

    // MARK: - Written anew

    /// Nothing more of a conversation is being fetched.
    /// - Parameters:
    ///   - unsent: an own log with entries that nobody was offered, and the last one that somebody was. What was not
    ///     offered belongs behind what came back.
    ///   - limbo: the first unsent end that waits.
    /// - Returns: what to tell, if that is the end.
    mutating func settle(
        _ conversationID: ConversationID, unsent: (log: OwnLog, offered: UInt64)?, limbo: LogRecord?
    ) -> Event? {
        guard let older = conversations[conversationID], older.cut == nil, older.rewriting == nil, !older.isLooking
        else { return nil }
        if older.isStale, let unsent {
            if unsent.offered == unsent.log.record.start.sequence {
                cut(unsent.log, after: unsent.log.record.start)
            } else {
                conversations[conversationID]?.isLooking = true
                lookups.append(
                    EntriesRead(
                        connectionID: nil, purpose: .cutting(conversationID), logID: unsent.log.record.logID,
                        from: unsent.offered, countLimit: 1, byteLimit: 0))
            }
            return nil
        }
        conversations[conversationID]?.isStale = false
        conversations[conversationID]?.hasLimbo = limbo != nil
        // What was moved to the limbo is written anew, also where nothing came back after all.
        guard limbo != nil || older.isProved && older.target == nil else {
            end(conversationID)
            return older.event
        }
        conversations[conversationID]?.rewriting = Rewriting(limbo: limbo, target: older.target)
        return nil
    }

    /// What to read to find out behind which entries unsent ends begin.
    mutating func takeLookups() -> [EntriesRead] {
        guard !lookups.isEmpty else { return [] }
        defer { lookups = [] }
        return lookups
    }

    /// The store's answer to such a read; `nil` if it could not answer, and is asked again.
    /// - Parameter log: the own log; `nil` if it has an unsent end behind that entry no longer.
    mutating func looked(_ conversationID: ConversationID, _ entry: EntryRecord?, in log: OwnLog?) {
        conversations[conversationID]?.isLooking = false
        if let entry, let log { cut(log, after: entry.head) }
    }

    mutating func nextRead(of conversationID: ConversationID) -> EntriesRead? {
        conversations[conversationID]?.rewriting?.nextRead()
    }

    /// The store's answer.
    /// - Returns: the keys to look up.
    mutating func read(_ entries: [EntryRecord], of conversationID: ConversationID) -> [EntryKey]? {
        conversations[conversationID]?.rewriting?.read(entries)
    }

    mutating func found(_ messages: [EntryKey: MessageID], in conversationID: ConversationID) {
        conversations[conversationID]?.rewriting?.found(messages)
    }

    mutating func readFailed(_ conversationID: ConversationID) {
        conversations[conversationID]?.rewriting?.failed()
    }

    /// Conversations of which a page waits for a commit.
    var ready: [ConversationID] { conversationIDs.filter { conversations[$0]?.rewriting?.isReady == true } }

    mutating func beginCommit(_ conversationID: ConversationID) {
        conversations[conversationID]?.rewriting?.beginCommit()
    }

    /// The page is not on the disk.
    mutating func commitFailed(_ conversationID: ConversationID) {
        conversations[conversationID]?.rewriting?.failed()
    }

    /// A page is on the disk.
    /// - Parameters:
    ///   - limbo: what is left of the unsent end; `nil` if that was all.
    ///   - moved: where its entries are now, and those of earlier pages.
    mutating func rewritten(
        _ conversationID: ConversationID, _ places: [RenamedMessages], into target: LogID, limbo: LogRecord?,
        moved: MovedPlaces = MovedPlaces()
    ) {
        // People and programs know the names from before the limbo.
        let log = conversations[conversationID]?.rewriting?.limbo?.description.logID
        let renamed = places.map { run in
            RenamedMessages(
                from: MessageID(log: log ?? run.from.log, sequence: run.from.sequence), to: run.to, count: run.count)
        }
        cancels.rename(renamed)
        conversations[conversationID]?.renamed += renamed
        guard conversations[conversationID]?.rewriting?.committed(into: target, limbo, moved) == true else { return }
        conversations[conversationID]?.rewriting = nil
        conversations[conversationID]?.target = target
    }

    private mutating func end(_ conversationID: ConversationID) {
        guard let older = conversations.removeValue(forKey: conversationID), older.isProved else { return }
        // What was given back may be claimed again. For a claim that came to nothing there is no more time.
        holds.end(conversationID)
    }

    // MARK: - Time

    /// This node's own disk has ended what was under way: that is held against nobody.
    /// - Parameter isFetching: whether something of a conversation is still to come.
    mutating func forgiveEnded(isFetching: (ConversationID) -> Bool) {
        let waiting = Set(conversations.keys.filter(isFetching))
        holds.forgetEnded { waiting.contains($0) }
    }

    /// Ends what has taken too long, and begins anew what has paused.
    /// - Returns: conversations whose claimants are to be let go, with what they have brought; and those whose messages wait
    ///   again.
    mutating func updateHolds(
        now: Moment
    ) -> (late: [(conversationID: ConversationID, hold: SendHold)], held: [ConversationID]) {
        guard holds.due <= now.uptime else { return ([], []) }
        var late: [(conversationID: ConversationID, hold: SendHold)] = []
        var held: [ConversationID] = []
        for conversationID in holds.conversationIDs {
            if let hold = holds.pauseIfOver(conversationID, now: now) { late.append((conversationID, hold)) }
            let isRecovering = conversations[conversationID] != nil
            if holds.renewIfOver(conversationID, isRecovering: isRecovering, now: now) { held.append(conversationID) }
        }
        holds.rearm()
        return (late, held)
    }
}
