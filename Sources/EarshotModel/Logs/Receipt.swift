/// A device's signed statement that its disk holds a log up to a sequence number, that its user has seen the log up to
/// another, and that a program of its user has dealt with it up to a third.
package struct Receipt: Hashable, Sendable {
    package let logID: LogID
    /// Everything up to here is on the recipient's disk, but for bodies that are `missing`.
    package let sequence: UInt64
    /// The chain hash at `sequence`. It says what exactly is on that disk.
    package let chain: ChainHash
    /// Everything up to here was seen; at most `sequence`.
    package let readSequence: UInt64
    /// Everything up to here was dealt with by a program; at most `sequence`.
    package let handledSequence: UInt64
    /// Entries up to `sequence` whose bodies the device never held: it was given their hashes alone.
    package let missing: SequenceSet
    /// The device that signed.
    package let deviceID: DeviceID
    package let signature: Signature

    package init(
        logID: LogID, sequence: UInt64, chain: ChainHash, readSequence: UInt64, handledSequence: UInt64 = 0,
        missing: SequenceSet = SequenceSet(),
        deviceID: DeviceID, signature: Signature
    ) {
        self.logID = logID
        self.sequence = sequence
        self.chain = chain
        self.readSequence = readSequence
        self.handledSequence = handledSequence
        self.missing = missing
        self.deviceID = deviceID
        self.signature = signature
    }
}

/// The progress of the messages of one log for one recipient: the state of every message in it, in one row.
///
/// Each number means "everything up to here". Each only rises, `read ≤ delivered`, and `handled ≤ delivered`.
package struct DeliveryProgress: Hashable, Sendable {
    /// Up to here messages may have left this machine; later ones can be cancelled.
    package var offered: UInt64 = 0
    /// Up to here messages were written to a link.
    package var sent: UInt64 = 0
    /// Up to here messages are committed on the recipient's disk.
    package var delivered: UInt64 = 0
    /// Up to here the recipient has seen messages.
    package var read: UInt64 = 0
    /// Up to here a program of the recipient has dealt with messages.
    package var handled: UInt64 = 0
    /// Messages up to `delivered` whose bodies no device of the recipient has said to hold: they are not delivered.
    package var missing = SequenceSet()
    /// The receipt of one of the recipient's devices that proves all of it.
    package var receipt: Receipt?

    package init() {}

    /// The state of one message.
    /// - Parameter failure: the message's failure, if it has one.
    package func state(of sequence: UInt64, failure: DeliveryFailure?) -> DeliveryState {
        let isHeld = sequence <= delivered && !missing.contains(sequence)
        if let failure, failure.isWithheld || !isHeld { return .failed(failure.reason) }
        if isHeld { return sequence <= read ? .read : sequence <= handled ? .handled : .delivered }
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
