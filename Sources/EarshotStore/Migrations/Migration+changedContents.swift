import GRDB

extension Migration {
    /// Entries whose content, or whether it is shown, has changed behind their commit: the search index follows these. It
    /// removes the rows once it has.
    static let changedContents = Migration("22: contents that have changed") { db in
        try db.execute(
            sql: """
                CREATE TABLE changedContent (
                    change INTEGER PRIMARY KEY AUTOINCREMENT,
                    cursor INTEGER NOT NULL
                ) STRICT;
                CREATE TRIGGER contentChanged AFTER UPDATE OF body, kind ON entry
                    WHEN old.body IS NOT new.body OR old.kind <> new.kind
                BEGIN
                    INSERT INTO changedContent (cursor) VALUES (new.cursor);
                END;
                """)
    }
}
