public import Foundation

/// A named reader of the inbox.
public struct InboxConsumer: Hashable, Sendable {
    /// What its program calls it. The owner names one of a token as `TOKEN/NAME`.
    public let name: String
    /// Everything up to here is acknowledged or set aside.
    public let cursor: InboxCursor
    /// How many messages have arrived after that.
    public let lag: Int
    /// The token of the local API with which it was made, by name: programs that show it mean this consumer by its name.
    /// `nil` for the owner's.
    public let token: String?
    /// When it was made, and when it last acknowledged something.
    public let createdAt: Date
    public let acknowledgedAt: Date?
    /// How many times in a row the message that is next was handed out in vain, as of the last hand-out that was noted.
    public let fruitless: Int
    /// How many messages are set aside for it.
    public let setAsideCount: Int
    /// The messages that were set aside and come once more, before all others, in their order.
    public let comingAgain: [MessageID]
    /// The last failure that it reported, or for which a message was set aside. It stays when the consumer goes on.
    public let lastFailure: InboxFailure?
}

/// Why a consumer could do nothing with a message.
public struct InboxFailure: Hashable, Sendable {
    public let reason: String
    public let date: Date
}

/// A message that was handed to a consumer too often in vain, and is out of its way.
public struct SetAsideMessage: Hashable, Sendable {
    public let message: Message
    /// What the consumer said when it failed last, or that it said nothing.
    public let reason: String
    public let date: Date
}

/// Where a consumer begins.
public enum InboxStart: Hashable, Sendable {
    /// With what arrives from now on.
    case now
    /// With the first message that is left.
    case beginning
    /// With the first message that arrived and is not older than this, by its sender's clock.
    case notOlderThan(Date)
}

/// Messages for a consumer, in the order in which they arrived.
public struct InboxBatch: Hashable, Sendable {
    public let messages: [Message]
    /// What to acknowledge when all of them are dealt with.
    public let cursor: InboxCursor
    /// The place of each message. Whoever has dealt with some of them acknowledges that of the last.
    public let cursors: [InboxCursor]
}

/// What a consumer says with its acknowledgement: a message, or something about a message.
public struct InboxReply: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case message(MessageDraft)
        /// Another text for a message of this node's user.
        case edit(MessageID, text: String)
        /// A reaction to a message, or an earlier one taken back.
        case reaction(String, to: MessageID, isRemoved: Bool)
    }

    /// Where it goes; `nil` for the conversation of the message that it answers, or that it is about.
    public var destination: Destination?
    public var content: Content
    /// The message that it answers; by default the last one that is acknowledged.
    public var answering: MessageID?
    /// Its idempotency key. By default one that follows from the consumer, the message that it answers, and which of the
    /// answers to that message it is: so the message is answered once, whatever happens in between.
    public var idempotencyKey: String?
    /// When it goes out, as with `Messages.schedule`; at once by default.
    public var notBefore: Date?
    /// Whether a message is shown as a reply to the one that it answers, which must not have been taken back.
    public var isReply = false
    /// The session that a message belongs to. One with `notBefore` belongs to none.
    public var step: SessionStep?
    /// Whether a message becomes a draft, which a person sends or discards (`Drafts`). It does not go out before that, so
    /// it has no `notBefore`.
    public var isDraft = false

    public init(
        to recipientID: UserID, _ draft: MessageDraft, answering: MessageID? = nil, idempotencyKey: String? = nil,
        notBefore: Date? = nil
    ) {
        self.init(
            to: .user(recipientID), draft, answering: answering, idempotencyKey: idempotencyKey, notBefore: notBefore)
    }

    /// A message to the other participants of a conversation.
    public init(
        to conversation: Conversation, _ draft: MessageDraft, answering: MessageID? = nil,
        idempotencyKey: String? = nil, notBefore: Date? = nil
    ) {
        self.init(
            to: conversation.destination, draft, answering: answering, idempotencyKey: idempotencyKey,
            notBefore: notBefore)
    }

    package init(
        to destination: Destination?, _ draft: MessageDraft, answering: MessageID? = nil,
        idempotencyKey: String? = nil, notBefore: Date? = nil
    ) {
        self.init(destination, .message(draft), answering: answering)
        self.idempotencyKey = idempotencyKey
        self.notBefore = notBefore
    }

    /// A message into the conversation of the message that it answers.
    public init(_ draft: MessageDraft, answering: MessageID? = nil, idempotencyKey: String? = nil) {
        self.init(nil, .message(draft), answering: answering)
        self.idempotencyKey = idempotencyKey
    }

    private init(_ destination: Destination?, _ content: Content, answering: MessageID?) {
        self.destination = destination
        self.content = content
        self.answering = answering
    }

    /// Gives a message of this node's user another text.
    public static func edit(_ messageID: MessageID, _ text: String, answering: MessageID? = nil) -> InboxReply {
        InboxReply(nil, .edit(messageID, text: text), answering: answering)
    }

    /// Reacts to a message, or takes a reaction back.
    public static func react(
        _ emoji: String, to messageID: MessageID, isRemoved: Bool = false, answering: MessageID? = nil
    ) -> InboxReply {
        InboxReply(nil, .reaction(emoji, to: messageID, isRemoved: isRemoved), answering: answering)
    }
}
