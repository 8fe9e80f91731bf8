import GRDB

extension Migration {
    /// What happened on a node is numbered, and programs read it, and their messages, from a place on the disk.
    static let journal = Migration("5: journal, consumers, scheduled messages, tokens") { db in
        try db.execute(sql: journalTables)
        try db.execute(sql: inboxTables)
        try db.execute(sql: tokens)
    }

    /// A row of the journal is a group of one commit. Pruning leaves the newest row, so no number comes twice in a
    /// generation. A row of `stateTime` says that all of a log up to `last` had reached a state by then.
    private static let journalTables = """
        CREATE TABLE journal (
            row INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            log INTEGER,
            userID BLOB,
            first INTEGER,
            last INTEGER,
            detail TEXT
        ) STRICT;
        CREATE TABLE journalGeneration (generation INTEGER NOT NULL) STRICT;
        INSERT INTO journalGeneration VALUES (random());
        CREATE TABLE stateTime (
            log INTEGER NOT NULL,
            recipientID BLOB NOT NULL,
            state INTEGER NOT NULL,
            last INTEGER NOT NULL,
            time INTEGER NOT NULL,
            PRIMARY KEY (log, recipientID, state, last)
        ) STRICT, WITHOUT ROWID;
        """

    /// A consumer's `cursor` is that of the last entry that it acknowledged, and `head` that of the first entry that it
    /// was last handed, `fruitless` times. An entry's `key` is the idempotency key of an own one.
    private static let inboxTables = """
        CREATE TABLE consumer (
            name TEXT PRIMARY KEY,
            cursor INTEGER NOT NULL,
            createdAt INTEGER NOT NULL,
            acknowledgedAt INTEGER,
            head INTEGER,
            fruitless INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE setAside (
            consumer TEXT NOT NULL,
            cursor INTEGER NOT NULL,
            reason TEXT NOT NULL,
            time INTEGER NOT NULL,
            PRIMARY KEY (consumer, cursor)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE scheduled (
            scheduledID BLOB PRIMARY KEY,
            conversationID BLOB NOT NULL,
            notBefore INTEGER NOT NULL,
            draft BLOB NOT NULL,
            key BLOB,
            createdAt INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE entry ADD COLUMN key BLOB;
        CREATE UNIQUE INDEX entryOfKey ON entry (key) WHERE key IS NOT NULL;
        """

    private static let tokens = """
        CREATE TABLE token (
            tokenID TEXT PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            hash BLOB NOT NULL,
            scopes TEXT NOT NULL,
            recipients TEXT,
            createdAt INTEGER NOT NULL,
            expiresAt INTEGER,
            usedAt INTEGER
        ) STRICT, WITHOUT ROWID;
        """
}
