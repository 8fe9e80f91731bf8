/// How a conversation gets its participants.
public enum ConversationKind: String, Hashable, Sendable, CaseIterable {
    /// A fixed pair of users, whom the conversation's id names.
    case direct
    /// Found by its unique name; anybody on the network may join.
    case open
    /// Whoever the owner has added.
    case `private`
}

/// A conversation and its participants, as the store holds it.
package struct ConversationRecord: Hashable, Sendable {
    package let conversationID: ConversationID
    package let kind: ConversationKind
    /// In ascending order; only a direct conversation's never change.
    package let participantIDs: [UserID]
    /// What people call a conversation of many; empty for a direct one.
    package let uniqueName: String

    package init(
        conversationID: ConversationID, kind: ConversationKind, participantIDs: [UserID], uniqueName: String = ""
    ) {
        self.conversationID = conversationID
        self.kind = kind
        self.uniqueName = uniqueName
        self.participantIDs = participantIDs.sorted()
    }

    /// The users whom a participant writes to.
    package func recipientIDs(of authorID: UserID) -> [UserID] { participantIDs.filter { $0 != authorID } }

    /// The first participant who is not this user: in a direct conversation, the other one.
    package func peerID(of userID: UserID) -> UserID? { participantIDs.first { $0 != userID } }

    /// Whether it is that of a user with themselves, in which their devices tell each other what they share. Nobody is
    /// shown it.
    package func isOwn(of userID: UserID) -> Bool {
        kind == .direct && participantIDs.count == 1 && participantIDs[0] == userID
    }

    /// What errors call it.
    package func label(for userID: UserID) -> String {
        switch kind {
        case .direct: peerID(of: userID)?.fingerprint ?? "oneself"
        case .open, .private: "#\(uniqueName)"
        }
    }
}
