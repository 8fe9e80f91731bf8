package import EarshotModel
import Foundation
import GRDB

/// What an audit needs of one log besides its entries.
package struct AuditedLog: Hashable, Sendable {
    package let record: LogRecord
    /// The greatest sequence number of its entries; the head should say the same.
    package let lastSequence: UInt64
    /// Its progress for each recipient, with their receipts.
    package let deliveries: [DeliveryRecord]
}

extension Store {
    /// The logs of a conversation as they are at one moment, in an order that does not change.
    package func auditedLogs(of conversationID: ConversationID) throws(StoreError) -> [AuditedLog] {
        let rows = Rows(path: path)
        return try read { db in
            try rows.logs(
                db, "SELECT * FROM log WHERE conversationID = ? ORDER BY number", arguments: [conversationID.data]
            ).map { number, record in
                let last = try Int64.fetchOne(
                    db, sql: "SELECT max(sequence) FROM entry WHERE log = ?", arguments: [number])
                let deliveries = try Row.fetchAll(
                    db, sql: "\(Rows.deliveries) WHERE delivery.log = ?", arguments: [number]
                ).map(rows.delivery)
                return AuditedLog(
                    record: record, lastSequence: UInt64(max(0, last ?? 0)), deliveries: deliveries)
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
