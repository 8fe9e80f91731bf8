/// How a conversation gets its participants.
package enum ConversationKind: String, Hashable, Sendable, CaseIterable {
    /// A fixed pair of users, whom the conversation's id names.
    case direct
}

/// A conversation and its participants, as the store holds it.
package struct ConversationRecord: Hashable, Sendable {
    package let conversationID: ConversationID
    package let kind: ConversationKind
    /// In ascending order.
    package let participantIDs: [UserID]

    package init(conversationID: ConversationID, kind: ConversationKind, participantIDs: [UserID]) {
        self.conversationID = conversationID
        self.kind = kind
        self.participantIDs = participantIDs.sorted()
    }

    /// The users whom a participant writes to.
    package func recipientIDs(of authorID: UserID) -> [UserID] { participantIDs.filter { $0 != authorID } }
}
