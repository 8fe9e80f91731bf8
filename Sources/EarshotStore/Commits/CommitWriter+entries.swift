import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// The rows that one statement writes when there are many: SQLite looks up and stores a table's next cursor once a
    /// statement.
    private static let rowsPerStatement = 16
    private static let manyRows = insertion(of: rowsPerStatement, row)
    private static let manyPlainRows = insertion(of: rowsPerStatement, plainRow)
    private static let oneRow = insertion(of: 1, row)
    private static let row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    /// That of an entry that has a body, and nothing that few have.
    private static let plainRow = "(?, ?, ?, ?, ?, ?, NULL, NULL, ?, 0)"

    private static func insertion(of count: Int, _ row: String) -> String {
        """
        INSERT INTO entry (log, sequence, timestamp, expiry, kind, chain, checkpoint, hash, body, isDeleted)
        VALUES \(Array(repeating: row, count: count).joined(separator: ", "))
        """
    }

    func write(_ run: LogEntries) throws {
        let log = try number(of: run.logID)
        let count = run.entries.count
        let together = count - count % Self.rowsPerStatement
        // An array would hand out copies.
        let entries = run.entries.span
        if together > 0 {
            var plain = try BoundStatement(db, sql: Self.manyPlainRows, rows: Self.rowsPerStatement)
            var other = try BoundStatement(db, sql: Self.manyRows, rows: Self.rowsPerStatement)
            for start in stride(from: 0, to: together, by: Self.rowsPerStatement) {
                let range = start..<start + Self.rowsPerStatement
                if range.allSatisfy({ Self.isPlain(entries, $0) }) {
                    for index in range { bindPlain(entries, index, of: log, to: &plain) }
                    try plain.run()
                } else {
                    for index in range { bind(entries, index, of: log, to: &other) }
                    try other.run()
                }
            }
        }
        guard together < count else { return }
        var statement = try BoundStatement(db, sql: Self.oneRow)
        for index in together..<count {
            bind(entries, index, of: log, to: &statement)
            try statement.run()
        }
    }

    private static func isPlain(_ entries: Span<EntryRecord>, _ index: Int) -> Bool {
        // Not one condition: Swift 6.3 does not compile a span in those that follow an `&&`.
        guard entries[index].content.isBody else { return false }
        if entries[index].isDeleted { return false }
        if entries[index].parts.isEmpty { return true }
        return entries[index].checkpoint == nil
    }

    /// What all rows begin with, in the order of the columns. An entry itself would be copied to be handed over.
    private func bindBeginning(
        _ entries: Span<EntryRecord>, _ index: Int, of log: Int64, to statement: inout BoundStatement
    ) {
        statement.bind(log)
        statement.bind(entries[index].sequence)
        statement.bind(entries[index].timestamp.rawValue)
        statement.bind(entries[index].expiry)
        statement.bind(entries[index].kind.rawValue)
        statement.bind(entries[index].chain)
    }

    private func bindPlain(
        _ entries: Span<EntryRecord>, _ index: Int, of log: Int64, to statement: inout BoundStatement
    ) {
        bindBeginning(entries, index, of: log, to: &statement)
        if case .body(let bytes) = entries[index].content { statement.bind(bytes) }
    }

    private func bind(
        _ entries: Span<EntryRecord>, _ index: Int, of log: Int64, to statement: inout BoundStatement
    ) {
        bindBeginning(entries, index, of: log, to: &statement)
        statement.bind(entries[index].checkpoint)
        switch entries[index].content {
        case .body(let bytes):
            statement.bindNull()
            statement.bind(bytes)
        case .withheld(let hash):
            statement.bind(hash)
            statement.bindNull()
        }
        statement.bind(entries[index].isDeleted)
    }

    /// Few entries have a mark, so all others are spared a column to bind.
    func writeMarks(of run: LogEntries) throws {
        for index in run.entries.placesOfParts {
            guard let mark = run.entries[index].mark else { continue }
            try db.cachedStatement(sql: "UPDATE entry SET mark = ? WHERE log = ? AND sequence = ?")
                .execute(
                    arguments: [Data(mark.bytes), try number(of: run.logID), Int64(run.entries[index].sequence)])
        }
    }

    /// Bodies, or marks, of entries that are here without them. They keep their places in the order of arrival. A mark says
    /// nothing of the time, which may have become later than it was when the mark came.
    func complete(_ run: LogEntries) throws {
        let log = try number(of: run.logID)
        for entry in run.entries {
            let (hash, body) = Self.columns(of: entry.content)
            try db.cachedStatement(
                sql: """
                    UPDATE entry SET timestamp = iif(?5 IS NULL, timestamp, ?1), expiry = ?2, kind = ?3, hash = ?4, body = ?5,
                        mark = ?6
                    WHERE log = ?7 AND sequence = ?8 AND body IS NULL AND NOT isDeleted
                    """
            ).execute(arguments: [
                Int64(entry.timestamp.rawValue), entry.expiry, entry.kind.rawValue, hash, body,
                entry.mark.map { Data($0.bytes) }, log, Int64(entry.sequence),
            ])
            if body != nil, db.changesCount > 0 { try delay(after: entry, in: log) }
            try db.cachedStatement(sql: "UPDATE log SET bytes = bytes + ? WHERE number = ?")
                .execute(arguments: [entry.windowBytes, log])
        }
        try writeKeys(of: run)
        try writeRelations(of: run)
        try writeAttachments(of: run)
    }

    /// Entries without bodies that follow have taken their times from the entry before them.
    private func delay(after entry: EntryRecord, in log: Int64) throws {
        let (sequence, timestamp) = (Int64(entry.sequence), Int64(entry.timestamp.rawValue))
        try db.cachedStatement(
            sql: """
                UPDATE entry SET timestamp = ?3 + sequence - ?2
                WHERE log = ?1 AND sequence > ?2 AND timestamp < ?3 + sequence - ?2 AND sequence < ifnull(
                    (SELECT min(sequence) FROM entry WHERE log = ?1 AND sequence > ?2 AND body IS NOT NULL), ?4)
                """
        ).execute(arguments: [log, sequence, timestamp, Int64.max])
        try db.cachedStatement(
            sql: "UPDATE log SET headTimestamp = max(headTimestamp, ?3 + headSequence - ?2) WHERE number = ?1"
        ).execute(arguments: [log, sequence, timestamp])
    }

    private static func columns(of content: EntryContent) -> (hash: Data?, body: Data?) {
        switch content {
        case .body(let bytes): (nil, Data(bytes))
        case .withheld(let hash): (hash.data, nil)
        }
    }
}
