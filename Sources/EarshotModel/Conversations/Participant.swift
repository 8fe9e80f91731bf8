/// A user who belongs to a private conversation.
package struct Participant: Hashable, Sendable {
    package enum Role: String, Hashable, Sendable, CaseIterable {
        /// Decides who is in.
        case owner
        case participant
    }

    package enum Status: String, Hashable, Sendable, CaseIterable {
        /// Was added, and has not answered.
        case invited
        case joined
        /// Has left or declined.
        case left
        case removed
        /// Belonged to the conversation when its owner closed it.
        case closed
    }

    package let userID: UserID
    package let role: Role
    package let status: Status
    /// When the user was added.
    package let since: HybridTimestamp

    package init(userID: UserID, role: Role, status: Status, since: HybridTimestamp) {
        self.userID = userID
        self.role = role
        self.status = status
        self.since = since
    }
}
