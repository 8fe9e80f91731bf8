import EarshotModel

extension JournalRecord {
    /// What tells observers that messages of one of this node's own logs have come a step further; nothing for a record of
    /// another kind.
    func events(in conversationID: ConversationID, where isMessage: (MessageID) -> Bool) -> [Event] {
        guard case .progress(let logID, let recipientID, let step, let sequences) = self else { return [] }
        return sequences.map { MessageID(log: logID, sequence: $0) }.filter(isMessage).map { messageID in
            let change = MessageStateChange(
                messageID: messageID, conversationID: conversationID,
                recipientID: recipientID, state: step.state)
            return switch step {
            case .sent: .messageSent(change)
            case .delivered: .messageDelivered(change)
            case .handled: .messageHandled(change)
            case .read: .messageRead(change)
            }
        }
    }

    /// What tells observers that a conversation of many has changed; `nil` for a record of another kind.
    var conversationEvent: Event? {
        switch self {
        case .conversation(let update): .conversationUpdated(update)
        case .participant(let update): .participantUpdated(update)
        case .queued, .received, .progress, .failed, .user: nil
        }
    }

    /// The record without what is no message, in as many runs as are left; a record of another kind as it is.
    func told(where isMessage: (MessageID) -> Bool) -> [JournalRecord] {
        guard case .progress(let logID, let recipientID, let step, let sequences) = self else { return [self] }
        var runs: [ClosedRange<UInt64>] = []
        for sequence in sequences where isMessage(MessageID(log: logID, sequence: sequence)) {
            if let last = runs.last, last.upperBound + 1 == sequence {
                runs[runs.count - 1] = last.lowerBound...sequence
            } else {
                runs.append(sequence...sequence)
            }
        }
        return runs.map { .progress(logID, recipientID, step, $0) }
    }
}
