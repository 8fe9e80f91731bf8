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

    /// The entries that drafts become at the end of this log: they are chained, and the last has a checkpoint.
    ///
    /// This changes nothing: the log grows when the entries are committed.
    func extended(
        by drafts: [Draft], _ author: LogAuthor
    ) -> (record: LogRecord, entries: [EntryRecord]) {
        var extended = record
        var entries: [EntryRecord] = []
        entries.reserveCapacity(drafts.count)
        for (draft, timestamp, expiry, key) in drafts {
            let text = EntryBody.Content.text(draft.text, headers: draft.headers)
            let body = EntryBody(timestamp: timestamp, expiry: expiry, content: text, key: key)
                .encoded(with: author.salts)
            extended.head = LogHead(
                sequence: extended.head.sequence + 1, chain: extended.head.chain.appending(.of(body: body)),
                timestamp: timestamp)
            extended.nextExpiry = min(extended.nextExpiry, expiry)
            entries.append(
                EntryRecord(
                    sequence: extended.head.sequence, timestamp: timestamp, expiry: expiry, kind: draft.kind,
                    content: .body(body), chain: extended.head.chain, key: key))
        }
        if !entries.isEmpty {
            entries[entries.count - 1].checkpoint = Checkpoint.sign(
                logID: extended.logID, sequence: extended.head.sequence, chain: extended.head.chain,
                with: author.signingKey)
        }
        return (extended, entries)
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
