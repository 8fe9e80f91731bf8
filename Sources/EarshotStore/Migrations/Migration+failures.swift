import GRDB

extension Migration {
    /// A consumer's last failure is kept: why, and when in milliseconds since 1970.
    static let failures = Migration("8: why consumers failed") { db in
        try db.execute(
            sql: """
                ALTER TABLE consumer ADD COLUMN failure TEXT;
                ALTER TABLE consumer ADD COLUMN failedAt INTEGER;
                """)
    }
}
