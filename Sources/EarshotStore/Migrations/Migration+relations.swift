import GRDB

extension Migration {
    /// What entries have to do with others: one row for each that changes a message, or is a step of a session. `kind` is
    /// that of the entry, and the target is named as in the entry, so it may be missing or not the author's to change.
    /// `isDue` marks a retraction whose message is not here, or whose contents may still have to leave.
    static let relations = Migration("11: relations of entries") { db in
        try db.execute(
            sql: """
                CREATE TABLE relation (
                    log INTEGER NOT NULL,
                    sequence INTEGER NOT NULL,
                    kind INTEGER NOT NULL,
                    targetLog BLOB,
                    targetSequence INTEGER,
                    targetChain BLOB,
                    session BLOB,
                    counter INTEGER NOT NULL,
                    emoji TEXT,
                    isRemoved INTEGER NOT NULL DEFAULT 0 CHECK (isRemoved IN (0, 1)),
                    isDue INTEGER NOT NULL DEFAULT 0 CHECK (isDue IN (0, 1)),
                    PRIMARY KEY (log, sequence),
                    CHECK ((session IS NULL) <> (targetLog IS NULL))
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX relationOfTarget ON relation (targetLog, targetSequence) WHERE targetLog IS NOT NULL;
                CREATE INDEX relationOfSession ON relation (session) WHERE session IS NOT NULL;
                CREATE INDEX dueRetraction ON relation (targetLog, targetSequence) WHERE isDue = 1;
                CREATE INDEX branchOfLog ON log (wireID) WHERE wireID IS NOT NULL;
                """)
    }
}
