package import EarshotModel
import Foundation
import GRDB

/// What stands around the entries of one log, for whoever checks them.
package struct AuditedLog: Hashable, Sendable {
    package let record: LogRecord
    /// The greatest sequence number that an entry of it has; the head should say the same.
    package let lastSequence: UInt64
    /// How far it has come for each recipient, with their receipts.
    package let deliveries: [DeliveryRecord]
}

extension Store {
    /// The logs of a conversation as they are at one moment, in an order that does not change.
    package func auditedLogs(of conversationID: ConversationID) throws(StoreError) -> [AuditedLog] {
        let rows = Rows(path: path)
        return try read { db in
            let logs = try Row.fetchAll(
                db,
                sql: """
                    SELECT log.*, (SELECT max(sequence) FROM entry WHERE entry.log = log.number) AS lastSequence
                    FROM log WHERE conversationID = ? ORDER BY number
                    """, arguments: [conversationID.data])
            return try logs.map { row in
                let record = try rows.log(row)
                let deliveries = try Row.fetchAll(
                    db, sql: "SELECT ? AS logID, delivery.* FROM delivery WHERE log = ?",
                    arguments: [record.logID.data, row["number"] as Int64]
                ).map(rows.delivery)
                return AuditedLog(
                    record: record, lastSequence: UInt64(max(0, row["lastSequence"] as Int64? ?? 0)),
                    deliveries: deliveries)
            }
        }
    }

    /// The encoded credential of a device that was met, or of an earlier one of this node's own user.
    package func credential(of deviceID: DeviceID) throws(StoreError) -> [UInt8]? {
        try read { db in
            try Data.fetchOne(
                db,
                sql: """
                    SELECT credential FROM device WHERE deviceID = :device
                    UNION ALL SELECT credential FROM replacedDevice WHERE deviceID = :device LIMIT 1
                    """, arguments: ["device": deviceID.data]
            ).map { Array($0) }
        }
    }
}
