/// A user's part in a conversation.
public struct Participant: Hashable, Sendable, Identifiable {
    public enum Role: String, Hashable, Sendable, CaseIterable {
        /// Decides who is in.
        case owner
        case participant
    }

    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// Was added, and has not answered.
        case invited
        case joined
        /// Has left or declined.
        case left
        case removed
        /// Belonged to the conversation when its owner closed it.
        case closed
    }

    public let userID: UserID
    public let role: Role
    public let status: Status
    /// When the user got this status. 0 for a direct conversation, whose participants are fixed.
    package let since: HybridTimestamp

    public var id: UserID { userID }

    package init(userID: UserID, role: Role, status: Status, since: HybridTimestamp) {
        self.userID = userID
        self.role = role
        self.status = status
        self.since = since
    }
}
