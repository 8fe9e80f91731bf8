/// What the history of a conversation proves, found out anew from what is on the disk.
public struct ConversationAudit: Sendable, Hashable {
    public let conversationID: ConversationID
    /// The other user.
    public let peerID: UserID
    /// One for each log, in the order in which they came into the store.
    public let logs: [LogFindings]

    /// Whether nothing was found that does not hold.
    public var isSound: Bool { logs.allSatisfy { $0.mismatchCount == 0 } }
}
