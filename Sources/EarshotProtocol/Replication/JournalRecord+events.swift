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
            case .read: .messageRead(change)
            }
        }
    }
}
