/// Where a message goes.
public enum Destination: Hashable, Sendable {
    /// To the direct conversation with a user, who need not have been met.
    case user(UserID)
    /// To a conversation of many, which this node's user belongs to.
    case conversation(ConversationID)
}
