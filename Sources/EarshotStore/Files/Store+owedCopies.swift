package import EarshotModel
import GRDB

/// Copies that rules owe to folders: noted before a file is fetched, and until they are there.
extension Store {
    /// Notes a copy, unless it is noted already, or no rule names its folder any more.
    /// - Parameter limit: how many may be owed.
    /// - Returns: whether there was room for it.
    package func owe(_ copy: OwedCopy, limit: Int) throws(StoreError) -> Bool {
        let (attachment, folder) = (copy.attachment, copy.folder)
        return try write { db in
            let isWanted = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM fileRule WHERE folder = ?2)
                    AND NOT EXISTS (SELECT 1 FROM owedCopy WHERE fileID = ?1 AND folder = ?2)
                    """,
                arguments: [attachment.fileID.data, folder])
            guard isWanted == true else { return true }
            guard try Int.fetchOne(db, sql: "SELECT count(*) FROM owedCopy") ?? 0 < limit else { return false }
            try db.execute(
                sql: """
                    INSERT INTO owedCopy (fileID, folder, name, mediaType, byteCount, since) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    attachment.fileID.data, folder, attachment.name, attachment.mediaType,
                    Int64(clamping: attachment.byteCount), copy.since,
                ])
            return true
        }
    }

    /// Notes why a folder did not take a copy.
    package func note(_ copy: OwedCopy, failed reason: String) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "UPDATE owedCopy SET reason = ? WHERE fileID = ? AND folder = ?",
                arguments: [reason, copy.attachment.fileID.data, copy.folder])
        }
    }

    /// A copy is there.
    package func settle(_ copy: OwedCopy) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "DELETE FROM owedCopy WHERE fileID = ? AND folder = ?",
                arguments: [copy.attachment.fileID.data, copy.folder])
        }
    }

    /// Copies that are owed of files that are here, the oldest first.
    package func owedCopies() throws(StoreError) -> [OwedCopy] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT owedCopy.* FROM owedCopy JOIN file ON file.fileID = owedCopy.fileID
                        WHERE file.state = \(FileStateNumber.held.rawValue) ORDER BY since, owedCopy.fileID, folder
                        """)
            ).map { row in
                OwedCopy(
                    try rows.attachment(row), in: row["folder"], since: row["since"], reason: row["reason"])
            }
        }
    }
}
