import EarshotModel
import GRDB

/// Reads timelines within one read transaction.
struct HistoryReader {
    struct NumberedLog {
        let number: Int64
        let record: LogRecord
        let progress: [UserID: DeliveryProgress]
        /// Whether it is that of a blocked user in a group: nothing of it is shown, unless somebody looks.
        let isHidden: Bool
    }

    /// A condition on a row of `log`: a blocked user writes it, in a group. Their direct conversation shows what it did.
    static let isHidden = """
        (EXISTS (SELECT 1 FROM user WHERE user.userID = log.authorID AND user.trust = 'blocked')
            AND EXISTS (SELECT 1 FROM conversation
                WHERE conversation.conversationID = log.conversationID AND conversation.kind <> 'direct'))
        """

    /// The place of an entry in a timeline.
    struct Place: Comparable {
        /// The timestamp, or the cursor.
        let number: Int64
        /// The log, by the id that all of its branches have: the order is the same whichever of them a node knew first.
        let trunkID: LogID
        let chain: ChainHash
        /// The branch.
        let logID: LogID

        static func < (a: Place, b: Place) -> Bool {
            (a.number, a.trunkID, a.chain) < (b.number, b.trunkID, b.chain)
        }
    }

    let db: Database
    let rows: Rows
    let order: HistoryOrder

    /// - Parameter includingHidden: those of blocked users, too.
    func logs(of conversationID: ConversationID, includingHidden: Bool = false) throws -> [NumberedLog] {
        try rows.logs(db, "SELECT * FROM log WHERE conversationID = ?", arguments: [conversationID.data])
            .map(numbered).filter { includingHidden || !$0.isHidden }
    }

    func log(_ logID: LogID) throws -> NumberedLog? {
        try rows.logs(db, "SELECT * FROM log WHERE logID = ?", arguments: [logID.data]).first.map(numbered)
    }

    func log(number: Int64) throws -> NumberedLog? {
        try rows.logs(db, "SELECT * FROM log WHERE number = ?", arguments: [number]).first.map(numbered)
    }

    private func numbered(_ number: Int64, _ record: LogRecord) throws -> NumberedLog {
        let deliveries = try Row.fetchAll(
            db.cachedStatement(sql: "\(Rows.deliveries) WHERE delivery.log = ?"), arguments: [number]
        ).map(rows.delivery)
        let progress = Dictionary(uniqueKeysWithValues: deliveries.map { ($0.recipientID, $0.progress) })
        var isHidden: Bool?
        if record.conversation.kind != .direct {
            isHidden = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT \(Self.isHidden) FROM log WHERE number = ?"), arguments: [number])
        }
        return NumberedLog(number: number, record: record, progress: progress, isHidden: isHidden ?? false)
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

    func sorted(_ page: [HistoryRow]) -> [HistoryRow] {
        page.sorted { place(of: $0) < place(of: $1) }
    }

    private func place(of row: HistoryRow) -> Place {
        let number =
            switch order {
            case .time: Int64(row.entry.timestamp.rawValue)
            case .arrival: row.cursor
            }
        return Place(
            number: number, trunkID: row.log.description.logID, chain: row.entry.chain, logID: row.log.logID)
    }

    /// How many entries of a log come before a place in the timeline, or are at it.
    func count(in log: NumberedLog, through place: Place) throws -> UInt64 {
        try count(in: log, before: place) + (log.record.logID == place.logID ? 1 : 0)
    }

    /// How many entries of a log come before a place in the timeline.
    private func count(in log: NumberedLog, before end: Place) throws -> UInt64 {
        var low = log.record.base?.sequence ?? 0
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
        let statement = try db.cachedStatement(
            sql: "SELECT \(column), chain FROM entry WHERE log = ? AND sequence = ?")
        return try Row.fetchOne(statement, arguments: [log.number, Int64(sequence)]).map { row in
            Place(
                number: row[0], trunkID: log.record.description.logID, chain: try rows.identifier(row, "chain"),
                logID: log.record.logID)
        }
    }

    private static let shownKinds = EntryKind.allCases.filter(\.isShown).map { "\($0.rawValue)" }
        .joined(separator: ", ")

    /// Reads the entries of a log that a history shows.
    func read(
        log: NumberedLog, from first: UInt64, through last: UInt64, descending: Bool, limit: Int,
        includingErased: Bool = true
    ) throws -> [HistoryRow] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Rows.entryColumns), entry.cursor FROM entry
                WHERE log = ? AND sequence BETWEEN ? AND ? AND kind IN (\(Self.shownKinds))
                \(includingErased ? "" : "AND NOT isDeleted")
                ORDER BY sequence \(descending ? "DESC" : "ASC") LIMIT ?
                """)
        let cursor = try Row.fetchCursor(statement, arguments: [log.number, Int64(first), Int64(last), limit])
        var found: [(entry: EntryRecord, cursor: Int64)] = []
        while let row = try cursor.next() {
            found.append((try rows.entry(row), row[Rows.entryColumnCount]))
        }
        guard let one = found.first?.entry.sequence, let other = found.last?.entry.sequence else { return [] }
        let run = min(one, other)...max(one, other)
        let failures = try failures(in: log, run)
        let times = try StateTimes(of: log, run, db)
        let facts = try facts(of: found.map(\.entry), in: log)
        return try found.map { entry, cursor in
            HistoryRow(
                log: log.record, entry: entry, failures: failures[entry.sequence] ?? [:], cursor: cursor,
                progress: log.progress, times: times.times(of: entry.sequence), facts: facts[entry.sequence],
                edit: try edit(facts[entry.sequence]))
        }
    }

    private func failures(
        in log: NumberedLog, _ range: ClosedRange<UInt64>
    ) throws -> [UInt64: [UserID: DeliveryFailure]] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT log.logID, failure.* FROM failure JOIN log ON log.number = failure.log
                WHERE failure.log = ? AND failure.sequence BETWEEN ? AND ?
                """)
        let found = try Row.fetchAll(
            statement, arguments: [log.number, Int64(range.lowerBound), Int64(range.upperBound)])
        return try found.map(rows.failure).reduce(into: [:]) { failures, failure in
            failures[failure.messageID.sequence, default: [:]][failure.recipientID] = failure
        }
    }
}
