import EarshotModel
import EarshotProtocol

extension NodeMachine {
    /// Sends to the direct conversation with a user.
    mutating func send(
        _ drafts: [MessageDraft], to recipientID: UserID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        send(drafts, to: ConversationID.direct(userID, recipientID), requestID: requestID, now: now)
    }
}

extension NodeMachine {
    /// How many messages in direct conversations wait for receipts.
    var undeliveredCount: UInt64 { undelivered.values.reduce(0, +) }
}
