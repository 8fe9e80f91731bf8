import EarshotModel

/// What a block hides: it is about an author, whoever carries what they wrote.
extension TrustMachine {
    func isBlocked(_ userID: UserID) -> Bool { directory.users[userID]?.trust == .blocked }

    /// Whether nobody is told of it: a blocked user invites this node's own.
    func isHidden(_ news: JournalRecord) -> Bool {
        guard case .conversation(let update) = news, update.status == .invited, let ownerID = update.ownerID
        else { return false }
        return isBlocked(ownerID)
    }

    /// The same.
    func isHidden(_ conversation: ConversationOfMany) -> Bool {
        conversation.status == .invited && conversation.details.map { isBlocked($0.ownerID) } == true
    }

    /// Whether nobody is told of it: a blocked user has written it in a group.
    func isHidden(_ news: EntryNews, of conversations: ConversationTable) -> Bool {
        switch news {
        case .message(let message): isBlocked(message.senderID) && conversations.isOfMany(message.conversationID)
        case .update(let update, _): isBlocked(update.userID) && conversations.isOfMany(update.conversationID)
        case .profile: false
        }
    }
}
