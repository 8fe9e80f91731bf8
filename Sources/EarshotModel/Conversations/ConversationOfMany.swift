/// A conversation of many as its node knows it, open or private.
package struct ConversationOfMany: Hashable, Sendable {
    package let conversationID: ConversationID
    package let kind: ConversationKind
    package let uniqueName: String
    /// Whether this node's user belongs to it.
    package let status: Participant.Status
    /// Whether others on the network are told its name.
    package let isAdvertised: Bool
    /// Everybody who is known to belong to it, or to have belonged to it.
    package let participants: [Participant]
    /// What its owner decides; `nil` for an open one.
    package let details: ConversationDetails?

    package init(_ record: OpenConversationRecord) {
        conversationID = record.conversationID
        kind = .open
        uniqueName = record.uniqueName
        (status, isAdvertised) = (record.status, record.isAdvertised)
        participants = Array(record.participants.values)
        details = nil
    }

    /// - Returns: `nil` if this node's user was never added.
    package init?(_ record: PrivateConversationRecord, creatorID: UserID, userID: UserID) {
        guard let own = record.participants.first(where: { $0.userID == userID }) else { return nil }
        conversationID = record.conversationID
        kind = .private
        uniqueName = record.uniqueName
        (status, isAdvertised) = (own.status, false)
        participants = record.participants
        details = ConversationDetails(
            creatorID: creatorID, ownerID: record.ownerID, friendlyName: record.friendlyName,
            attributes: record.attributes, givesHistory: record.givesHistory, isClosed: record.isClosed)
    }

    /// Those who are in, in ascending order.
    package var participantIDs: [UserID] {
        participants.filter { $0.status == .joined || $0.status == .invited || $0.status == .closed }
            .map(\.userID).sorted()
    }
}

/// What the owner of a private conversation decides about it.
public struct ConversationDetails: Hashable, Sendable {
    /// Who began it. With the conversation's name they name it among all others: `#ops@alice`.
    public let creatorID: UserID
    /// Who decides who is in.
    public let ownerID: UserID
    /// What people call it; empty if nobody has said.
    public let friendlyName: String
    /// A JSON object, or empty.
    public let attributes: String
    /// Whether who joins is given what was written before.
    public let givesHistory: Bool
    /// Whether its owner has ended it: what is there stays, and nothing more can be written.
    public let isClosed: Bool

    package init(
        creatorID: UserID, ownerID: UserID, friendlyName: String, attributes: String, givesHistory: Bool, isClosed: Bool
    ) {
        self.creatorID = creatorID
        self.ownerID = ownerID
        self.friendlyName = friendlyName
        self.attributes = attributes
        self.givesHistory = givesHistory
        self.isClosed = isClosed
    }
}
