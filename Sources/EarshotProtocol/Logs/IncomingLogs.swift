import EarshotModel

/// The logs of peers, by id, device and author.
struct IncomingLogs: Sendable {
    private var logs: [LogID: IncomingLog] = [:]
    private var idsOfDevice: [DeviceID: Set<LogID>] = [:]
    private var idsOfConversation: [ConversationID: Set<LogID>] = [:]
    private var idsOfAuthor: [UserID: Set<LogID>] = [:]

    subscript(logID: LogID) -> IncomingLog? {
        get { logs[logID] }
        set {
            let old = logs[logID]
            logs[logID] = newValue
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

    var ids: some Collection<LogID> { logs.keys }

    /// Ascending by id.
    func logs(of deviceID: DeviceID) -> [IncomingLog] {
        idsOfDevice[deviceID, default: []].sorted().compactMap { logs[$0] }
    }

    /// In no order.
    func logs(of conversationID: ConversationID) -> [IncomingLog] {
        idsOfConversation[conversationID, default: []].compactMap { logs[$0] }
    }

    func hasLogs(of deviceID: DeviceID) -> Bool { idsOfDevice[deviceID]?.isEmpty == false }

    func count(of authorID: UserID) -> Int { idsOfAuthor[authorID]?.count ?? 0 }

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
