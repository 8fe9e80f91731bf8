import GRDB

extension Migration {
    /// Conversations of many: an open one has a name, and says whether this node's user belongs to it. A participant has a
    /// status since a time. Receipts of others for logs of others are kept until their authors have them.
    static let openConversations = Migration("14: conversations of many, receipts that are passed on") { db in
        try db.execute(
            sql: """
                ALTER TABLE conversation ADD COLUMN uniqueName TEXT NOT NULL DEFAULT '';
                ALTER TABLE conversation ADD COLUMN isJoined INTEGER NOT NULL DEFAULT 0 CHECK (isJoined IN (0, 1));
                ALTER TABLE conversation ADD COLUMN isAdvertised INTEGER NOT NULL DEFAULT 0
                    CHECK (isAdvertised IN (0, 1));
                ALTER TABLE participant ADD COLUMN status TEXT NOT NULL DEFAULT 'joined';
                ALTER TABLE participant ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
                CREATE TABLE carriedReceipt (
                    log INTEGER NOT NULL REFERENCES log (number),
                    deviceID BLOB NOT NULL CHECK (length(deviceID) = 32),
                    sequence INTEGER NOT NULL,
                    chain BLOB NOT NULL,
                    readSequence INTEGER NOT NULL,
                    signature BLOB NOT NULL,
                    PRIMARY KEY (log, deviceID)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
