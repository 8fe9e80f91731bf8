import GRDB

extension Migration {
    /// By which conversation the content of a file came, all of it; NULL if parts came by several. What is here already came by that
    /// of its first message, unless the user has added it. And with which limited token a file was uploaded; NULL for all others.
    static let fileOrigins = Migration("28: origins of files, and tokens of uploads") { db in
        try db.execute(
            sql: """
                ALTER TABLE file ADD COLUMN token TEXT;
                CREATE TABLE fileOrigin (
                    fileID BLOB PRIMARY KEY NOT NULL,
                    conversationID BLOB
                ) STRICT, WITHOUT ROWID;
                INSERT INTO fileOrigin (fileID, conversationID)
                    SELECT fileID, conversationID FROM (
                        SELECT attachment.fileID, log.conversationID, min(entry.cursor)
                        FROM attachment
                            JOIN log ON log.number = attachment.log
                            JOIN entry ON entry.log = attachment.log AND entry.sequence = attachment.sequence
                        GROUP BY attachment.fileID);
                """)
    }
}
