import GRDB

extension Migration {
    static let deletedContents = Migration("3: deleted contents, replaced devices") { db in
        try db.execute(sql: deletions)
    }

    /// An entry whose content was deleted here keeps its `hash`, like one whose author withheld it. A replaced device
    /// is an earlier device of this node's own user, from a backup. Its credential proves whose its logs are.
    private static let deletions = """
        ALTER TABLE entry ADD COLUMN isDeleted INTEGER NOT NULL DEFAULT 0 CHECK (isDeleted IN (0, 1));
        CREATE TABLE replacedDevice (
            deviceID BLOB PRIMARY KEY CHECK (length(deviceID) = 32),
            credential BLOB NOT NULL
        ) STRICT;
        """
}
