import GRDB

extension Migration {
    /// The journal says how far the times in it have been copied: that far was done by each commit before.
    static let journalTimes = Migration("6: times are copied from the journal") { db in
        try db.execute(
            sql: """
                ALTER TABLE journalGeneration ADD COLUMN timed INTEGER NOT NULL DEFAULT 0;
                UPDATE journalGeneration SET timed = ifnull((SELECT max(row) FROM journal), 0);
                """)
    }
}
