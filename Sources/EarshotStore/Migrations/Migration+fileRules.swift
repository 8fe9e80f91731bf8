import GRDB

extension Migration {
    /// What files are called and said to be, and what is done with them.
    static let fileRules = Migration("26: rules for files") { db in
        try db.execute(
            sql: """
                ALTER TABLE attachment ADD COLUMN name TEXT NOT NULL DEFAULT 'file';
                ALTER TABLE attachment ADD COLUMN mediaType TEXT NOT NULL DEFAULT 'application/octet-stream';
                CREATE TABLE fileRule (
                    place INTEGER PRIMARY KEY NOT NULL,
                    sender BLOB,
                    mediaType TEXT,
                    largest INTEGER,
                    decision INTEGER NOT NULL,
                    folder TEXT
                ) STRICT;
                CREATE TABLE fileQuota (
                    byteCount INTEGER NOT NULL
                ) STRICT;
                """)
    }
}
