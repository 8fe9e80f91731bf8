import EarshotModel
import EarshotStore

/// A message that a target is notified of, or the last of several.
struct NotificationNews: Hashable, Sendable {
    let message: Message
    /// Its place in the order of arrival.
    let through: Int64
    var isMention: Bool
    var count = 1
}

/// Which messages are news, and how many notifications they are.
enum NotificationChoice {
    /// Whether somebody wants to be notified of a message: not once it was read, on whichever device, or taken back.
    static func isNews(_ message: Message, to userID: UserID) -> Bool {
        !message.isDeleted && !message.isRetracted && message.states[userID] != .read
    }

    /// Whether a message mentions a user, or answers a message of theirs.
    static func isMention(_ message: Message, of userID: UserID, in store: Store) throws(StoreError) -> Bool {
        guard !message.mentions.contains(userID) else { return true }
        guard let answered = message.replyTo else { return false }
        return try store.isAuthor(userID, of: answered.log)
    }

    /// Programs and servers are notified of each message; a desktop of each conversation, in the order of their last
    /// messages.
    static func grouped(_ news: [NotificationNews], for target: NotificationTarget) -> [NotificationNews] {
        guard target == .desktop else { return news }
        var groups: [ConversationID: NotificationNews] = [:]
        for item in news {
            guard let group = groups[item.message.conversationID] else {
                groups[item.message.conversationID] = item
                continue
            }
            var merged = item
            merged.count = group.count + 1
            merged.isMention = item.isMention || group.isMention
            groups[item.message.conversationID] = merged
        }
        return groups.values.sorted { $0.through < $1.through }
    }
}
