/// A device's signed word that it holds a log up to a sequence number, committed to its disk,
/// and that its user has seen it up to another.
public struct Receipt: Hashable, Sendable {
    public let logID: LogID
    /// Everything up to here is on the recipient's disk.
    public let sequence: UInt64
    /// The chain hash at `sequence`: what exactly is on that disk.
    public let chain: ChainHash
    /// Everything up to here was seen; at most `sequence`.
    public let readSequence: UInt64
    /// The device that signed.
    public let deviceID: DeviceID
    public let signature: Signature

    public init(
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
public struct DeliveryProgress: Hashable, Sendable {
    /// May have left this machine; what is beyond can be cancelled.
    public var offered: UInt64 = 0
    /// Was written to a link.
    public var sent: UInt64 = 0
    /// Is committed on the recipient's disk.
    public var delivered: UInt64 = 0
    /// Was seen by the recipient.
    public var read: UInt64 = 0
    /// The recipient's word for `delivered` and `read`.
    public var receipt: Receipt?

    public init() {}

    /// The state of one message.
    /// - Parameter failure: its entry in the list of failures, if it has one.
    public func state(of sequence: UInt64, failure: DeliveryFailure?) -> DeliveryState {
        if let failure, failure.isWithheld || sequence > delivered { return .failed(failure.reason) }
        if sequence <= read { return .read }
        if sequence <= delivered { return .delivered }
        if sequence <= sent { return .sent }
        return .queued
    }
}

/// The progress of one log for one recipient, as the store holds it.
public struct DeliveryRecord: Hashable, Sendable {
    public let logID: LogID
    public let recipientID: UserID
    public var progress: DeliveryProgress

    public init(logID: LogID, recipientID: UserID, progress: DeliveryProgress) {
        self.logID = logID
        self.recipientID = recipientID
        self.progress = progress
    }
}

/// That one message will not be delivered, and why.
public struct DeliveryFailure: Hashable, Sendable {
    public let messageID: MessageID
    public let reason: FailureReason
    /// Whether its content was or will be kept from the recipient: then no receipt can turn it into delivered.
    public var isWithheld: Bool

    public init(messageID: MessageID, reason: FailureReason, isWithheld: Bool) {
        self.messageID = messageID
        self.reason = reason
        self.isWithheld = isWithheld
    }
}
