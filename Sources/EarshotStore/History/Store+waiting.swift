package import EarshotModel
import GRDB

/// An own message that a recipient has not acknowledged.
package struct UndeliveredRow: Hashable, Sendable {
    package let log: LogRecord
    package let recipientID: UserID
    package let entry: EntryRecord
}

extension Store {
    /// How many messages of a device wait for each recipient's receipt: in groups alone, or in all conversations. Of a group that
    /// its user is not in, none.
    ///
    /// It reads no entry that a history shows, so it is quick however long somebody has been away.
    package func waiting(of deviceID: DeviceID, inGroupsOnly: Bool = false) throws(StoreError) -> [UserID: UInt64] {
        let rows = Rows(path: path)
        return try read { db in
            let reader = HistoryReader(db: db, rows: rows, order: .time)
            var waiting: [UserID: UInt64] = [:]
            for log in try reader.logs(writtenBy: deviceID)
            where try (!inGroupsOnly || log.record.conversation.kind != .direct) && reader.isAuthorIn(log) {
                for recipient in try reader.recipients(of: log) {
                    let count = try reader.messageCount(recipient.lacking, in: log)
                    if count > 0 { waiting[recipient.userID, default: 0] += count }
                }
            }
            return waiting
        }
    }

    /// The messages of a device that wait for their recipients, in the order in which they were written.
    package func undelivered(of deviceID: DeviceID, limit: Int) throws(StoreError) -> [UndeliveredRow] {
        let rows = Rows(path: path)
        return try read { db in
            let reader = HistoryReader(db: db, rows: rows, order: .time)
            var undelivered: [UndeliveredRow] = []
            for log in try reader.logs(writtenBy: deviceID) where try reader.isAuthorIn(log) {
                for recipient in try reader.recipients(of: log) {
                    undelivered += try reader.messages(recipient.lacking, in: log, limit: limit)
                        .map { UndeliveredRow(log: log.record, recipientID: recipient.userID, entry: $0) }
                }
            }
            let inOrder = undelivered.sorted {
                ($0.entry.timestamp, $0.log.logID, $0.recipientID) < ($1.entry.timestamp, $1.log.logID, $1.recipientID)
            }
            return Array(inOrder.prefix(limit))
        }
    }
}

extension HistoryReader {
    /// The logs of messages that a device has written, with what is to be written anew: that was accepted, too.
    func logs(writtenBy deviceID: DeviceID) throws -> [NumberedLog] {
        try rows.logs(db, "SELECT * FROM log WHERE deviceID = ?", arguments: [deviceID.data])
            .filter { $0.record.description.kind == .messages }
            .compactMap { try log(number: $0.number) }
    }

    /// How many of some entries are messages, and not erased.
    fileprivate func messageCount(_ sequences: SequenceSet, in log: NumberedLog) throws -> UInt64 {
        try sequences.ranges.reduce(0) { count, run in
            let others = try Int64.fetchOne(
                db.cachedStatement(sql: Self.unshownCount + " AND sequence <= ?"),
                arguments: [log.number, Int64(run.lowerBound) - 1, Int64(run.upperBound)])
            return count + run.upperBound + 1 - run.lowerBound - UInt64(others ?? 0)
        }
    }

    /// The first of some entries that are messages, and not erased.
    fileprivate func messages(_ sequences: SequenceSet, in log: NumberedLog, limit: Int) throws -> [EntryRecord] {
        var found: [EntryRecord] = []
        for run in sequences.ranges where found.count < limit {
            found += try read(
                log: log, from: run.lowerBound, through: run.upperBound, descending: false,
                limit: limit - found.count, includingErased: false
            ).map(\.entry)
        }
        return found
    }
}
