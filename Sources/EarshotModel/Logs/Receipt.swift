/// A device's signed word that it holds a log up to a sequence number, committed to its disk,
/// and that its user has seen it up to another.
package struct Receipt: Hashable, Sendable {
    package let logID: LogID
    /// Everything up to here is on the recipient's disk.
    package let sequence: UInt64
    /// The chain hash at `sequence`: what exactly is on that disk.
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

/// How far the messages of one log have come for one recipient: the state of every message in it, in one row.
///
/// Each number says "everything up to here". Each only rises, and `read ≤ delivered`.
package struct DeliveryProgress: Hashable, Sendable {
    /// May have left this machine; what is beyond can be cancelled.
    package var offered: UInt64 = 0
    /// Was written to a link.
    package var sent: UInt64 = 0
    /// Is committed on the recipient's disk.
    package var delivered: UInt64 = 0
    /// Was seen by the recipient.
    package var read: UInt64 = 0
    /// The word of one of the recipient's devices for `delivered` and `read`.
    package var receipt: Receipt?

    package init() {}

    /// The state of one message.
    /// - Parameter failure: its entry in the list of failures, if it has one.
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

/// That one message will not be delivered to one recipient, and why.
package struct DeliveryFailure: Hashable, Sendable {
    package let messageID: MessageID
    package let recipientID: UserID
    package let reason: FailureReason
    /// Whether its content was or will be kept from the recipient: then no receipt can turn it into delivered.
    package var isWithheld: Bool

    package init(messageID: MessageID, recipientID: UserID, reason: FailureReason, isWithheld: Bool) {
        self.messageID = messageID
        self.recipientID = recipientID
        self.reason = reason
        self.isWithheld = isWithheld
    }

    package var addressed: Addressed { Addressed(messageID: messageID, recipientID: recipientID) }
}
