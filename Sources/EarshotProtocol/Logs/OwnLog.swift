import EarshotCrypto
import EarshotModel

/// A log that this device writes.
struct OwnLog: Sendable {
    /// A draft, with the times at which it was accepted and will expire.
    typealias Draft = (draft: EntryDraft, timestamp: HybridTimestamp, expiry: Int64, key: EntryKey?)

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

    /// The entries that drafts become at the end of this log: they are chained, and the last has a checkpoint.
    ///
    /// This changes nothing: the log grows when the entries are committed.
    func extended(
        by drafts: [Draft], _ author: LogAuthor
    ) -> (record: LogRecord, entries: [EntryRecord]) {
        var writer = LogWriter(self, capacity: drafts.count)
        for (draft, timestamp, expiry, key) in drafts {
            let body = EntryBody(timestamp: timestamp, expiry: expiry, content: .init(draft), key: key)
            writer.append(
                .body(body.encoded(with: author.salts)), timestamp, expiry: expiry, kind: draft.kind, key: key,
                relation: body.content.relation)
        }
        return writer.finished(by: author)
    }

    /// The earliest time at which one of its messages may expire; `.max` if none can.
    mutating func setNextExpiry(_ expiry: Int64) { record.nextExpiry = expiry }

    /// What drafts tell their author, once they are entries; `nil` for those that tell nothing.
    /// - Parameter conversation: the log's, with those who belong to it now.
    func news(
        of entries: [EntryRecord], drafts: [Draft], record: LogRecord, in conversation: ConversationRecord,
        _ logs: Logs
    ) -> [EntryNews?] {
        let recipients = conversation.recipientIDs(of: record.authorID)
        let states = Dictionary(uniqueKeysWithValues: recipients.map { ($0, DeliveryState.queued) })
        return zip(entries, drafts).map { entry, item in
            switch item.draft {
            case .message(let draft):
                return .message(
                    Message(
                        draft.content, messageID: MessageID(log: record.logID, sequence: entry.sequence),
                        conversationID: record.description.conversationID, senderID: record.authorID,
                        recipientIDs: recipients, timestamp: entry.timestamp, expiry: entry.expiry, states: states))
            case .amendment(let amendment):
                let update = logs.update(
                    by: amendment, of: record.authorID, in: record.description.conversationID)
                return update.map { .update($0, by: entry.sequence) }
            case .join, .leave, .accept, .decline, .version, .control, .profile, .decision, .cut, .erasure: return nil
            }
        }
    }
}
