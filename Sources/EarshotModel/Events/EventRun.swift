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

    package var events: [Event] {
        switch self {
        case .queued(let messages): messages.map(Event.messageQueued)
        case .received(let messages): messages.map(Event.messageReceived)
        case .progress(let progress): progress.events
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

    fileprivate var events: [Event] {
        var events: [Event] = []
        events.reserveCapacity(sequences.count)
        for sequence in sequences {
            let change = MessageStateChange(
                messageID: MessageID(log: logID, sequence: sequence), conversationID: conversationID,
                recipientID: recipientID, state: step.state)
            events.append(step.event(change))
        }
        return events
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
