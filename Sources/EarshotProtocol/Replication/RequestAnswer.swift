package import EarshotModel

/// A call that sends messages: all of them are accepted, or none.
package struct SendCall: Sendable {
    package let requestID: RequestID
    package let drafts: [EntryDraft]

    package init(requestID: RequestID, drafts: [EntryDraft]) {
        self.requestID = requestID
        self.drafts = drafts
    }
}

/// A call whose messages are on the disk.
package struct AcceptedCall: Sendable {
    package let requestID: RequestID
    package let messages: [Message]

    package var answer: RequestAnswer { .accepted(messages) }
}

/// The answer to a request of this node's user. Most answers are messages that were accepted. Larger ones are indirect, so that
/// these are copied quickly.
package enum RequestAnswer: Hashable, Sendable {
    /// Messages are on the disk, and will be sent.
    case accepted([Message])
    /// A message was taken back.
    case cancelled(MessageID)
    /// The peer's messages up to this one are marked as read.
    case markedRead(MessageID)
    /// Peers were told what changes nothing on the disk.
    case told
    /// This node's user belongs to a conversation, or no longer.
    case conversation(ConversationID)
    /// A decision about a user is on the disk.
    case decided(UserID)
    /// The user's other devices will be told what was erased.
    case erased
    /// A device's revocation or name is on the disk.
    case deviceChanged(DeviceID)
    /// What a consumer is to be given next.
    indirect case planned(HandOutPlan)
    /// A consumer's failure is on the disk.
    case failureNoted(isSetAside: Bool)
    /// A message waits for its time, or has been sent since.
    indirect case scheduled(ScheduledMessage)
    /// A draft waits for a person, or has been sent since.
    indirect case draft(Draft)

    /// The messages that were accepted.
    package var messages: [Message] {
        if case .accepted(let messages) = self { messages } else { [] }
    }
}
