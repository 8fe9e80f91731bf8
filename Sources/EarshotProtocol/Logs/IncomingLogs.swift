import EarshotModel

/// The logs of peers, by id, device and author.
struct IncomingLogs: Sendable {
    private var logs: [LogID: IncomingLog] = [:]
    private var idsOfDevice: [DeviceID: Set<LogID>] = [:]
    private var idsOfConversation: [ConversationID: Set<LogID>] = [:]
    private var countOfAuthor: [UserID: Int] = [:]

    subscript(logID: LogID) -> IncomingLog? {
        get { logs[logID] }
        set {
            let old = logs[logID]
            logs[logID] = newValue
            if old == nil, let newValue {
                idsOfDevice[newValue.description.deviceID, default: []].insert(logID)
                idsOfConversation[newValue.description.conversationID, default: []].insert(logID)
                countOfAuthor[newValue.authorID, default: 0] += 1
            } else if newValue == nil, let old {
                idsOfDevice[old.description.deviceID]?.remove(logID)
                idsOfConversation[old.description.conversationID]?.remove(logID)
                countOfAuthor[old.authorID, default: 1] -= 1
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

    func count(of authorID: UserID) -> Int { countOfAuthor[authorID, default: 0] }
}
