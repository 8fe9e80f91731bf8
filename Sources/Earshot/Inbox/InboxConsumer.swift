public import Foundation

/// A named reader of the inbox.
public struct InboxConsumer: Hashable, Sendable {
    public let name: String
    /// Everything up to here is acknowledged or set aside.
    public let cursor: InboxCursor
    /// How many messages have arrived after that.
    public let lag: Int
    /// The token of the local API with which it was made, by name: only programs that show it, or may do everything, read
    /// and acknowledge for it. `nil` for the owner's.
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

/// A message that a consumer sends with its acknowledgement.
public struct InboxReply: Hashable, Sendable {
    public var recipientID: UserID
    public var draft: MessageDraft
    /// The message that it answers; by default the last one that is acknowledged.
    public var answering: MessageID?
    /// Its idempotency key. By default one that follows from the consumer, the message that it answers, and which of the
    /// answers to that message it is: so the message is answered once, whatever happens in between.
    public var idempotencyKey: String?
    /// When it goes out, as with `Messages.schedule`; at once by default.
    public var notBefore: Date?
    /// Whether it is shown as a reply to the message that it answers, which must not have been taken back.
    public var isReply = false

    public init(
        to recipientID: UserID, _ draft: MessageDraft, answering: MessageID? = nil, idempotencyKey: String? = nil,
        notBefore: Date? = nil
    ) {
        self.recipientID = recipientID
        self.draft = draft
        self.answering = answering
        self.idempotencyKey = idempotencyKey
        self.notBefore = notBefore
    }
}
