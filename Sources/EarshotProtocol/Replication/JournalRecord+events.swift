import EarshotModel

extension JournalRecord {
    /// What tells observers that messages of one of this node's own logs have come a step further; nothing for a record of
    /// another kind.
    func events(in conversationID: ConversationID) -> [Event] {
        guard case .progress(let logID, let recipientID, let step, let sequences) = self else { return [] }
        return sequences.map { sequence in
            let change = MessageStateChange(
                messageID: MessageID(log: logID, sequence: sequence), conversationID: conversationID,
                recipientID: recipientID, state: step.state)
            return switch step {
            case .sent: .messageSent(change)
            case .delivered: .messageDelivered(change)
            case .read: .messageRead(change)
            }
        }
    }
}
