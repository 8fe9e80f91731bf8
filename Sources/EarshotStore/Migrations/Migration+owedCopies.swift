import GRDB

extension Migration {
    /// Copies that rules owe to folders.
    static let owedCopies = Migration("30: copies that are owed") { db in
        try db.execute(
            sql: """
                CREATE TABLE owedCopy (
                    fileID BLOB NOT NULL,
                    folder TEXT NOT NULL,
                    name TEXT NOT NULL,
                    mediaType TEXT NOT NULL,
                    byteCount INTEGER NOT NULL,
                    since INTEGER NOT NULL,
                    reason TEXT,
                    PRIMARY KEY (fileID, folder)
                ) STRICT, WITHOUT ROWID
                """)
    }
}
