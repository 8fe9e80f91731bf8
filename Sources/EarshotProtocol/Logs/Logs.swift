import EarshotModel

/// The logs that this node knows: those that this device writes, and those of peers' devices.
///
/// It decides which log the next message of a conversation goes into, and whether a peer may begin another log. It
/// holds no entries, and never decides what is sent to whom.
struct Logs: Sendable {
    private let author: LogAuthor
    private var own: [LogID: OwnLog] = [:]
    /// The log that this device now writes in each conversation.
    private var current: [ConversationID: LogID] = [:]
    /// Everybody to whom this device has ever written.
    private var recipientIDs: Set<UserID> = []
    private var incoming = IncomingLogs()

    init(author: LogAuthor, records: [LogRecord] = []) {
        self.author = author
        for record in records {
            if record.description.deviceID == author.deviceID {
                adopt(record)
            } else {
                incoming[record.logID] = IncomingLog(
                    description: record.description, authorID: record.authorID, head: record.head)
            }
        }
    }

    // MARK: - This device's own

    func own(_ logID: LogID) -> OwnLog? { own[logID] }

    /// Ascending by id.
    func own(to userID: UserID) -> [OwnLog] {
        own.values.filter { $0.record.recipientID == userID }.sorted { $0.record.logID < $1.record.logID }
    }

    /// In no order.
    var allOwn: some Collection<OwnLog> { own.values }

    /// Whether this device has ever written to a user.
    func hasWritten(to userID: UserID) -> Bool { recipientIDs.contains(userID) }

    /// The log that the next message of a conversation goes into: a new one if there is none.
    func logForMessages(in conversation: ConversationRecord, now: Moment) -> OwnLog {
        if let log = current[conversation.conversationID].flatMap({ own[$0] }) { return log }
        let description = LogDescription(
            conversationID: conversation.conversationID, deviceID: author.deviceID,
            epoch: UInt64(max(1, now.wallClock)))
        return OwnLog(
            record: LogRecord(
                description: description, authorID: author.userID, conversation: conversation,
                head: .origin(of: description.logID)))
    }

    /// New messages are on the disk.
    mutating func appended(_ record: LogRecord) {
        own[record.logID] = OwnLog(record: record)
        current[record.description.conversationID] = record.logID
        recipientIDs.insert(record.recipientID)
    }

    /// A log is new, or longer, because the disk had it or a peer gave it back. The youngest log of a conversation is
    /// continued.
    mutating func adopt(_ record: LogRecord) {
        own[record.logID] = OwnLog(record: record)
        recipientIDs.insert(record.recipientID)
        let conversationID = record.description.conversationID
        let epoch = current[conversationID].flatMap { own[$0]?.description.epoch }
        if epoch.map({ $0 < record.description.epoch }) ?? true { current[conversationID] = record.logID }
    }

    mutating func setNextExpiry(_ expiry: Int64, of logID: LogID) { own[logID]?.setNextExpiry(expiry) }

    // MARK: - Peers'

    func incoming(_ logID: LogID) -> IncomingLog? { incoming[logID] }

    /// Ascending by id.
    func incoming(of deviceID: DeviceID) -> [IncomingLog] { incoming.logs(of: deviceID) }

    var incomingIDs: some Collection<LogID> { incoming.ids }

    func hasIncoming(of deviceID: DeviceID) -> Bool { incoming.hasLogs(of: deviceID) }

    func hasIncoming(by userID: UserID) -> Bool { incoming.count(of: userID) > 0 }

    /// The log whose entries a peer sends: a new one if it is not known.
    func logForEntries(_ description: LogDescription, by userID: UserID) throws(ProtocolError) -> IncomingLog {
        if let known = incoming[description.logID] { return known }
        guard incoming.count(of: userID) < Limits.logsPerUser else {
            throw ProtocolError(.violation, "the peer has begun more than \(Limits.logsPerUser) logs")
        }
        return IncomingLog(description: description, authorID: userID, head: .origin(of: description.logID))
    }

    /// Entries of a log are proved, and wait for the disk.
    mutating func proved(_ log: IncomingLog) { incoming[log.description.logID] = log }

    mutating func committed(_ logID: LogID, through head: LogHead) { incoming[logID]?.commit(through: head) }

    mutating func forgetUncommitted(_ logID: LogID) { incoming[logID]?.forgetUncommitted() }
}
