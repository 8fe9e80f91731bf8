import EarshotCrypto
import EarshotModel

/// Appends entries to the end of one of this device's logs. The log itself grows when they are committed.
struct LogWriter: Sendable {
    private(set) var record: LogRecord
    private var entries: [EntryRecord] = []

    init(_ log: OwnLog) { record = log.record }

    mutating func append(
        _ content: EntryContent, _ timestamp: HybridTimestamp, expiry: Int64 = .max, kind: EntryKind,
        key: EntryKey? = nil, relation: EntryRelation? = nil, attachments: [Attachment]? = nil
    ) {
        record.head.append(content.hash, at: timestamp)
        record.nextExpiry = min(record.nextExpiry, expiry)
        entries.append(
            EntryRecord(
                sequence: record.head.sequence, timestamp: timestamp, expiry: expiry, kind: kind, content: content,
                chain: record.head.chain, key: key, relation: relation, attachments: attachments))
    }

    /// - Returns: its number.
    @discardableResult
    mutating func append(_ body: EntryBody, by author: LogAuthor) -> UInt64 {
        let encoded = EntryContent.body(body.encoded(with: author.salts))
        record.head.append(encoded.hash, at: body.timestamp)
        record.nextExpiry = min(record.nextExpiry, body.expiry)
        entries.append(EntryRecord(body, encoded: encoded, key: body.key, at: record.head))
        return record.head.sequence
    }

    /// The log with its new end, and the entries, of which the last has a checkpoint.
    mutating func finish(by author: LogAuthor) -> (record: LogRecord, entries: [EntryRecord]) {
        guard !entries.isEmpty else { return (record, []) }
        // Control entries go to some only up to one of them.
        let signed = record.description.kind == .control ? entries.indices : entries.count - 1..<entries.count
        for index in signed {
            entries[index].checkpoint = Checkpoint.sign(
                logID: record.description.logID, sequence: entries[index].sequence, chain: entries[index].chain,
                with: author.signingKey)
        }
        return (record, entries)
    }
}
