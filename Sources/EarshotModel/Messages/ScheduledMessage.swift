/// The id of a message that waits for its time. Once the message is due, it gets a `MessageID`.
public struct ScheduledMessageID: Hashable, Sendable, Comparable {
    package let bytes: EntryKey

    package init(_ bytes: EntryKey) { self.bytes = bytes }

    /// - Returns: `nil` unless the text is that of an id.
    package init?(_ description: String) {
        guard let bytes = Base32.decode(description).flatMap({ EntryKey($0) }) else { return nil }
        self.init(bytes)
    }

    public var description: String { Base32.encode(bytes.bytes) }

    public static func < (a: ScheduledMessageID, b: ScheduledMessageID) -> Bool { a.bytes < b.bytes }
}

/// A message that takes its place in the history when it is due, and can be cancelled until then.
public struct ScheduledMessage: Hashable, Sendable, Identifiable {
    public let id: ScheduledMessageID
    public let destination: Destination
    public let draft: MessageDraft
    /// When it is due, and when it was scheduled, in milliseconds since 1970 by this machine's clock.
    package let notBefore: Int64
    package let createdAt: Int64
    /// The message that it became; `nil` while it waits.
    public package(set) var messageID: MessageID?

    package init(
        id: ScheduledMessageID, destination: Destination, draft: MessageDraft, notBefore: Int64, createdAt: Int64,
        messageID: MessageID? = nil
    ) {
        self.id = id
        self.destination = destination
        self.draft = draft
        self.notBefore = notBefore
        self.createdAt = createdAt
        self.messageID = messageID
    }
}
