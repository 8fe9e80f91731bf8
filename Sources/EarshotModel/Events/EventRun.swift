/// Events of one name, about messages that follow each other. Observers are told of one after the other; until then they are
/// handed on together, and nothing is made that nobody observes.
package enum EventRun: Sendable {
    /// At least one message of this node.
    case queued([Message])
    /// At least one message of another user.
    case received([Message])
    /// Messages of one of this node's logs that have made a step on the way to a recipient.
    case progress(MessageProgress)

    package var name: EventName {
        switch self {
        case .queued: .messageQueued
        case .received: .messageReceived
        case .progress(let progress): progress.step.eventName
        }
    }

    package var count: Int {
        switch self {
        case .queued(let messages), .received(let messages): messages.count
        case .progress(let progress): progress.sequences.count
        }
    }

    /// - Parameter index: below `count`.
    package func event(at index: Int) -> Event {
        switch self {
        case .queued(let messages): .messageQueued(messages[index])
        case .received(let messages): .messageReceived(messages[index])
        case .progress(let progress): progress.event(at: UInt64(index))
        }
    }

    package var events: [Event] { (0..<count).map(event) }

    /// These alone: nothing of the others is kept.
    package subscript(range: Range<Int>) -> EventRun {
        switch self {
        case .queued(let messages): .queued(Array(messages[range]))
        case .received(let messages): .received(Array(messages[range]))
        case .progress(let progress): .progress(progress[range])
        }
    }

    /// The messages that it brings; none if it tells of a step.
    package var messages: [Message] {
        switch self {
        case .queued(let messages), .received(let messages): messages
        case .progress: []
        }
    }
}

/// A step that messages which follow each other in a log have made on the way to a recipient.
package struct MessageProgress: Sendable {
    package let logID: LogID
    package let conversationID: ConversationID
    package let recipientID: UserID
    package let step: JournalRecord.Step
    package let sequences: ClosedRange<UInt64>

    package init(
        logID: LogID, conversationID: ConversationID, recipientID: UserID, step: JournalRecord.Step,
        sequences: ClosedRange<UInt64>
    ) {
        self.logID = logID
        self.conversationID = conversationID
        self.recipientID = recipientID
        self.step = step
        self.sequences = sequences
    }

    /// The place of a message's event among these; `nil` if there is none.
    package func index(of messageID: MessageID) -> Int? {
        guard messageID.log == logID, sequences.contains(messageID.sequence) else { return nil }
        return Int(messageID.sequence - sequences.lowerBound)
    }

    fileprivate subscript(range: Range<Int>) -> MessageProgress {
        let first = sequences.lowerBound
        return MessageProgress(
            logID: logID, conversationID: conversationID, recipientID: recipientID, step: step,
            sequences: first + UInt64(range.lowerBound)...first + UInt64(range.upperBound) - 1)
    }

    fileprivate func event(at index: UInt64) -> Event {
        let messageID = MessageID(log: logID, sequence: sequences.lowerBound + index)
        return step.event(
            MessageStateChange(
                messageID: messageID, conversationID: conversationID, recipientID: recipientID, state: step.state))
    }
}

extension JournalRecord.Step {
    fileprivate var eventName: EventName {
        switch self {
        case .sent: .messageSent
        case .delivered: .messageDelivered
        case .handled: .messageHandled
        case .read: .messageRead
        }
    }

    fileprivate func event(_ change: MessageStateChange) -> Event {
        switch self {
        case .sent: .messageSent(change)
        case .delivered: .messageDelivered(change)
        case .handled: .messageHandled(change)
        case .read: .messageRead(change)
        }
    }
}
