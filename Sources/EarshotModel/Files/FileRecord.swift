/// What was decided about a file, or became of it, as the store notes it.
package struct FileRecord: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// It is here, whole.
        case held
        /// This node's user wants it, whatever its size.
        case wanted
        /// This node's user does not want it, or not any more.
        case declined
        /// It cannot be kept here.
        case failed(reason: String)
    }

    package let fileID: FileID
    package let byteCount: UInt64
    package let state: State
    /// Milliseconds since 1970.
    package let changedAt: Int64
    /// The name of the limited token with which it was uploaded; `nil` for all others.
    package let token: String?

    package init(_ fileID: FileID, byteCount: UInt64, _ state: State, changedAt: Int64, token: String? = nil) {
        (self.fileID, self.byteCount, self.state, self.changedAt) = (fileID, byteCount, state, changedAt)
        self.token = token
    }
}

/// A file that a message of somebody brings along.
package struct AttachedFile: Hashable, Sendable {
    package let attachment: Attachment
    package let conversationID: ConversationID
    package let senderID: UserID
    /// The message, by its log and number.
    package let messageID: MessageID
    /// The message's place in the order in which entries came to this node's disk.
    package let arrival: Int64

    package var fileID: FileID { attachment.fileID }
    package var byteCount: UInt64 { attachment.byteCount }

    package init(
        _ attachment: Attachment, in conversationID: ConversationID, by senderID: UserID, _ messageID: MessageID,
        arrival: Int64 = 0
    ) {
        (self.attachment, self.conversationID) = (attachment, conversationID)
        (self.senderID, self.messageID, self.arrival) = (senderID, messageID, arrival)
    }
}
