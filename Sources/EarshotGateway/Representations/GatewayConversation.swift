/// A conversation as the local API shows it.
package struct GatewayConversation: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    /// `direct`.
    package let kind: String
    /// Everybody who belongs to it, with this node's own user.
    package let participants: [GatewayParty]
    /// The other user of a direct conversation.
    package let peer: GatewayParty
    /// Left out if nothing was written yet.
    package let lastMessage: GatewayMessage?
    /// How many messages of others this node's user has not read.
    package let unreadCount: Int
    /// The first of these in the order of time. Left out if all is read.
    package let firstUnread: GatewayMessage?
}
