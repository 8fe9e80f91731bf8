import GRDB

extension Migration {
    /// What the entries of a private conversation say it is.
    static let privateConversations = Migration("19: private conversations") { db in
        try db.execute(
            sql: """
                ALTER TABLE conversation ADD COLUMN ownerID BLOB CHECK (length(ownerID) = 32);
                ALTER TABLE conversation ADD COLUMN friendlyName TEXT NOT NULL DEFAULT '';
                ALTER TABLE conversation ADD COLUMN attributes TEXT NOT NULL DEFAULT '';
                ALTER TABLE conversation ADD COLUMN givesHistory INTEGER NOT NULL DEFAULT 0
                    CHECK (givesHistory IN (0, 1));
                ALTER TABLE conversation ADD COLUMN isClosed INTEGER NOT NULL DEFAULT 0 CHECK (isClosed IN (0, 1));
                """)
    }
}
