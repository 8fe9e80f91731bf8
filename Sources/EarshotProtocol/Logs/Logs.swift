import EarshotModel

/// The logs that this node knows, branch by branch: those that this device writes, and those of other devices.
///
/// It decides which log the next message of a conversation goes into, and whether a peer may begin another log. It
/// holds no entries, and never decides what is sent to whom.
struct Logs: Sendable {
    private let author: LogAuthor
    private var own: [LogID: OwnLog] = [:]
    /// The log that this device now writes in each conversation.
    private var current: [ConversationID: LogID] = [:]
    /// Everybody to whom a device of this node's user has ever written.
    private var recipientIDs: Set<UserID> = []
    private var incoming = IncomingLogs()
    /// Own logs of which entries come back: what of them is proved.
    private var returning: [LogID: IncomingLog] = [:]
    /// The branches of each log by the id that they share, in the order in which this node knew them.
    private var branches: [LogID: [LogID]] = [:]
    /// The conversations of all logs.
    private(set) var conversations: [ConversationID: ConversationRecord] = [:]
    /// The ids of own logs by conversation.
    private var ownOfConversation: [ConversationID: Set<LogID>] = [:]
    /// Hashes of the ends of logs, until one of them changes.
    private var headsHashes: [ConversationID: HeadsHash] = [:]
    /// Entries of this node's user that are no messages.
    private var hidden: [LogID: SequenceSet] = [:]
    /// Unsent ends of own logs that wait to be written anew.
    private var limbos: [LogID: LogRecord] = [:]

    init(author: LogAuthor, records: [LogRecord] = [], hidden: [MessageID] = [], unknown: [MessageID] = []) {
        self.author = author
        for entry in hidden { self.hidden[entry.log, default: SequenceSet()].insert(entry.sequence) }
        // A branch comes after the one that it parts from, also where that is at the beginning.
        let inOrder = records.sorted { a, b in
            guard let baseB = b.base else { return false }
            return a.base.map { $0.sequence < baseB.sequence } ?? true
        }
        for record in inOrder {
            if record.isLimbo {
                limbos[record.logID] = record
            } else if record.description.deviceID == author.deviceID {
                adopt(record)
            } else {
                note(record.logID, of: record.description)
                conversations[record.description.conversationID] = record.conversation
                incoming[record.logID] = IncomingLog(record)
                noteRecipient(of: record.logID, in: record.conversation)
            }
        }
        hide(unknown)
    }

    /// What another device of this node's user has withheld is no message here.
    private mutating func hide(_ entries: [MessageID]) {
        for entry in entries where incoming[entry.log]?.authorID == author.userID {
            hidden[entry.log, default: SequenceSet()].insert(entry.sequence)
        }
    }

    private mutating func note(_ logID: LogID, of log: LogDescription) {
        if branches[log.logID]?.contains(logID) != true { branches[log.logID, default: []].append(logID) }
    }

    // MARK: - Of all devices

    /// The branches of a log, in the order in which this node knew them.
    func branches(of log: LogDescription) -> [LogID] { branches(of: log.logID) }

    func branches(of logID: LogID) -> [LogID] { branches[logID] ?? [] }

    /// What is proved of a branch, of whichever device.
    func proved(_ logID: LogID) -> IncomingLog? {
        returning[logID] ?? own[logID].map { IncomingLog($0.record) } ?? incoming[logID]
    }

    /// The ends of all branches of a conversation's logs, as the disk has them, ascending.
    func heads(of conversationID: ConversationID) -> [BranchHead] {
        let mine = ownOfConversation[conversationID, default: []].compactMap { own[$0] }.filter { $0.head.sequence > 0 }
            .map { BranchHead(log: $0.description, place: $0.head.place) }
        let others = incoming.logs(of: conversationID).filter { $0.committed.sequence > 0 }
            .map { BranchHead(log: $0.description, place: $0.committed.place) }
        return (mine + others).sorted { ($0.log.logID, $0.place.chain) < ($1.log.logID, $1.place.chain) }
    }

    /// The same as a hash.
    mutating func headsHash(of conversationID: ConversationID) -> HeadsHash {
        if let hash = headsHashes[conversationID] { return hash }
        let hash = HeadsHash.of(heads(of: conversationID))
        headsHashes[conversationID] = hash
        return hash
    }

