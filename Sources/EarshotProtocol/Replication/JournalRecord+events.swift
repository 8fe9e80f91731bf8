import EarshotModel

extension JournalRecord {
    /// What tells observers that messages of one of this node's own logs have come a step further; a record of another kind
    /// tells nothing here.
    func progress(in conversationID: ConversationID, _ logs: Logs) -> [MessageProgress] {
        told(logs, except: nil).compactMap { record in
            guard case .progress(let logID, let recipientID, let step, let sequences) = record else { return nil }
            return MessageProgress(
                logID: logID, conversationID: conversationID, recipientID: recipientID, step: step,
                sequences: sequences)
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
