/// The id of a draft. No other draft of the node has it, before or after.
public struct DraftID: Hashable, Sendable, Comparable {
    package let bytes: EntryKey

    package init(_ bytes: EntryKey) { self.bytes = bytes }

    /// - Returns: `nil` unless the text is that of an id: 16 bytes in Crockford's base32, lower case.
    package init?(_ description: String) {
        guard let bytes = Base32.decode(description).flatMap({ EntryKey($0) }) else { return nil }
        self.init(bytes)
    }

    public var description: String { Base32.encode(bytes.bytes) }

    public static func < (a: DraftID, b: DraftID) -> Bool { a.bytes < b.bytes }
}

/// A message that a program has prepared, and that a person sends or discards. It leaves the node only as the message that
/// a person sends.
public struct Draft: Hashable, Sendable, Identifiable {
    public let id: DraftID
    public let conversationID: ConversationID
    package let destination: Destination
    /// What is sent, if a person sends it.
    public let content: MessageDraft
    /// The name of the program that inserted it, which is that of its token or its bot; `nil` for a person.
    public let insertedBy: String?
    /// When it was inserted, and when it was last changed if it was; in milliseconds since 1970 by this machine's clock.
    package let createdAt: Int64
    package let changedAt: Int64?
    /// The message that it became; `nil` while it waits.
    public package(set) var messageID: MessageID?

    package init(
        id: DraftID, conversationID: ConversationID, destination: Destination, content: MessageDraft,
        insertedBy: String?, createdAt: Int64, changedAt: Int64? = nil, messageID: MessageID? = nil
    ) {
        self.id = id
        self.conversationID = conversationID
        self.destination = destination
        self.content = content
        self.insertedBy = insertedBy
        self.createdAt = createdAt
        self.changedAt = changedAt
        self.messageID = messageID
    }
}

/// What became of a draft, in an event. It has none of the draft's content, so nothing of that is left when the draft is
/// gone.
public struct DraftChange: Hashable, Sendable {
    public let draftID: DraftID
    public let conversationID: ConversationID
    /// The name of the program that inserted it; `nil` for a person.
    public let insertedBy: String?
    /// Of `draftSent`: the message that it became.
    public let messageID: MessageID?

    package init(
        draftID: DraftID, conversationID: ConversationID, insertedBy: String?, messageID: MessageID? = nil
    ) {
        self.draftID = draftID
        self.conversationID = conversationID
        self.insertedBy = insertedBy
        self.messageID = messageID
    }
}
