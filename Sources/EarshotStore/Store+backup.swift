package import EarshotModel
import Foundation
import GRDB

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
            try CommitWriter(db: db, path: path).beginGeneration()
            for table in ["consumer", "setAside", "token", "notificationTarget"] {
                try db.execute(sql: "DELETE FROM \(table)")
            }
        }
    }

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
        let rows = Rows(path: path)
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
            try HistoryReader(db: db, rows: rows, order: .time).failWaiting(of: deviceID)
            try db.execute(sql: "DELETE FROM scheduled")
        }
        var commit = Commit()
        commit.deliveries = receipts
        try self.commit(commit)
    }
}

extension HistoryReader {
    /// What a device has written and a recipient still lacks has failed: the device is gone.
    fileprivate func failWaiting(of deviceID: DeviceID) throws {
        for log in try logs(writtenBy: deviceID) {
            for recipient in try recipients(of: log) {
                for run in recipient.lacking.ranges {
                    try db.cachedStatement(
                        sql: """
                            INSERT INTO failure (log, sequence, recipientID, reason, isWithheld)
                            SELECT log, sequence, ?, ?, 0 FROM entry WHERE log = ? AND sequence BETWEEN ? AND ?
                            """
                    ).execute(arguments: [
                        recipient.userID.data, FailureReason.deviceReplaced.rawValue, log.number,
                        Int64(run.lowerBound), Int64(run.upperBound),
                    ])
                }
            }
        }
    }
}
