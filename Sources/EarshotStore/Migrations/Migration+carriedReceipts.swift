import GRDB

extension Migration {
    /// Of a device more than one receipt for a log is passed on, where the log has parted: each is for another place.
    static let carriedReceipts = Migration("21: receipts for several branches of a log") { db in
        try db.execute(
            sql: """
                CREATE TABLE placedReceipt (
                    log INTEGER NOT NULL REFERENCES log (number),
                    deviceID BLOB NOT NULL CHECK (length(deviceID) = 32),
                    sequence INTEGER NOT NULL,
                    chain BLOB NOT NULL,
                    readSequence INTEGER NOT NULL,
                    signature BLOB NOT NULL,
                    handledSequence INTEGER NOT NULL DEFAULT 0,
                    missing TEXT,
                    PRIMARY KEY (log, deviceID, sequence, chain)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO placedReceipt
                    SELECT log, deviceID, sequence, chain, readSequence, signature, handledSequence, missing
                    FROM carriedReceipt;
                DROP TABLE carriedReceipt;
                ALTER TABLE placedReceipt RENAME TO carriedReceipt;
                """)
    }
}
