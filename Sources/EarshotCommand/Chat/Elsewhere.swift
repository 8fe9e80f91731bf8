import EarshotGateway

/// What happens in other conversations while one is shown: how much is unread there, and what is said about it.
///
/// Nobody may be looking, so each conversation is announced once until a key is pressed.
struct Elsewhere {
    private(set) var unreadCount = 0
    private var announcedIDs: Set<String> = []

    mutating func count(_ conversations: [GatewayConversation], but ownID: String?) {
        unreadCount = conversations.reduce(0) { $0 + ($1.id == ownID ? 0 : $1.unreadCount) }
    }

    /// - Returns: whether the message is to be announced.
    mutating func came(_ message: GatewayMessage) -> Bool {
        announcedIDs.insert(message.conversationID).inserted
    }

    mutating func keyPressed() { announcedIDs = [] }
}