    /// The user whose device has written a log that this node holds.
    func author(of deviceID: DeviceID) -> UserID? {
        deviceID == author.deviceID ? author.userID : incoming.logs(of: deviceID).first?.authorID
    }

    // MARK: - This device's own

    func own(_ logID: LogID) -> OwnLog? { own[logID] }

    /// Ascending by id.
    func own(to userID: UserID) -> [OwnLog] {
        own.values.filter { $0.record.recipientID == userID }.sorted { $0.record.logID < $1.record.logID }
    }

    /// Ascending by id.
    func own(in conversationID: ConversationID) -> [OwnLog] {
        ownOfConversation[conversationID, default: []].sorted().compactMap { own[$0] }
    }

    /// In no order.
    var allOwn: some Collection<OwnLog> { own.values }

    /// Another device of this node's user has written to somebody.
    private mutating func noteRecipient(of logID: LogID, in conversation: ConversationRecord) {
        guard conversation.kind == .direct, incoming[logID]?.authorID == author.userID else { return }
        recipientIDs.formUnion(conversation.recipientIDs(of: author.userID))
    }

    /// Whether a device of this node's user, this one or another, has written a log.
    func isByOwnUser(_ logID: LogID) -> Bool { own[logID] != nil || incoming[logID]?.authorID == author.userID }

    /// Whether other devices than these have written in a conversation.
    func hasWriters(in conversationID: ConversationID, beside deviceIDs: Set<DeviceID>) -> Bool {
        incoming.logs(of: conversationID).contains { !deviceIDs.contains($0.description.deviceID) }
    }

    /// Whether several other devices than this one have written in a conversation.
    func hasManyWriters(in conversationID: ConversationID) -> Bool {
        incoming.hasManyDevices(in: conversationID)
    }

    /// Whether a device of this node's user has written in a conversation.
    func hasWritten(in conversationID: ConversationID) -> Bool {
        ownOfConversation[conversationID]?.isEmpty == false
            || incoming.logs(of: conversationID).contains { $0.authorID == author.userID }
    }

    /// Whether this node's user has ever written to a user.
    func hasWritten(to userID: UserID) -> Bool { recipientIDs.contains(userID) }

    /// The log that the next message of a conversation goes into: a new one if there is none.
    func logForMessages(in conversation: ConversationRecord, now: Moment) -> OwnLog {
        if let log = current[conversation.conversationID].flatMap({ own[$0] }) { return log }
        return nextEpoch(in: conversation, now: now)
    }

    /// The control log of a private conversation that this device writes: its youngest.
    func logForControl(
        in conversation: ConversationRecord, beginning: Bool, isLast: (LogID) -> Bool, now: Moment
    ) -> OwnLog {
        let written = own(in: conversation.conversationID).filter { $0.description.kind == .control }
        let youngest = written.max { $0.description.epoch < $1.description.epoch }
        if !beginning, let log = written.first(where: { isLast($0.record.logID) }) ?? youngest { return log }
        return nextEpoch(in: conversation, kind: .control, now: now)
    }

    /// The ends of a user's logs in a conversation, as the disk has them with a commit.
    func ends(of userID: UserID, in conversation: ConversationRecord, with heads: [LogID: LogHead]) -> [LogPlace] {
        incoming.logs(of: conversation.conversationID).filter { $0.authorID == userID }.compactMap { log in
            let head = heads[log.logID] ?? log.committed
            guard head.sequence > 0 else { return nil }
            return LogPlace(logID: log.description.logID, sequence: head.sequence, chain: head.chain)
        }.sorted { ($0.logID, $0.chain) < ($1.logID, $1.chain) }
    }

    /// A log that this device has not written yet. Its epoch is that of no other, whatever the clock says.
    func nextEpoch(in conversation: ConversationRecord, kind: LogKind = .messages, now: Moment) -> OwnLog {
        let latest = own(in: conversation.conversationID).map(\.description.epoch).max() ?? 0
        let description = LogDescription(
            conversationID: conversation.conversationID, deviceID: author.deviceID,
            epoch: max(UInt64(max(1, now.wallClock)), latest + 1), kind: kind)
        return OwnLog(
            record: LogRecord(
                description: description, authorID: author.userID, conversation: conversation,
                head: .origin(of: description.logID)))
    }

    private mutating func put(_ record: LogRecord) {
        note(record.logID, of: record.description)
        own[record.logID] = OwnLog(record: record)
        let conversationID = record.description.conversationID
        conversations[conversationID] = record.conversation
        ownOfConversation[conversationID, default: []].insert(record.logID)
        headsHashes[conversationID] = nil
    }

