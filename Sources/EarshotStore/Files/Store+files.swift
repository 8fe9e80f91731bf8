package import EarshotModel
import GRDB

/// Files that messages bring along. Only messages whose contents are here count.
extension Store {
    private static let attached = """
        SELECT attachment.fileID, attachment.byteCount, log.conversationID, log.authorID, log.logID, attachment.sequence
        FROM attachment
            JOIN log ON log.number = attachment.log
            JOIN entry ON entry.log = attachment.log AND entry.sequence = attachment.sequence
        WHERE entry.body IS NOT NULL AND entry.kind = \(EntryKind.text.rawValue)
        """

    /// The messages that bring a file along.
    package func messages(with fileID: FileID) throws(StoreError) -> [AttachedFile] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(sql: "\(Self.attached) AND attachment.fileID = ?"), arguments: [fileID.data]
            ).map(rows.attachedFile)
        }
    }

    /// Whether a message of a conversation brings a file along.
    package func isAttached(_ fileID: FileID, in conversationID: ConversationID) throws(StoreError) -> Bool {
        try read { db in
            try Bool.fetchOne(
                db.cachedStatement(
                    sql: "SELECT EXISTS (\(Self.attached) AND attachment.fileID = ? AND log.conversationID = ?)"),
                arguments: [fileID.data, conversationID.data]) ?? false
        }
    }

    /// Files that the user wants, and small ones or the user's own of which nothing was decided, in the order in which their
    /// messages came.
    /// - Parameters:
    ///   - largest: what counts as small, in bytes.
    ///   - limit: how many messages are looked at.
    package func filesToFetch(
        unaskedUpTo largest: UInt64, by userID: UserID, limit: Int
    ) throws(StoreError) -> [(file: AttachedFile, isWanted: Bool)] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT attachment.fileID, attachment.byteCount, log.conversationID, log.authorID, log.logID,
                            attachment.sequence, file.state IS NOT NULL
                        FROM attachment
                            JOIN log ON log.number = attachment.log
                            JOIN entry ON entry.log = attachment.log AND entry.sequence = attachment.sequence
                            LEFT JOIN file ON file.fileID = attachment.fileID
                        WHERE entry.body IS NOT NULL AND entry.kind = \(EntryKind.text.rawValue)
                            AND (file.state = \(FileStateNumber.wanted.rawValue) OR file.state IS NULL
                                AND (attachment.byteCount <= ? OR log.authorID = ?))
                        ORDER BY entry.cursor LIMIT ?
                        """), arguments: [Int64(clamping: largest), userID.data, limit]
            ).map { (try rows.attachedFile($0), $0[6]) }
        }
    }

    package func file(_ fileID: FileID) throws(StoreError) -> FileRecord? {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM file WHERE fileID = ?"), arguments: [fileID.data]
            ).map(rows.file)
        }
    }

    /// Notes what became of a file.
    package func note(_ record: FileRecord) throws(StoreError) {
        let (state, reason) = FileStateNumber.columns(of: record.state)
        try write { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO file (fileID, byteCount, state, reason, changedAt) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    record.fileID.data, Int64(clamping: record.byteCount), state.rawValue, reason, record.changedAt,
                ])
        }
    }

    /// Files that are noted as held.
    package func heldFiles() throws(StoreError) -> [FileID] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db, sql: "SELECT fileID FROM file WHERE state = ?", arguments: [FileStateNumber.held.rawValue]
            ).map { try rows.identifier($0, "fileID") }
        }
    }

    /// Files of which something is noted, and that no message brings along which is here.
    /// - Parameter before: those noted since are left out, in milliseconds since 1970: their messages are still to be sent.
    package func unnamedFiles(before: Int64) throws(StoreError) -> [FileID] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT fileID FROM file
                    WHERE changedAt < ? AND NOT EXISTS (
                        SELECT 1 FROM attachment
                            JOIN entry ON entry.log = attachment.log AND entry.sequence = attachment.sequence
                        WHERE attachment.fileID = file.fileID AND entry.body IS NOT NULL)
                    """, arguments: [before]
            ).map { try rows.identifier($0, "fileID") }
        }
    }

    /// Forgets what became of a file.
    package func forget(_ fileID: FileID) throws(StoreError) {
        try write { db in try db.execute(sql: "DELETE FROM file WHERE fileID = ?", arguments: [fileID.data]) }
    }
}

/// The numbers of the states in the table.
private enum FileStateNumber: Int {
    case held = 1
    case wanted = 2
    case declined = 3
    case failed = 4

    static func columns(of state: FileRecord.State) -> (FileStateNumber, reason: String?) {
        switch state {
        case .held: (.held, nil)
        case .wanted: (.wanted, nil)
        case .declined: (.declined, nil)
        case .failed(let reason): (.failed, reason)
        }
    }
}

extension Rows {
    fileprivate func attachedFile(_ row: Row) throws -> AttachedFile {
        AttachedFile(
            try identifier(row, "fileID"), byteCount: UInt64(row["byteCount"] as Int64),
            in: try identifier(row, "conversationID"), by: try identifier(row, "authorID"),
            MessageID(log: try identifier(row, "logID"), sequence: UInt64(row["sequence"] as Int64)))
    }

    fileprivate func file(_ row: Row) throws -> FileRecord {
        let state: FileRecord.State =
            switch FileStateNumber(rawValue: row["state"]) {
            case .held: .held
            case .wanted: .wanted
            case .declined: .declined
            case .failed: .failed(reason: row["reason"] ?? "")
            case nil: throw StoreError.damaged("a file has no known state", path: path)
            }
        return FileRecord(
            try identifier(row, "fileID"), byteCount: UInt64(row["byteCount"] as Int64), state,
            changedAt: row["changedAt"])
    }
}
