import GRDB

extension Migration {
    /// Whoever passes an entry on may not have its body. A receipt names the entries whose bodies its device never held
    /// (`receiptMissing`, `carriedReceipt.missing`); those that none of a recipient's devices holds are not delivered
    /// (`missing`). Sets of numbers are text: `3-5 9`, or NULL for none.
    static let missingBodies = Migration("17: missing bodies") { db in
        try db.execute(
            sql: """
                ALTER TABLE delivery ADD COLUMN missing TEXT;
                ALTER TABLE delivery ADD COLUMN receiptMissing TEXT;
                ALTER TABLE carriedReceipt ADD COLUMN missing TEXT;
                ALTER TABLE receipt ADD COLUMN handledSequence INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE receipt ADD COLUMN missing TEXT;
                DROP TRIGGER otherDevice;
                CREATE TRIGGER otherDevice AFTER UPDATE OF receiptDeviceID ON delivery
                    WHEN old.receiptDeviceID <> new.receiptDeviceID
                BEGIN
                    DELETE FROM receipt WHERE log = new.log AND deviceID IN (old.receiptDeviceID, new.receiptDeviceID);
                    INSERT INTO receipt VALUES (old.log, old.receiptDeviceID, old.receiptSequence, old.receiptChain,
                        old.receiptReadSequence, old.receiptSignature, old.receiptHandledSequence, old.receiptMissing);
                END;
                CREATE INDEX bodilessEntry ON entry (log, sequence) WHERE body IS NULL AND mark IS NULL AND NOT isDeleted;
                """)
    }
}
