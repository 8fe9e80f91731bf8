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
    /// How many messages of others are not marked as read here.
    package let unreadCount: Int
}