    /// New entries of this device are on the disk.
    mutating func appended(_ record: LogRecord) {
        put(record)
        if record.description.kind == .messages { current[record.description.conversationID] = record.logID }
        recipientIDs.insert(record.recipientID)
    }

    /// A log is new, or longer, because the disk had it or a peer gave it back. The youngest log of a conversation is
    /// continued.
    mutating func adopt(_ record: LogRecord) {
        put(record)
        recipientIDs.insert(record.recipientID)
        guard record.description.kind == .messages else { return }
        let conversationID = record.description.conversationID
        let epoch = current[conversationID].flatMap { own[$0]?.description.epoch }
        if epoch.map({ $0 < record.description.epoch }) ?? true { current[conversationID] = record.logID }
    }

    /// Whether all that came of a branch is on the disk.
    func isSettled(_ branch: LogID) -> Bool { proved(branch)?.isSettled ?? true }

    /// Where the branches of a log end on the disk.
    func ends(of logID: LogID) -> Set<Place> {
        Set((branches[logID] ?? []).compactMap { own[$0]?.head.place ?? incoming[$0]?.committed.place })
    }

    /// Own entries are on the disk.
    mutating func note(_ entries: [EntryRecord], of logID: LogID) {
        for index in entries.indices where entries[index].kind.isHidden {
            hidden[logID, default: SequenceSet()].insert(entries[index].sequence)
        }
    }

    /// Entries of another device of this node's user are on the disk.
    mutating func note(_ entries: [EntryRecord], ofOtherDevice logID: LogID) {
        hide(
            entries.indices.filter { entries[$0].kind.isHidden || entries[$0].kind == .unknown }
                .map { MessageID(log: logID, sequence: entries[$0].sequence) })
    }

    /// Bodies of entries by this node's user have come, which may be messages.
    mutating func reveal(_ entries: [EntryRecord], of logID: LogID) {
        for entry in entries where !entry.kind.isHidden && entry.kind != .unknown {
            hidden[logID]?.remove(entry.sequence...entry.sequence)
        }
    }

    /// Which entries of a branch by this node's user are messages. What is before its base is in another branch.
    func messages(of branch: LogID) -> MessagePlaces {
        let base = own[branch]?.record.base ?? incoming[branch]?.base
        return MessagePlaces(start: base?.sequence ?? 0, hidden: hidden[branch])
    }

    func isMessage(_ messageID: MessageID) -> Bool { messages(of: messageID.log).contains(messageID.sequence) }

    mutating func setNextExpiry(_ expiry: Int64, of logID: LogID) { own[logID]?.setNextExpiry(expiry) }

    /// The unsent end of an own log is elsewhere, and what comes back takes its places.
    mutating func cut(_ record: LogRecord, limbo: LogRecord) {
        put(record)
        hidden[record.logID]?.removeAll(after: record.head.sequence)
        returning[record.logID] = nil
        limbos[limbo.logID] = limbo
    }

    /// The unsent end that waits under this id.
    func limbo(_ logID: LogID) -> LogRecord? { limbos[logID] }

    /// All that wait, in no order.
    var allLimbos: some Collection<LogRecord> { limbos.values }

    /// The unsent ends of a conversation's logs that wait, in the order in which they were written.
    func limbos(of conversationID: ConversationID) -> [LogRecord] {
        limbos.values.filter { $0.description.conversationID == conversationID }
            .sorted { ($0.description.epoch, $0.start.sequence) < ($1.description.epoch, $1.start.sequence) }
    }

    /// Some of an unsent end is written anew; `nil` for all of it.
    mutating func setLimbo(_ logID: LogID, _ rest: LogRecord?) { limbos[logID] = rest }

    // MARK: - Entries on their way to the disk

    /// Entries of a branch are proved, and wait for the disk.
    mutating func proved(_ log: IncomingLog) {
        note(log.logID, of: log.description)
        if log.description.deviceID == author.deviceID {
            returning[log.logID] = log
        } else {
            incoming[log.logID] = log
        }
    }

    /// The times of some entries of a peer's branch are known now.
    mutating func note(timesOf entries: ProvedEntries, in logID: LogID) {
        for entry in entries.timed { incoming[logID]?.note(entry.timestamp, of: entry.sequence) }
    }

