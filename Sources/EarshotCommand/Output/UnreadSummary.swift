import EarshotGateway

/// What nobody has read yet, of all conversations.
struct UnreadSummary: Encodable {
    let messageCount: Int
    let conversationCount: Int
    /// The last one of these, unless this node's user has written after it.
    let last: Last?

    struct Last: Encodable {
        let sender: GatewayParty
        let conversationID: String
        let timestampMilliseconds: Int64
    }

    /// - Parameter ownID: the key of this node's user.
    init(_ conversations: [GatewayConversation], ownID: String) {
        let unread = conversations.filter { $0.unreadCount > 0 }
        messageCount = unread.reduce(0) { $0 + $1.unreadCount }
        conversationCount = unread.count
        last = unread.compactMap(\.lastMessage).max { $0.timestampMilliseconds < $1.timestampMilliseconds }
            .flatMap { message in
                guard message.sender.id != ownID else { return nil }
                return Last(
                    sender: message.sender, conversationID: message.conversationID,
                    timestampMilliseconds: message.timestampMilliseconds)
            }
    }

    /// Like `3 messages in 2 conversations; the last from bob, 17:20: earshot inbox`.
    func text(_ names: NameBook, now: Int64 = LocalTime.now) -> String {
        guard messageCount > 0 else { return "none" }
        let count = Counted.text(messageCount, "message", "messages")
        let place = Counted.text(conversationCount, "conversation", "conversations")
        let from = last.map { last in
            let time = last.timestampMilliseconds
            let when = LocalTime.isSameDay(time, now) ? LocalTime.clock(time) : LocalTime.full(time)
            return "; the last from \(names.shown(last.sender)), \(when)"
        }
        return "\(count) in \(place)\(from ?? ""): earshot inbox"
    }
}

extension GatewayClient {
    /// - Parameter ownID: the key of this node's user.
    func unread(ownID: String) async throws(GatewayError) -> UnreadSummary {
        UnreadSummary(try await allConversations(), ownID: ownID)
    }
}
