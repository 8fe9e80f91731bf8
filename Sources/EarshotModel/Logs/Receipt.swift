/// A device's signed statement that its disk holds a log up to a sequence number, and that its user has seen the log up
/// to another.
package struct Receipt: Hashable, Sendable {
    package let logID: LogID
    /// Everything up to here is on the recipient's disk.
    package let sequence: UInt64
    /// The chain hash at `sequence`. It says what exactly is on that disk.
    package let chain: ChainHash
    /// Everything up to here was seen; at most `sequence`.
    package let readSequence: UInt64
    /// The device that signed.
    package let deviceID: DeviceID
    package let signature: Signature

    package init(
        logID: LogID, sequence: UInt64, chain: ChainHash, readSequence: UInt64, deviceID: DeviceID,
        signature: Signature
    ) {
        self.logID = logID
        self.sequence = sequence
        self.chain = chain
        self.readSequence = readSequence
        self.deviceID = deviceID
        self.signature = signature
    }
}

/// The progress of the messages of one log for one recipient: the state of every message in it, in one row.
///
/// Each number means "everything up to here". Each only rises, and `read ≤ delivered`.
package struct DeliveryProgress: Hashable, Sendable {
    /// Up to here messages may have left this machine; later ones can be cancelled.
    package var offered: UInt64 = 0
    /// Up to here messages were written to a link.
    package var sent: UInt64 = 0
    /// Up to here messages are committed on the recipient's disk.
    package var delivered: UInt64 = 0
    /// Up to here the recipient has seen messages.
    package var read: UInt64 = 0
    /// The receipt of one of the recipient's devices that proves `delivered` and `read`.
    package var receipt: Receipt?

    package init() {}

    /// The state of one message.
    /// - Parameter failure: the message's failure, if it has one.
    package func state(of sequence: UInt64, failure: DeliveryFailure?) -> DeliveryState {
        if let failure, failure.isWithheld || sequence > delivered { return .failed(failure.reason) }
        if sequence <= read { return .read }
        if sequence <= delivered { return .delivered }
        if sequence <= sent { return .sent }
        return .queued
    }
}

/// The progress of one log for one recipient, as the store holds it.
package struct DeliveryRecord: Hashable, Sendable {
    package let logID: LogID
    package let recipientID: UserID
    package var progress: DeliveryProgress

    package init(logID: LogID, recipientID: UserID, progress: DeliveryProgress) {
        self.logID = logID
        self.recipientID = recipientID
        self.progress = progress
    }
}

/// One message on its way to one recipient.
package struct Addressed: Hashable, Sendable {
    package let messageID: MessageID
    package let recipientID: UserID

    package init(messageID: MessageID, recipientID: UserID) {
        self.messageID = messageID
        self.recipientID = recipientID
    }
}

/// The failure of one message to reach one recipient, and why.
package struct DeliveryFailure: Hashable, Sendable {
    package let messageID: MessageID
    package let recipientID: UserID
    package let reason: FailureReason
    /// Whether its content was or will be withheld from the recipient. Then no receipt can make it delivered.
    package var isWithheld: Bool

    package init(messageID: MessageID, recipientID: UserID, reason: FailureReason, isWithheld: Bool) {
        self.messageID = messageID
        self.recipientID = recipientID
        self.reason = reason
        self.isWithheld = isWithheld
    }

    package var addressed: Addressed { Addressed(messageID: messageID, recipientID: recipientID) }

    /// The same failure of the message under another id.
    package func moved(to messageID: MessageID) -> DeliveryFailure {
        DeliveryFailure(messageID: messageID, recipientID: recipientID, reason: reason, isWithheld: isWithheld)
    }
}