    /// They are on the disk.
    /// - Parameter conversation: that of the log.
    mutating func committed(
        _ logID: LogID, through head: LogHead, bytes: Int = 0, in conversation: ConversationRecord
    ) {
        conversations[conversation.conversationID] = conversation
        headsHashes[conversation.conversationID] = nil
        noteRecipient(of: logID, in: conversation)
        incoming.commit(logID, through: head, bytes: bytes)
        returning[logID]?.commit(through: head)
        if returning[logID]?.isSettled == true { returning[logID] = nil }
    }

    mutating func forgetUncommitted(_ logID: LogID) {
        incoming[logID]?.forgetUncommitted()
        returning[logID] = nil
        forgetIfUnknown(logID)
    }

    /// A branch of which nothing is on the disk is none.
    private mutating func forgetIfUnknown(_ logID: LogID) {
        guard own[logID] == nil, incoming[logID].map({ $0.committed.sequence == $0.base?.sequence ?? 0 }) ?? true else {
            return
        }
        let log = incoming[logID]?.description.logID ?? logID
        incoming[logID] = nil
        branches[log]?.removeAll { $0 == logID }
        if branches[log]?.isEmpty == true { branches[log] = nil }
    }

    // MARK: - Peers'

    func incoming(_ logID: LogID) -> IncomingLog? { incoming[logID] }

    /// Ascending by id.
    func incoming(of deviceID: DeviceID) -> [IncomingLog] { incoming.logs(of: deviceID) }

    /// Of all devices of a user; ascending by id.
    func incoming(by userID: UserID) -> [IncomingLog] { incoming.logs(by: userID) }

    /// Of all devices in a conversation; ascending by id.
    func incoming(of conversationID: ConversationID) -> [IncomingLog] {
        incoming.logs(of: conversationID).sorted { $0.logID < $1.logID }
    }

    /// How many logs of others and their branches are here of a conversation, or on their way to the disk.
    func incomingCount(in conversationID: ConversationID) -> Int { incoming.count(in: conversationID) }

    var incomingIDs: some Collection<LogID> { incoming.ids }

    func hasIncoming(of deviceID: DeviceID) -> Bool { incoming.hasLogs(of: deviceID) }

    func hasIncoming(by userID: UserID) -> Bool { incoming.hasLogs(by: userID) }

    // MARK: - Strangers

    /// Bodies of entries of a peer's branch have come.
    mutating func grew(_ logID: LogID, by bytes: Int) { incoming[logID]?.grew(by: bytes) }

    /// Whether the disk takes more entries even if everybody is a stranger. Mostly it does.
    func hasRoomForAll(_ more: Int) -> Bool {
        incoming.bytes + more <= min(Limits.strangerBytes, Limits.strangersBytes)
    }

    /// Whether the disk takes more entries of a stranger, whoever carries them.
    func hasRoom(
        for more: Int, of userID: UserID, in conversation: ConversationRecord, isStranger: (UserID) -> Bool
    ) -> Bool {
        func strangers(in conversationID: ConversationID) -> Int {
            incoming.bytes(in: conversationID).reduce(0) { $0 + (isStranger($1.key) ? $1.value : 0) }
        }
        guard case .direct = conversation.kind else {
            let id = conversation.conversationID
            return incoming.bytes(in: id)[userID, default: 0] + more <= Limits.strangerBytes
                && strangers(in: id) + more <= Limits.strangersBytes
        }
        let direct = conversations.values.filter { $0.kind == .direct }
        return direct.reduce(0) { $0 + strangers(in: $1.conversationID) } + more <= Limits.strangersBytes
    }

    /// Whether a user may begin one more log in a conversation.
    /// - Throws: `ProtocolError` `violation`.
    func checkRoom(for userID: UserID, in conversationID: ConversationID) throws(ProtocolError) {
        let limit = Limits.logsPerUserAndConversation
        guard userID == author.userID || incoming.count(of: userID, in: conversationID) < limit else {
            throw ProtocolError(.violation, "the peer has begun more than \(limit) logs in a conversation")
        }
    }
}

/// Which entries of a branch are messages, as far as this node's user sees them.
struct MessagePlaces {
    /// The last entry before the branch.
    let start: UInt64
    /// Entries that are none.
    let hidden: SequenceSet?

    var areAll: Bool { hidden == nil && start == 0 }

    func contains(_ sequence: UInt64) -> Bool { sequence > start && hidden?.contains(sequence) != true }
}
