import GRDB

extension Migration {
    /// A consumer of a token stands under the token's name, so that two programs may have consumers of the same name. Whether
    /// one without a token was the owner's or that of a program with the scope `all` was never written down: those that there
    /// are stay common to them.
    ///
    /// Keys of tokens are other bytes from now on. `sharedKeysEnd` is later than all that has one of the old.
    static let namesOfPrograms = Migration("27: what programs name stands under their tokens") { db in
        try db.execute(
            sql: """
                UPDATE setAside
                    SET consumer = (SELECT token || '/' || name FROM consumer WHERE name = setAside.consumer)
                    WHERE consumer IN (SELECT name FROM consumer WHERE token IS NOT NULL);
                UPDATE consumer SET name = token || '/' || name WHERE token IS NOT NULL;
                ALTER TABLE consumer ADD COLUMN isShared INTEGER NOT NULL DEFAULT 0;
                UPDATE consumer SET isShared = 1 WHERE token IS NULL;
                CREATE TABLE sharedKeysEnd (time INTEGER NOT NULL) STRICT;
                INSERT INTO sharedKeysEnd SELECT ifnull(max(time), -1) + 1 FROM (
                    SELECT timestamp >> 16 AS time FROM entry WHERE key IS NOT NULL
                    UNION ALL SELECT createdAt FROM scheduled UNION ALL SELECT createdAt FROM draft);
                """)
    }
}
