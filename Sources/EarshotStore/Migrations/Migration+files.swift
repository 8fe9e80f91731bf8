import GRDB

extension Migration {
    /// The files that messages bring along, and what was decided about those that are not on their way. A file of which `file`
    /// has no row is one to be decided about.
    static let files = Migration("25: files") { db in
        try db.execute(
            sql: """
                CREATE TABLE attachment (
                    log INTEGER NOT NULL,
                    sequence INTEGER NOT NULL,
                    place INTEGER NOT NULL,
                    fileID BLOB NOT NULL,
                    byteCount INTEGER NOT NULL,
                    PRIMARY KEY (log, sequence, place)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX attachmentOfFile ON attachment (fileID);
                CREATE TABLE file (
                    fileID BLOB PRIMARY KEY NOT NULL,
                    byteCount INTEGER NOT NULL,
                    state INTEGER NOT NULL,
                    reason TEXT,
                    changedAt INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
