import GRDB

extension Migration {
    /// What users say of themselves is found among the entries of their logs; what this node's own user says to everybody
    /// they write to is kept apart.
    static let profiles = Migration("20: profiles") { db in
        try db.execute(
            sql: """
                CREATE INDEX profileEntry ON entry (log, sequence) WHERE kind = 50;
                CREATE TABLE ownProfile (
                    only INTEGER PRIMARY KEY CHECK (only = 1),
                    body BLOB NOT NULL
                ) STRICT;
                """)
    }
}
