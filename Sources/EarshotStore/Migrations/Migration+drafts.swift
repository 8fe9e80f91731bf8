import GRDB

extension Migration {
    /// Messages that wait for a person to send them, and the ids of the last that were discarded.
    static let drafts = Migration("24: drafts") { db in
        try db.execute(
            sql: """
                CREATE TABLE draft (
                    draftID BLOB PRIMARY KEY NOT NULL,
                    conversationID BLOB NOT NULL,
                    content BLOB NOT NULL,
                    insertedBy TEXT,
                    createdAt INTEGER NOT NULL,
                    changedAt INTEGER
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE discardedDraft (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    draftID BLOB UNIQUE NOT NULL
                ) STRICT;
                """)
    }
}
