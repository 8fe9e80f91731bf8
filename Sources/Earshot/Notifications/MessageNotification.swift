package import Foundation

/// What a target is told: that somebody has written.
package struct MessageNotification: Hashable, Sendable {
    /// The conversation, which need not have been opened before.
    package let conversationID: ConversationID
    /// What a conversation of many is found by, without the `#`; `nil` for a direct one.
    package let conversationName: String?
    /// The message; the last of several.
    package let messageID: MessageID
    /// Its place in the order of arrival, as `Message.index`.
    package let index: Int64
    package let senderID: UserID
    /// `nil` for a sender of whom nothing else is known.
    package let senderName: String?
    /// What was written.
    package let text: String
    /// When it was written, by its author's clock.
    package let date: Date
    /// Whether it mentions the user, or answers a message of theirs.
    package let isMention: Bool
    /// How many messages of the conversation it stands for.
    package let count: Int
}

extension MessageNotification {
    init(_ message: Message, index: Int64, isMention: Bool, count: Int, senderName: String?, conversationName: String?)
    {
        conversationID = message.conversationID
        self.conversationName = conversationName
        messageID = message.messageID
        self.index = index
        senderID = message.senderID
        self.senderName = senderName
        text = message.text
        date = message.createdAt
        self.isMention = isMention
        self.count = count
    }
}

/// What a program or a server gets, as JSON.
struct NotificationPayload: Hashable, Sendable, Codable {
    struct Conversation: Hashable, Sendable, Codable {
        let id: String
        var name: String?
    }

    struct Sender: Hashable, Sendable, Codable {
        let id: String
        var name: String?
    }

    struct Message: Hashable, Sendable, Codable {
        let id: String
        let index: Int64
        let sender: Sender
        let text: String
        /// ISO 8601 in UTC with milliseconds.
        let sentAt: String
        let isMention: Bool
    }

    enum Kind: String, Hashable, Sendable, Codable {
        case message
        /// It was made to see whether the target takes it.
        case test
    }

    let type: Kind
    /// Left out of a test.
    var conversation: Conversation?
    var message: Message?

    static let test = NotificationPayload(type: .test)
}

extension NotificationPayload {
    init(_ notification: MessageNotification) {
        type = .message
        conversation = Conversation(
            id: notification.conversationID.description, name: notification.conversationName)
        message = Message(
            id: notification.messageID.description, index: notification.index,
            sender: Sender(id: notification.senderID.description, name: notification.senderName),
            text: notification.text,
            sentAt: notification.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            isMention: notification.isMention)
    }

    /// On one line.
    func encoded() throws(EarshotError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(self)) } catch {
            throw EarshotError(.internalError, "a notification cannot be written as JSON: \(error)")
        }
    }
}
