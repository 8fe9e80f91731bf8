/// What the history of a conversation proves, computed again from what is on the disk.
public struct ConversationAudit: Sendable, Hashable {
    public let conversationID: ConversationID
    /// The other user.
    public let peerID: UserID
    /// The findings for each log, in the order in which the logs came into the store.
    public let logs: [LogFindings]

    /// Whether everything that was checked holds.
    public var isSound: Bool { logs.allSatisfy { $0.mismatchCount == 0 } }
}
