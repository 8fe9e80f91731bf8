package import EarshotModel
import Foundation
import GRDB

/// An own message that a recipient has not acknowledged.
package struct UndeliveredRow: Hashable, Sendable {
    package let log: LogRecord
    package let recipientID: UserID
    package let entry: EntryRecord
}

extension Store {
    /// Copies a database, as it is at one moment, into another file. A node may write to it meanwhile.
    ///
    /// The copy holds nothing that was deleted, because only pages in use are copied, and nothing that `leaveHome`
    /// removes, because zeros take its place.
    /// - Parameter copy: the path of the copy, where there is no file yet.
    /// - Throws: `StoreError`; `newer` for a file of a newer version. Then an incomplete copy may be left.
    package static func copy(file path: String, to copy: String) throws(StoreError) {
        do {
            try prepare(copy)
            var configuration = Self.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: path, configuration: configuration)
            guard try database.read({ try !Schema.migrator.hasBeenSuperseded($0) }) else {
                throw StoreError.newer(path: path)
            }
            try database.vacuum(into: copy)
            try database.close()
            let store = try Store(path: copy)
            try store.leaveHome()
            try store.close()
        } catch { throw StoreError(error, path: path) }
    }

    /// Removes what belongs to one home and not to its history: the journal, which gets a new generation, and what
    /// programs have left here.
    package func leaveHome() throws(StoreError) {
        try write { db in
            try CommitWriter(db: db).beginGeneration()
            for table in ["consumer", "setAside", "token", "notificationTarget"] {
                try db.execute(sql: "DELETE FROM \(table)")
            }
        }
    }

    /// The messages of a device that wait for their recipients, in the order in which they were written.
    package func undelivered(of deviceID: DeviceID, limit: Int) throws(StoreError) -> [UndeliveredRow] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(Rows.entryColumns), entry.log, recipient.userID AS recipientID \(Self.undelivered)
                    ORDER BY entry.timestamp, entry.cursor, recipient.userID LIMIT ?
                    """, arguments: [deviceID.data, limit]
            ).map { row in
                let logs = try rows.logs(
                    db, "SELECT * FROM log WHERE number = ?", arguments: [row["log"] as Int64])
                guard let log = logs.first else { throw StoreError.damaged("an entry has no log", path: rows.path) }
                return UndeliveredRow(
                    log: log.record, recipientID: try rows.identifier(row, "recipientID"), entry: try rows.entry(row))
            }
        }
    }

    package func undeliveredCount(of deviceID: DeviceID) throws(StoreError) -> Int {
        try read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) \(Self.undelivered)", arguments: [deviceID.data]) ?? 0
        }
    }

    /// A device's entries, each with a recipient who has not acknowledged it and for whom it has not failed.
    private static let undelivered = """
        FROM log JOIN participant AS recipient
                ON recipient.conversationID = log.conversationID AND recipient.userID <> log.authorID
            JOIN entry ON entry.log = log.number
        WHERE log.deviceID = ?
            AND entry.sequence > ifnull((SELECT \(DeliveryColumns.complete) FROM delivery
                WHERE delivery.log = log.number AND delivery.recipientID = recipient.userID), 0)
            AND NOT EXISTS (SELECT 1 FROM failure
                WHERE failure.log = log.number AND failure.sequence = entry.sequence
                    AND failure.recipientID = recipient.userID)
        """

    /// How many messages wait for their time.
    package func scheduledCount() throws(StoreError) -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM scheduled") ?? 0 }
    }

    /// How many entries there are.
    package func entryCount() throws(StoreError) -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") ?? 0 }
    }

    /// Turns a copy into the database of another device of the same user. What the earlier device has scheduled is its to
    /// send, like what waits in its logs.
    ///
    /// - Parameters:
    ///   - receipts: the other device's receipts for the logs of others.
    ///   - credential: the credential of the earlier device, whose logs are history from now on.
    package func replaceDevice(
        _ deviceID: DeviceID, credential: [UInt8], receipts: [DeliveryRecord]
    ) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO replacedDevice (deviceID, credential) VALUES (?, ?)",
                arguments: [deviceID.data, Data(credential)])
            // The user can revoke it, and until then it is one of theirs.
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO ownDevice (deviceID, credential, name, namedAt, addresses, lastSeen)
                    VALUES (?, ?, '', 0, '', 0)
                    """, arguments: [deviceID.data, Data(credential)])
            try db.execute(
                sql: """
                    INSERT INTO failure (log, sequence, recipientID, reason, isWithheld)
                    SELECT entry.log, entry.sequence, recipient.userID, '\(FailureReason.deviceReplaced.rawValue)', 0
                    \(Self.undelivered)
                    """, arguments: [deviceID.data])
            try db.execute(sql: "DELETE FROM scheduled")
        }
        var commit = Commit()
        commit.deliveries = receipts
        try self.commit(commit)
    }
}
