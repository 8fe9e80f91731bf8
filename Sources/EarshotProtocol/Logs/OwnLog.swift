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
    /// peer gave back without its body, others may hold: that is for nobody to withhold.
    func withholds(_ entry: EntryRecord, _ failure: DeliveryFailure?) -> Bool {
        failure?.isWithheld == true || !entry.isMissing
    }

    /// This device's word that it withholds an entry.
    func mark(of entry: EntryRecord, by author: LogAuthor) -> Signature {
        WithheldMark.sign(
            logID: description.logID, sequence: entry.sequence, hash: entry.content.hash, with: author.signingKey)
    }

    /// The entries that bodies become at the end of this log: they are chained, and the last has a checkpoint.
    ///
    /// This changes nothing: the log grows when the entries are committed.
    func extended(
        by bodies: [EntryBody], _ author: LogAuthor
    ) -> (record: LogRecord, entries: [EntryRecord]) {
        var writer = LogWriter(self, capacity: bodies.count)
        // An array would hand out copies.
        let bodies = bodies.span
        for index in bodies.indices {
            writer.append(
                .body(bodies[index].encoded(with: author.salts)), bodies[index].timestamp, expiry: bodies[index].expiry,
                kind: bodies[index].kind, key: bodies[index].key, relation: bodies[index].content.relation,
                attachments: bodies[index].content.attachments)
        }
        return writer.finished(by: author)
    }

    /// The earliest time at which one of its messages may expire; `.max` if none can.
    mutating func setNextExpiry(_ expiry: Int64) { record.nextExpiry = expiry }

    /// What bodies tell their author, once they are entries; `nil` for those that tell nothing.
    /// - Parameters:
    ///   - first: the number of the first of them.
    ///   - conversation: the log's, with those who belong to it now.
    func news(
        of bodies: [EntryBody], from first: UInt64, in conversation: ConversationRecord, _ logs: Logs
    ) -> [EntryNews?] {
        let recipients = conversation.recipientIDs(of: record.authorID)
        let states = Dictionary(uniqueKeysWithValues: recipients.map { ($0, DeliveryState.queued) })
        return bodies.indices.map { index in
            let sequence = first + UInt64(index)
            switch bodies[index].content {
            case .text(let content):
                return .message(
                    Message(
                        content, messageID: MessageID(log: record.logID, sequence: sequence),
                        conversationID: record.description.conversationID, senderID: record.authorID,
                        recipientIDs: recipients, timestamp: bodies[index].timestamp, expiry: bodies[index].expiry,
                        states: states))
            case .amendment(let amendment):
                let update = logs.update(
                    by: amendment, of: record.authorID, in: record.description.conversationID)
                return update.map { .update($0, by: sequence) }
            case .branches, .join, .leave, .version, .control, .profile, .decision, .cut, .erasure, .unknown:
                return nil
            }
        }
    }
}
