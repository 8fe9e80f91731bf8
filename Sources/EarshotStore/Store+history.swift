package import EarshotModel
import GRDB

/// One entry of a conversation's timeline, with all that its state depends on.
package struct HistoryRow: Sendable {
    package let log: LogRecord
    package let entry: EntryRecord
    package let failure: DeliveryFailure?
    /// The progress of its log for each recipient.
    package let progress: [UserID: DeliveryProgress]
}

/// Where a page of history begins or ends.
package enum HistoryBound: Sendable, Hashable {
    case latest
    case before(MessageID)
    case after(MessageID)
}

extension Store {
    /// A page of a conversation's timeline, ascending in time, alike for everyone who holds the same entries.
    ///
    /// Timestamps rise within a log, so the timeline is the merge of the conversation's few logs, and where a page
    /// begins in each of them is found by a binary search over sequence numbers.
    ///
    /// - Returns: `nil` if the bound names a message that this conversation does not hold.
    package func history(
        of conversationID: ConversationID, _ bound: HistoryBound, limit: Int
    ) throws(StoreError) -> [HistoryRow]? {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path))
            let logs = try reader.logs(of: conversationID)
            switch bound {
            case .latest:
                return try reader.page(logs: logs, before: nil, limit: limit)
            case .before(let messageID):
                guard let key = try reader.key(of: messageID, in: logs) else { return nil }
                return try reader.page(logs: logs, before: key, limit: limit)
            case .after(let messageID):
                guard let key = try reader.key(of: messageID, in: logs) else { return nil }
                return try reader.page(logs: logs, after: key, limit: limit)
            }
        }
    }

    /// One message's row, or `nil` where there is none.
    package func row(of messageID: MessageID) throws(StoreError) -> HistoryRow? {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path))
            let sequence = messageID.sequence
            guard let log = try reader.log(messageID.log), sequence <= log.record.head.sequence else { return nil }
            return try reader.read(log: log, from: sequence, through: sequence, descending: false, limit: 1).first
        }
    }
}

/// Reads timelines within one read transaction.
private struct HistoryReader {
    struct NumberedLog {
        let number: Int64
        let record: LogRecord
        let progress: [UserID: DeliveryProgress]
    }

    /// The place of an entry in a timeline.
    struct Key: Comparable {
        let timestamp: HybridTimestamp
        let logID: LogID

        static func < (a: Key, b: Key) -> Bool {
            a.timestamp == b.timestamp ? a.logID < b.logID : a.timestamp < b.timestamp
        }
    }

    let db: Database
    let rows: Rows

    func logs(of conversationID: ConversationID) throws -> [NumberedLog] {
        try Row.fetchAll(db, sql: "SELECT * FROM log WHERE conversationID = ?", arguments: [conversationID.data])
            .map(numbered)
    }

    func log(_ logID: LogID) throws -> NumberedLog? {
        try Row.fetchOne(db, sql: "SELECT * FROM log WHERE logID = ?", arguments: [logID.data]).map(numbered)
    }

    private func numbered(_ row: Row) throws -> NumberedLog {
        let number: Int64 = row["number"]
        let record = try rows.log(row)
        let deliveries = try Row.fetchAll(
            db, sql: "SELECT ? AS logID, delivery.* FROM delivery WHERE log = ?",
            arguments: [record.logID.data, number]
        ).map(rows.delivery)
        let progress = Dictionary(uniqueKeysWithValues: deliveries.map { ($0.recipientID, $0.progress) })
        return NumberedLog(number: number, record: record, progress: progress)
    }

    func key(of messageID: MessageID, in logs: [NumberedLog]) throws -> Key? {
        guard let log = logs.first(where: { $0.record.logID == messageID.log }),
            messageID.sequence <= log.record.head.sequence,
            let timestamp = try timestamp(log: log.number, sequence: messageID.sequence)
        else { return nil }
        return Key(timestamp: timestamp, logID: messageID.log)
    }

    func page(logs: [NumberedLog], before key: Key?, limit: Int) throws -> [HistoryRow] {
        var page: [HistoryRow] = []
        for log in logs {
            let end = try key.map { try count(in: log, below: $0) } ?? log.record.head.sequence
            page += try read(log: log, from: 1, through: end, descending: true, limit: limit)
        }
        return Array(sorted(page).suffix(limit))
    }

    func page(logs: [NumberedLog], after key: Key, limit: Int) throws -> [HistoryRow] {
        var page: [HistoryRow] = []
        for log in logs {
            var first = try count(in: log, below: key) + 1
            if log.record.logID == key.logID { first += 1 }
            page += try read(log: log, from: first, through: log.record.head.sequence, descending: false, limit: limit)
        }
        return Array(sorted(page).prefix(limit))
    }

    private func sorted(_ page: [HistoryRow]) -> [HistoryRow] {
        page.sorted {
            Key(timestamp: $0.entry.timestamp, logID: $0.log.logID)
                < Key(timestamp: $1.entry.timestamp, logID: $1.log.logID)
        }
    }

    /// How many entries of a log stand before a place in the timeline.
    private func count(in log: NumberedLog, below key: Key) throws -> UInt64 {
        var low: UInt64 = 0
        var high = log.record.head.sequence
        while low < high {
            let middle = low + (high - low + 1) / 2
            guard let timestamp = try timestamp(log: log.number, sequence: middle) else {
                throw StoreError.damaged("entry \(middle) of a log is missing", path: rows.path)
            }
            if Key(timestamp: timestamp, logID: log.record.logID) < key { low = middle } else { high = middle - 1 }
        }
        return low
    }

    private func timestamp(log: Int64, sequence: UInt64) throws -> HybridTimestamp? {
        let statement = try db.cachedStatement(sql: "SELECT timestamp FROM entry WHERE log = ? AND sequence = ?")
        return try Int64.fetchOne(statement, arguments: [log, Int64(sequence)])
            .map { HybridTimestamp(rawValue: UInt64($0)) }
    }

    func read(
        log: NumberedLog, from first: UInt64, through last: UInt64, descending: Bool, limit: Int
    ) throws -> [HistoryRow] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT entry.*, failure.reason, failure.isWithheld
                FROM entry LEFT JOIN failure ON failure.log = entry.log AND failure.sequence = entry.sequence
                WHERE entry.log = ? AND entry.sequence BETWEEN ? AND ?
                    AND (entry.body IS NOT NULL OR entry.isDeleted)
                ORDER BY entry.sequence \(descending ? "DESC" : "ASC") LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: [log.number, Int64(first), Int64(last), limit]).map { row in
            var failure: DeliveryFailure?
            let entry = try rows.entry(row)
            if let text = row["reason"] as String? {
                guard let reason = FailureReason(rawValue: text) else {
                    throw StoreError.damaged("the reason of a failure", path: rows.path)
                }
                failure = DeliveryFailure(
                    messageID: MessageID(log: log.record.logID, sequence: entry.sequence), reason: reason,
                    isWithheld: row["isWithheld"])
            }
            return HistoryRow(log: log.record, entry: entry, failure: failure, progress: log.progress)
        }
    }
}
