import GRDB

extension Migration {
    /// What the entries of each log count, as they came: the disk takes only so many of strangers.
    static let logBytes = Migration("18: bytes of logs") { db in
        try db.execute(
            sql: """
                ALTER TABLE log ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
                UPDATE log SET bytes = (SELECT ifnull(sum(ifnull(length(body), 32) + 64), 0) FROM entry
                    WHERE entry.log = log.number);
                """)
    }
}
