/// An audit's findings on one log: what is proved, and what does not hold.
public struct LogFindings: Hashable, Sendable {
    /// Something that does not hold.
    public struct Mismatch: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            /// The log does not belong to this conversation and device.
            case place
            /// The author's credential does not hold, or belongs to another user or device.
            case credential
            /// Entries are missing, from the named place on.
            case missing(count: UInt64)
            /// The content was changed, or stands in another place than it was written to.
            case chain
            /// The signature over the log up to here is not that of its device.
            case checkpoint
            /// The time or the expiry is not what the author wrote, or the time does not rise.
            case time
            /// The content cannot be read.
            case content
            /// The log does not end where its head says.
            case head
            /// There are entries after the head.
            case beyondHead(count: UInt64)
            /// The recipient's receipt is not signed by the device that it names.
            case receipt
            /// The recipient has signed for more entries than there are: some were removed from the end.
            case receiptBeyondHead
            /// The recipient has signed for other contents.
            case receiptChain
            /// The device that signed the receipt is not the recipient's.
            case receiptCredential
        }

        public let kind: Kind
        /// The place in the log; `nil` for the log as a whole.
        public let sequence: UInt64?
    }

    /// The greatest number of mismatches that are named. The others are only counted.
    public static let mismatchLimit = 100

    package let log: LogRecord
    /// The user whose device writes the log, and that device.
    public var authorID: UserID { log.authorID }
    public var deviceID: DeviceID { log.description.deviceID }
    public package(set) var entryCount: UInt64 = 0
    /// Whether the device that writes the log has a credential signed by the author's identity key.
    public package(set) var isAuthorProved = false
    /// Up to here the device's signatures cover all entries without a gap, from the first one on.
    public package(set) var provedSequence: UInt64 = 0
    /// How many entries' contents the author withheld: their hashes are proved, but nobody here has seen the contents.
    public package(set) var withheldCount: UInt64 = 0
    /// How many entries' contents never came, and may still come: their hashes are proved.
    public package(set) var missingCount: UInt64 = 0
    /// How many entries' contents were deleted: their hashes are proved.
    public package(set) var deletedCount: UInt64 = 0
    /// How far the recipient has signed for the log; 0 without a receipt.
    public package(set) var receiptSequence: UInt64 = 0
    /// Whether the receipt is for exactly these contents, and is signed by a device whose credential the recipient's
    /// identity has signed.
    public package(set) var isReceiptProved = false
    public private(set) var mismatches: [Mismatch] = []
    public private(set) var mismatchCount = 0

    package init(log: LogRecord) { self.log = log }

    package mutating func note(_ kind: Mismatch.Kind, at sequence: UInt64?) {
        mismatchCount += 1
        guard mismatches.count < Self.mismatchLimit else { return }
        mismatches.append(Mismatch(kind: kind, sequence: sequence))
    }
}

extension LogFindings.Mismatch: CustomStringConvertible {
    /// The mismatch in a sentence, without the place.
    public var description: String {
        switch kind {
        case .place: "the log is not one of this conversation and device"
        case .credential: "the credential of the device does not hold, or is of another user or device"
        case .missing(let count): count == 1 ? "1 entry is missing" : "\(count) entries are missing"
        case .chain: "the content was changed, or stands in another place than it was written to"
        case .checkpoint: "the signature of the device does not hold"
        case .time: "the time is not what the author wrote, or does not rise"
        case .content: "the content cannot be read"
        case .head: "the log does not end as its head says"
        case .beyondHead(let count): "\(count) entries stand after the end of the log"
        case .receipt: "the signature of the receipt does not hold"
        case .receiptBeyondHead: "the recipient has signed for more than there is: entries were removed from the end"
        case .receiptChain: "the recipient has signed for other contents"
        case .receiptCredential: "the device that signed the receipt is not the recipient's"
        }
    }

    /// The kind's name in the API.
    public var name: String {
        switch kind {
        case .place: "place"
        case .credential: "credential"
        case .missing: "missing"
        case .chain: "chain"
        case .checkpoint: "checkpoint"
        case .time: "time"
        case .content: "content"
        case .head: "head"
        case .beyondHead: "beyondHead"
        case .receipt: "receipt"
        case .receiptBeyondHead: "receiptBeyondHead"
        case .receiptChain: "receiptChain"
        case .receiptCredential: "receiptCredential"
        }
    }
}
