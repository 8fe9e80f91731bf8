import EarshotCrypto
import EarshotModel

/// A log that this device writes.
struct OwnLog: Sendable {
    private(set) var record: LogRecord

    init(record: LogRecord) { self.record = record }

    var description: LogDescription { record.description }
    var head: LogHead { record.head }

    /// Whose progress a receipt of a user's device counts for.
    func deliveryKey(for userID: UserID) -> DeliveryKey {
        DeliveryKey(logID: record.logID, recipientID: userID)
    }

    /// Whether it has entries behind a place, and nobody was offered any of them.
    func isUnsent(after head: LogHead, _ deliveries: Deliveries) -> Bool {
        (deliveries.target(deliveryKey)?.offered ?? 0) <= head.sequence
    }

    /// Whether this device withholds an entry that goes out as its hash. What it lost, since its disk was replaced, and a
    /// peer gave back without its body, others may hold: that is for nobody to withhold. So may they of a conversation of many what it
    /// has erased.
    func withholds(_ entry: EntryRecord, _ failure: DeliveryFailure?) -> Bool {
        guard failure?.isWithheld != true, entry.mark == nil else { return true }
        return record.conversation.kind == .direct && !entry.isMissing
    }

    /// This device's word that it withholds an entry.
    func mark(of entry: EntryRecord, by author: LogAuthor) -> Signature {
        WithheldMark.sign(
            logID: description.logID, sequence: entry.sequence, hash: entry.content.hash, with: author.signingKey)
    }

    /// The earliest time at which one of its messages may expire; `.max` if none can.
    mutating func setNextExpiry(_ expiry: Int64) { record.nextExpiry = expiry }
}
