import EarshotCrypto
import EarshotModel

/// Appends entries to the end of one of this device's logs. The log itself grows when they are committed.
struct LogWriter: Sendable {
    private(set) var record: LogRecord
    private var entries: [EntryRecord] = []

    init(_ log: OwnLog, capacity: Int = 0) {
        record = log.record
        entries.reserveCapacity(capacity)
    }

    mutating func append(
        _ content: EntryContent, _ timestamp: HybridTimestamp, expiry: Int64 = .max, kind: EntryKind,
        key: EntryKey? = nil, relation: EntryRelation? = nil, attachments: [Attachment]? = nil
    ) {
        record.head = LogHead(
            sequence: record.head.sequence + 1, chain: record.head.chain.appending(content.hash),
            timestamp: timestamp)
        record.nextExpiry = min(record.nextExpiry, expiry)
        entries.append(
            EntryRecord(
                sequence: record.head.sequence, timestamp: timestamp, expiry: expiry, kind: kind, content: content,
                chain: record.head.chain, key: key, relation: relation, attachments: attachments))
    }

    /// The log with its new end, and the entries, of which the last has a checkpoint.
    func finished(by author: LogAuthor) -> (record: LogRecord, entries: [EntryRecord]) {
        guard !entries.isEmpty else { return (record, []) }
        var entries = entries
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
