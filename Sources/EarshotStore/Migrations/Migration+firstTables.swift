import GRDB

extension Migration {
    static let firstTables = Migration("1: users, devices, logs, entries, deliveries") { db in
        try db.execute(sql: users)
        try db.execute(sql: logs)
        try db.execute(sql: entries)
        try db.execute(sql: deliveries)
    }

    /// A user is somebody whom this node has met; a device is what it remembers of one of a user's installations.
    private static let users = """
        CREATE TABLE user (
            userID BLOB PRIMARY KEY CHECK (length(userID) = 32),
            name TEXT NOT NULL,
            trust TEXT NOT NULL CHECK (trust IN ('unverified', 'verified', 'blocked')),
            firstSeen INTEGER NOT NULL,
            lastSeen INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE device (
            deviceID BLOB PRIMARY KEY CHECK (length(deviceID) = 32),
            userID BLOB NOT NULL REFERENCES user (userID),
            credential BLOB NOT NULL,
            addresses TEXT NOT NULL
        ) STRICT;
        """

    /// A log and its head. `number` stands for the log in the large tables, where 32 bytes a row would matter.
    private static let logs = """
        CREATE TABLE log (
            number INTEGER PRIMARY KEY,
            logID BLOB NOT NULL UNIQUE CHECK (length(logID) = 32),
            conversationID BLOB NOT NULL,
            deviceID BLOB NOT NULL,
            epoch INTEGER NOT NULL,
            authorID BLOB NOT NULL,
            peerID BLOB NOT NULL,
            headSequence INTEGER NOT NULL,
            headChain BLOB NOT NULL,
            headTimestamp INTEGER NOT NULL,
            nextExpiry INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX logOfConversation ON log (conversationID);
        """

    /// Entries in the order of their arrival, so that inserting is appending. `cursor` is that order, for readers that
    /// must miss nothing. One narrow index finds an entry of a log, and forbids a second one in its place. There is no
    /// index on time: timestamps rise within a log, so sequence numbers find a page of a timeline. `body` is null if
    /// the author withheld the content; then `hash` keeps the entry's place in the chain.
    private static let entries = """
        CREATE TABLE entry (
            cursor INTEGER PRIMARY KEY,
            log INTEGER NOT NULL,
            sequence INTEGER NOT NULL CHECK (sequence > 0),
            timestamp INTEGER NOT NULL,
            expiry INTEGER NOT NULL,
            chain BLOB NOT NULL,
            checkpoint BLOB,
            hash BLOB,
            body BLOB,
            CHECK ((hash IS NULL) <> (body IS NULL))
        ) STRICT;
        CREATE UNIQUE INDEX entryOfLog ON entry (log, sequence);
        """

    /// How far a log has come for a recipient, with the recipient's receipt; and the few messages that failed.
    private static let deliveries = """
        CREATE TABLE delivery (
            log INTEGER NOT NULL REFERENCES log (number),
            recipientID BLOB NOT NULL,
            offered INTEGER NOT NULL,
            sent INTEGER NOT NULL,
            delivered INTEGER NOT NULL,
            read INTEGER NOT NULL CHECK (read <= delivered),
            receiptChain BLOB,
            receiptDeviceID BLOB,
            receiptSignature BLOB,
            PRIMARY KEY (log, recipientID)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE failure (
            log INTEGER NOT NULL REFERENCES log (number),
            sequence INTEGER NOT NULL,
            reason TEXT NOT NULL,
            isWithheld INTEGER NOT NULL,
            PRIMARY KEY (log, sequence)
        ) STRICT, WITHOUT ROWID;
        """
}
