import EarshotCrypto
import EarshotModel

/// A log that this device writes.
struct OwnLog: Sendable {
    /// A draft, with the times at which it was accepted and will expire.
    typealias Draft = (draft: MessageDraft, timestamp: HybridTimestamp, expiry: Int64, key: EntryKey?)

    private(set) var record: LogRecord

    init(record: LogRecord) { self.record = record }

    var description: LogDescription { record.description }
    var head: LogHead { record.head }

    /// Whether it has entries behind a place, and nobody was offered any of them.
    func isUnsent(after head: LogHead, _ deliveries: Deliveries) -> Bool {
        (deliveries.target(deliveryKey)?.offered ?? 0) <= head.sequence
    }

    /// The entries that drafts become at the end of this log: they are chained, and the last has a checkpoint.
    ///
    /// This changes nothing: the log grows when the entries are committed.
    func extended(
        by drafts: [Draft], _ author: LogAuthor
    ) -> (record: LogRecord, entries: [EntryRecord]) {
        var writer = LogWriter(self, capacity: drafts.count)
        for (draft, timestamp, expiry, key) in drafts {
            let text = EntryBody.Content.text(draft.text, headers: draft.headers)
            let body = EntryBody(timestamp: timestamp, expiry: expiry, content: text, key: key)
            writer.append(
                .body(body.encoded(with: author.salts)), timestamp, expiry: expiry, kind: draft.kind, key: key)
        }
        return writer.finished(by: author)
    }

    /// The earliest time at which one of its messages may expire; `.max` if none can.
    mutating func setNextExpiry(_ expiry: Int64) { record.nextExpiry = expiry }

    /// The messages of drafts, for their author, once they are entries.
    func messages(of entries: [EntryRecord], drafts: [Draft], record: LogRecord) -> [Message] {
        let recipients = [record.recipientID]
        let states = [record.recipientID: DeliveryState.queued]
        return zip(entries, drafts).map { entry, item in
            Message(
                messageID: MessageID(log: record.logID, sequence: entry.sequence),
                conversationID: record.description.conversationID, senderID: record.authorID, recipientIDs: recipients,
                text: item.draft.text, headers: item.draft.headers, timestamp: entry.timestamp, expiry: entry.expiry,
                states: states)
        }
    }
}
