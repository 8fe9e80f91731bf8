import GRDB

extension Migration {
    /// Where the user is notified of messages, and of which.
    static let notifications = Migration("23: notifications") { db in
        try db.execute(
            sql: """
                CREATE TABLE notificationTarget (
                    name TEXT PRIMARY KEY NOT NULL,
                    kind TEXT NOT NULL,
                    address TEXT NOT NULL,
                    signingKey BLOB,
                    createdAt INTEGER NOT NULL,
                    cursor INTEGER NOT NULL,
                    deliveredAt INTEGER,
                    lostCount INTEGER NOT NULL DEFAULT 0,
                    failure TEXT,
                    failedAt INTEGER
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE notificationLevel (
                    conversationID BLOB PRIMARY KEY NOT NULL,
                    level TEXT NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
