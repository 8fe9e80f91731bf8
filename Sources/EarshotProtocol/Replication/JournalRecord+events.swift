import EarshotModel

extension JournalRecord {
    /// Tells observers that messages of one of this node's own logs have come a step further; a record of another kind tells
    /// nothing here.
    func tell(in conversationID: ConversationID, _ logs: Logs, _ post: (Event) -> Void) {
        guard case .progress(let logID, let recipientID, let step, let sequences) = self else { return }
        let messages = logs.messages(of: logID)
        for sequence in sequences where messages.contains(sequence) {
            let change = MessageStateChange(
                messageID: MessageID(log: logID, sequence: sequence), conversationID: conversationID,
                recipientID: recipientID, state: step.state)
            switch step {
            case .sent: post(.messageSent(change))
            case .delivered: post(.messageDelivered(change))
            case .handled: post(.messageHandled(change))
            case .read: post(.messageRead(change))
            }
        }
    }

    /// What tells observers that a conversation of many has changed; `nil` for a record of another kind.
    var conversationEvent: Event? {
        switch self {
        case .conversation(let update): .conversationUpdated(update)
        case .participant(let update): .participantUpdated(update)
        case .queued, .received, .progress, .failed, .user, .draft: nil
        }
    }

    /// What tells observers of a draft; `nil` for a record of another kind.
    var draftEvent: Event? { if case .draft(let news) = self { news.event } else { nil } }

    /// The record without what is no message, in as many runs as are left; a record of another kind as it is.
    /// - Parameter unknown: entries of which nobody knows yet what they are.
    func told(_ logs: Logs, except unknown: SequenceSet?) -> [JournalRecord] {
        guard case .progress(let logID, let recipientID, let step, let sequences) = self else { return [self] }
        let messages = logs.messages(of: logID)
        guard !messages.areAll || unknown != nil else { return [self] }
        var runs: [ClosedRange<UInt64>] = []
        for sequence in sequences where messages.contains(sequence) && unknown?.contains(sequence) != true {
            if let last = runs.last, last.upperBound + 1 == sequence {
                runs[runs.count - 1] = last.lowerBound...sequence
            } else {
                runs.append(sequence...sequence)
            }
        }
        return runs.map { .progress(logID, recipientID, step, $0) }
    }
}
