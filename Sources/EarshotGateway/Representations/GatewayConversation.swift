/// A conversation as the local API shows it.
package struct GatewayConversation: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    /// `direct`, `open` or `private`.
    package let kind: String
    /// What a conversation of many is found by, without the `#`.
    package let uniqueName: String?
    /// Whether this node's user belongs to it: `invited`, `joined`, `left`, `removed` or `closed`.
    package let status: String
    /// Of an open conversation: whether linked users who have not joined it are told its name.
    package let isAdvertised: Bool?
    /// Of an open conversation: whether its name means the same one on every other network without a network key.
    package let isNameShared: Bool?
    /// Of a private conversation: what people call it; left out if nobody has said.
    package let friendlyName: String?
    /// Of a private conversation: JSON that its owner has given it; left out if there is none.
    package let attributes: String?
    /// Of a private conversation: who has begun it, and who decides about it.
    package let creator: GatewayParty?
    package let owner: GatewayParty?
    /// Of a private conversation: whether who joins is given what was written before.
    package let givesHistory: Bool?
    /// Everybody who belongs to it or is invited, with this node's own user.
    package let participants: [GatewayParty]
    /// The other user of a direct conversation.
    package let peer: GatewayParty?
    /// Left out if nothing was written yet.
    package let lastMessage: GatewayMessage?
    /// How many messages of others this node's user has not read.
    package let unreadCount: Int
    /// The first of these in the order of time. Left out if all is read.
    package let firstUnread: GatewayMessage?
    /// Of which messages this node's user is notified: `all`, `mentions` or `none`.
    package let notificationLevel: String
}

/// A participant of a conversation.
package struct GatewayParticipant: Codable, Hashable, Sendable, Identifiable {
    /// The user's key.
    package let id: String
    /// Left out for a user that this node does not know.
    package let name: String?
    /// `owner` or `participant`.
    package let role: String
    /// `invited`, `joined`, `left`, `removed` or `closed`.
    package let status: String
    /// When the user got the status, by their own clock: ISO 8601 in UTC, and milliseconds since 1970. Left out in a direct
    /// conversation.
    package let since: String?
    package let sinceMilliseconds: Int64?
    /// The asking token's own identifier of the user. Left out for who shows no token, and in events.
    package internal(set) var applicationIdentifier: String?
}

/// An open conversation whose name linked users tell.
package struct GatewayAdvertisedConversation: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    package let uniqueName: String
    /// Who tells its name.
    package let users: [GatewayParty]
}

/// What is new about a conversation of many.
package struct GatewayConversationUpdate: Codable, Hashable, Sendable {
    package let conversationID: String
    package let kind: String
    package let uniqueName: String
    package let status: String
    /// Of a private conversation: who decides about it, and so invites.
    package let owner: GatewayParty?
    /// As in `ConversationChange`.
    package let changes: [String]
}

/// What is new about another participant.
package struct GatewayParticipantUpdate: Codable, Hashable, Sendable {
    package let conversationID: String
    /// Left out for one without a name.
    package let conversationName: String?
    package let participant: GatewayParticipant
}
