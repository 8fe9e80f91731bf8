/// A message that waits for its time, as the store holds it.
package struct ScheduledRecord: Hashable, Sendable {
    /// Drawn at random; or the key of the message, if it has one.
    package let scheduledID: EntryKey
    package let conversationID: ConversationID
    /// Milliseconds since 1970, by this machine's clock.
    package let notBefore: Int64
    /// The recipient and the message, encoded.
    package let draft: [UInt8]
    package let key: EntryKey?
    package let createdAt: Int64

    package init(
        scheduledID: EntryKey, conversationID: ConversationID, notBefore: Int64, draft: [UInt8], key: EntryKey?,
        createdAt: Int64
    ) {
        self.scheduledID = scheduledID
        self.conversationID = conversationID
        self.notBefore = notBefore
        self.draft = draft
        self.key = key
        self.createdAt = createdAt
    }
}
