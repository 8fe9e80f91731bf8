package import EarshotModel
import GRDB

extension Store {
    /// A run of a log's entries, ascending from a sequence number, for sending.
    ///
    /// - Parameters:
    ///   - byteLimit: stops before the entry that would go past it, but gives at least one.
    package func entries(
        of logID: LogID, from sequence: UInt64, countLimit: Int, byteLimit: Int
    ) throws(StoreError) -> [EntryRecord] {
        let rows = Rows(path: path)
        return try read { db in
            let cursor = try Row.fetchCursor(
                db,
                sql: """
                    SELECT entry.* FROM log JOIN entry ON entry.log = log.number
                    WHERE log.logID = ? AND entry.sequence >= ? ORDER BY entry.sequence LIMIT ?
                    """, arguments: [logID.data, Int64(sequence), countLimit])
            var entries: [EntryRecord] = []
            var bytes = 0
            while let row = try cursor.next() {
                let entry = try rows.entry(row)
                bytes += entry.windowBytes
                if bytes > byteLimit && !entries.isEmpty { break }
                entries.append(entry)
            }
            return entries
        }
    }

    /// The sequence numbers of a log's expired entries after `sequence`, and the next expiry after `now`.
    package func expired(
        in logID: LogID, after sequence: UInt64, now: Int64
    ) throws(StoreError) -> (sequences: [UInt64], nextExpiry: Int64) {
        try read { db in
            let cursor = try Row.fetchCursor(
                db,
                sql: """
                    SELECT entry.sequence, entry.expiry FROM log JOIN entry ON entry.log = log.number
                    WHERE log.logID = ? AND entry.sequence > ? ORDER BY entry.sequence
                    """, arguments: [logID.data, Int64(sequence)])
            var sequences: [UInt64] = []
            var nextExpiry = Int64.max
            while let row = try cursor.next() {
                let expiry: Int64 = row[1]
                if expiry <= now {
                    sequences.append(UInt64(row[0] as Int64))
                } else {
                    nextExpiry = min(nextExpiry, expiry)
                }
            }
            return (sequences, nextExpiry)
        }
    }
}
