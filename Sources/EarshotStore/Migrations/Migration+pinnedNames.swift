import GRDB

extension Migration {
    static let pinnedNames = Migration("2: a name is pinned to one user") { db in
        try db.execute(sql: pins)
    }

    /// Everybody who was met before this column existed was pinned, and no two had one name.
    private static let pins = """
        ALTER TABLE user ADD COLUMN isPinned INTEGER NOT NULL DEFAULT 1 CHECK (isPinned IN (0, 1));
        CREATE UNIQUE INDEX pinnedName ON user (name) WHERE isPinned;
        CREATE INDEX deviceOfUser ON device (userID);
        """
}
