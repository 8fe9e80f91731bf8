import GRDB

extension Migration {
    /// A node looks when it starts for what other devices of its user have written and give to nobody else.
    static let withheldEntries = Migration("33: withheld entries") { db in
        try db.execute(
            sql: """
                CREATE INDEX withheldEntry ON entry (log, sequence)
                WHERE body IS NULL AND mark IS NOT NULL AND NOT isDeleted
                """)
    }
}
