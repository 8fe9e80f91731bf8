/// What changed about a conversation.
public enum ConversationChange: String, Hashable, Sendable, CaseIterable {
    /// This node's user has joined it, or belongs to it no longer.
    case status
    /// Whether others on the network are told its name.
    case isAdvertised
    /// Another user decides who is in.
    case owner
    /// Another device of the same owner decides who is in: the one before passed that on, was lost, or was revoked.
    case decidingDevice
    /// Its friendly name or its attributes.
    case attributes
}

/// A conversation of many, as it is after something about it has changed.
public struct ConversationUpdate: Hashable, Sendable {
    public let conversationID: ConversationID
    public let kind: ConversationKind
    /// What people call it, without the `#`; empty for one without a name.
    public let uniqueName: String
    /// Whether this node's user belongs to it: `invited` says that they may join it.
    public let status: Participant.Status
    /// Who decides who is in, and so invites; `nil` for an open one.
    public let ownerID: UserID?
    public let changes: Set<ConversationChange>

    package init(
        conversationID: ConversationID, kind: ConversationKind, uniqueName: String, status: Participant.Status,
        ownerID: UserID? = nil, changes: Set<ConversationChange>
    ) {
        self.conversationID = conversationID
        self.kind = kind
        self.uniqueName = uniqueName
        self.status = status
        self.ownerID = ownerID
        self.changes = changes
    }
}

/// Another participant of a conversation, as they are after their status or role has changed.
public struct ParticipantUpdate: Hashable, Sendable {
    public let conversationID: ConversationID
    public let participant: Participant

    package init(conversationID: ConversationID, participant: Participant) {
        self.conversationID = conversationID
        self.participant = participant
    }
}

/// An open conversation whose name linked users tell, and which this node's user has not joined.
public struct AdvertisedConversation: Hashable, Sendable, Identifiable {
    public let conversationID: ConversationID
    /// By what it is joined, without the `#`.
    public let uniqueName: String
    /// The linked users who tell its name, in ascending order.
    public let userIDs: [UserID]

    public var id: ConversationID { conversationID }

    package init(conversationID: ConversationID, uniqueName: String, userIDs: [UserID]) {
        self.conversationID = conversationID
        self.uniqueName = uniqueName
        self.userIDs = userIDs.sorted()
    }
}
