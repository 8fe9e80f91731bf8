import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// The rows that one statement writes when there are many: SQLite looks up and stores a table's next cursor once a
    /// statement.
    private static let rowsPerStatement = 16
    private static let manyRows = insertion(of: rowsPerStatement)
    private static let oneRow = insertion(of: 1)

    private static func insertion(of count: Int) -> String {
        """
        INSERT INTO entry (log, sequence, timestamp, expiry, kind, chain, checkpoint, hash, body, isDeleted)
        VALUES \(Array(repeating: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", "))
        """
    }

    func write(_ run: LogEntries) throws {
        let log = try number(of: run.logID)
        var entries = run.entries[...]
        while entries.count >= Self.rowsPerStatement {
            try write(entries.prefix(Self.rowsPerStatement), of: log, with: Self.manyRows)
            entries = entries.dropFirst(Self.rowsPerStatement)
        }
        for index in entries.indices { try write(entries[index...index], of: log, with: Self.oneRow) }
    }

    private func write(_ entries: ArraySlice<EntryRecord>, of log: Int64, with sql: String) throws {
        var arguments: [(any DatabaseValueConvertible)?] = []
        arguments.reserveCapacity(entries.count * 10)
        for entry in entries {
            var hash: Data?
            var body: Data?
            switch entry.content {
            case .body(let bytes): body = Data(bytes)
            case .withheld(let entryHash): hash = entryHash.data
            }
            arguments += [
                log, Int64(entry.sequence), Int64(entry.timestamp.rawValue), entry.expiry, entry.kind.rawValue,
                entry.chain.data, entry.checkpoint.map { Data($0.bytes) }, hash, body, entry.isDeleted,
            ]
        }
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    }
}
