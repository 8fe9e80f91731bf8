import EarshotModel

/// The logs of peers, by id, device and author.
struct IncomingLogs: Sendable {
    private var logs: [LogID: IncomingLog] = [:]
    private var idsOfDevice: [DeviceID: Set<LogID>] = [:]
    private var idsOfConversation: [ConversationID: Set<LogID>] = [:]
    private var idsOfAuthor: [UserID: Set<LogID>] = [:]
    /// What the entries of all of them count, as they came.
    private(set) var bytes = 0

    subscript(logID: LogID) -> IncomingLog? {
        get { logs[logID] }
        set {
            let old = logs[logID]
            logs[logID] = newValue
            bytes += (newValue?.bytes ?? 0) - (old?.bytes ?? 0)
            if old == nil, let newValue {
                idsOfDevice[newValue.description.deviceID, default: []].insert(logID)
                idsOfConversation[newValue.description.conversationID, default: []].insert(logID)
                idsOfAuthor[newValue.authorID, default: []].insert(logID)
            } else if newValue == nil, let old {
                idsOfDevice[old.description.deviceID]?.remove(logID)
                idsOfConversation[old.description.conversationID]?.remove(logID)
                idsOfAuthor[old.authorID]?.remove(logID)
            }
        }
    }

    /// Everything of a log up to a proved head is on the disk.
    mutating func commit(_ logID: LogID, through head: LogHead, bytes: Int) {
        logs[logID]?.commit(through: head, bytes: bytes)
    }

    var ids: some Collection<LogID> { logs.keys }

    /// Ascending by id.
    func logs(of deviceID: DeviceID) -> [IncomingLog] {
        idsOfDevice[deviceID, default: []].sorted().compactMap { logs[$0] }
    }

    /// In no order.
    func logs(of conversationID: ConversationID) -> [IncomingLog] {
        idsOfConversation[conversationID, default: []].compactMap { logs[$0] }
    }

    /// Whether logs of several devices are of a conversation.
    func hasManyDevices(in conversationID: ConversationID) -> Bool {
        guard let ids = idsOfConversation[conversationID], ids.count > 1 else { return false }
        return Set(ids.compactMap { logs[$0]?.description.deviceID }).count > 1
    }

    func hasLogs(of deviceID: DeviceID) -> Bool { idsOfDevice[deviceID]?.isEmpty == false }

    func hasLogs(by authorID: UserID) -> Bool { idsOfAuthor[authorID]?.isEmpty == false }

    func count(in conversationID: ConversationID) -> Int { idsOfConversation[conversationID]?.count ?? 0 }

    func count(of authorID: UserID, in conversationID: ConversationID) -> Int {
        idsOfConversation[conversationID, default: []].count { logs[$0]?.authorID == authorID }
    }

    /// What the entries of each author in a conversation count, as they came.
    func bytes(in conversationID: ConversationID) -> [UserID: Int] {
        idsOfConversation[conversationID, default: []].reduce(into: [:]) { bytes, logID in
            if let log = logs[logID] { bytes[log.authorID, default: 0] += log.bytes }
        }
    }

    /// Ascending by id.
    func logs(by authorID: UserID) -> [IncomingLog] {
        idsOfAuthor[authorID, default: []].sorted().compactMap { logs[$0] }
    }
}
