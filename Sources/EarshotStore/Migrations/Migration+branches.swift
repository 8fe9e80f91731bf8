import GRDB

extension Migration {
    /// A log has a kind. A branch of a log is a row of its own: `wireID` is the id that it shares with the others, `parent`
    /// the branch that it parts from, and the base the last entry that it has in common with that one. A log in limbo holds
    /// own entries that nobody was offered, until they are written anew.
    static let branches = Migration("10: kinds and branches of logs") { db in
        try db.execute(
            sql: """
                ALTER TABLE log ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE log ADD COLUMN isLimbo INTEGER NOT NULL DEFAULT 0 CHECK (isLimbo IN (0, 1));
                ALTER TABLE log ADD COLUMN wireID BLOB;
                ALTER TABLE log ADD COLUMN parent INTEGER REFERENCES log (number);
                ALTER TABLE log ADD COLUMN baseSequence INTEGER;
                ALTER TABLE log ADD COLUMN baseChain BLOB;
                ALTER TABLE log ADD COLUMN baseTimestamp INTEGER;
                CREATE INDEX hiddenEntry ON entry (log, sequence) WHERE kind > 1;
                """)
    }
}
