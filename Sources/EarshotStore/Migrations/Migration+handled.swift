import GRDB

extension Migration {
    /// How far programs of a recipient have dealt with a log, and what their receipts say of it.
    static let handled = Migration("15: what programs have dealt with") { db in
        try db.execute(
            sql: """
                ALTER TABLE delivery ADD COLUMN handled INTEGER NOT NULL DEFAULT 0 CHECK (handled <= delivered);
                ALTER TABLE delivery ADD COLUMN receiptHandledSequence INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE carriedReceipt ADD COLUMN handledSequence INTEGER NOT NULL DEFAULT 0;
                """)
    }
}
