import EarshotModel
import GRDB

/// Reads timelines within one read transaction.
struct HistoryReader {
    struct NumberedLog {
        let number: Int64
        let record: LogRecord
        let progress: [UserID: DeliveryProgress]
    }

    /// The place of an entry in a timeline.
    struct Place: Comparable {
        /// The timestamp, or the cursor.
        let number: Int64
        let logID: LogID

        static func < (a: Place, b: Place) -> Bool {
            a.number == b.number ? a.logID < b.logID : a.number < b.number
        }
    }

    let db: Database
    let rows: Rows
    let order: HistoryOrder

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

    func place(of messageID: MessageID, in logs: [NumberedLog]) throws -> Place? {
        guard let log = logs.first(where: { $0.record.logID == messageID.log }),
            messageID.sequence <= log.record.head.sequence
        else { return nil }
        return try place(in: log, sequence: messageID.sequence)
    }

    func page(logs: [NumberedLog], before place: Place?, limit: Int) throws -> [HistoryRow] {
        var page: [HistoryRow] = []
        for log in logs {
            let end = try place.map { try count(in: log, before: $0) } ?? log.record.head.sequence
            page += try read(log: log, from: 1, through: end, descending: true, limit: limit)
        }
        return Array(sorted(page).suffix(limit))
    }

    func page(logs: [NumberedLog], after place: Place?, limit: Int) throws -> [HistoryRow] {
        var page: [HistoryRow] = []
        for log in logs {
            let first = try place.map { try count(in: log, through: $0) + 1 } ?? 1
            page += try read(log: log, from: first, through: log.record.head.sequence, descending: false, limit: limit)
        }
        return Array(sorted(page).prefix(limit))
    }

    private func sorted(_ page: [HistoryRow]) -> [HistoryRow] {
        page.sorted { place(of: $0) < place(of: $1) }
    }

    private func place(of row: HistoryRow) -> Place {
        switch order {
        case .time: Place(number: Int64(row.entry.timestamp.rawValue), logID: row.log.logID)
        case .arrival: Place(number: row.cursor, logID: row.log.logID)
        }
    }

    /// How many entries of a log stand before a place in the timeline, or at it.
    func count(in log: NumberedLog, through place: Place) throws -> UInt64 {
        try count(in: log, before: place) + (log.record.logID == place.logID ? 1 : 0)
    }

    /// How many entries of a log stand before a place in the timeline.
    private func count(in log: NumberedLog, before end: Place) throws -> UInt64 {
        var low: UInt64 = 0
        var high = log.record.head.sequence
        while low < high {
            let middle = low + (high - low + 1) / 2
            guard let place = try place(in: log, sequence: middle) else {
                throw StoreError.damaged("entry \(middle) of a log is missing", path: rows.path)
            }
            if place < end { low = middle } else { high = middle - 1 }
        }
        return low
    }

    private func place(in log: NumberedLog, sequence: UInt64) throws -> Place? {
        let column =
            switch order {
            case .time: "timestamp"
            case .arrival: "cursor"
            }
        let statement = try db.cachedStatement(sql: "SELECT \(column) FROM entry WHERE log = ? AND sequence = ?")
        return try Int64.fetchOne(statement, arguments: [log.number, Int64(sequence)])
            .map { Place(number: $0, logID: log.record.logID) }
    }

    private static let shownKinds = EntryKind.allCases.filter(\.isShown).map { "\($0.rawValue)" }
        .joined(separator: ", ")

    /// Entries of a log that a history shows.
    func read(
        log: NumberedLog, from first: UInt64, through last: UInt64, descending: Bool, limit: Int
    ) throws -> [HistoryRow] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT entry.*, failure.reason, failure.isWithheld
                FROM entry LEFT JOIN failure ON failure.log = entry.log AND failure.sequence = entry.sequence
                WHERE entry.log = ? AND entry.sequence BETWEEN ? AND ?
                    AND entry.kind IN (\(Self.shownKinds))
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
            return HistoryRow(
                log: log.record, entry: entry, failure: failure, cursor: row["cursor"], progress: log.progress)
        }
    }
}
