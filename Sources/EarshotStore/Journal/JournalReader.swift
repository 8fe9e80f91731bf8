import EarshotModel
import GRDB

/// Reads a page of the journal within one read transaction.
struct JournalReader {
    private static let messagesAtOnce = 32

    private let history: HistoryReader
    private let generation: UInt64
    private let countLimit: Int
    private let byteLimit: Int
    private var logs: [Int64: HistoryReader.NumberedLog] = [:]
    private var entries: [JournalEntry] = []
    private var bytes = 0

    init(db: Database, rows: Rows, countLimit: Int = 0, byteLimit: Int = 0) throws {
        history = HistoryReader(db: db, rows: rows, order: .arrival)
        (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
        let statement = try db.cachedStatement(sql: "SELECT generation FROM journalGeneration")
        guard let generation = try Int64.fetchOne(statement) else {
            throw StoreError.damaged("the generation of the journal", path: rows.path)
        }
        self.generation = UInt64(bitPattern: generation)
    }

    /// The last place.
    func end() throws -> EventID {
        let statement = try history.db.cachedStatement(
            sql: "SELECT row, ifnull(last - first, 0) FROM journal ORDER BY row DESC LIMIT 1")
        guard let last = try Row.fetchOne(statement) else { return place(0, 0) }
        return place(last[0], UInt64(max(0, last[1] as Int64)))
    }

    /// The first place that is left; the next one if there is none.
    private func first() throws -> EventID {
        let statement = try history.db.cachedStatement(sql: "SELECT min(row) FROM journal")
        return place(try Int64.fetchOne(statement) ?? 1, 0)
    }

    private func place(_ row: Int64, _ index: UInt64) -> EventID {
        EventID(generation: generation, row: row, index: index)
    }

    mutating func page(after id: EventID?) throws -> JournalPage {
        let (first, last) = (try first(), try end())
        if let id, !isKnown(id, first: first, last: last) { return .gone(first: first) }
        var end = id ?? place(first.row - 1, 0)
        let statement = try history.db.cachedStatement(sql: "SELECT * FROM journal WHERE row >= ? ORDER BY row")
        let found = try Row.fetchCursor(statement, arguments: [end.row])
        while hasRoom, let row = try found.next() {
            let number: Int64 = row["row"]
            end = try take(row, number, after: number == end.row ? end.index : nil)
        }
        return .entries(entries, end: end)
    }

    /// Whether everything after a place is here. Of a row that is gone, nobody knows how much there was.
    private func isKnown(_ id: EventID, first: EventID, last: EventID) -> Bool {
        guard id.generation == generation, (id.row, id.index) <= (last.row, last.index) else { return false }
        return id.row >= first.row || (id.row == 0 && first.row == 1)
    }

    private var hasRoom: Bool { entries.count < countLimit && bytes < byteLimit }

    /// Takes the events of a row that come after a place, as far as there is room.
    /// - Parameter known: the index of the place; `nil` for all of the row. A program may name one that the row does not
    ///   have: then it knows all of the row.
    /// - Returns: the last place that was looked at.
    private mutating func take(_ row: Row, _ number: Int64, after known: UInt64?) throws -> EventID {
        let log = try (row["log"] as Int64?).map { try numberedLog($0) }
        let record = try history.rows.journalRecord(row, of: log?.record.logID)
        let time: Int64 = row["time"]
        guard let (logID, run) = record.run, let log else {
            if known == nil, let content = JournalEntry.Content(record) {
                entries.append(JournalEntry(id: place(number, 0), time: time, content: content))
            }
            return place(number, 0)
        }
        let last = run.upperBound - run.lowerBound
        let hidden = try hidden(in: run, of: log)
        let told = try told(in: record, of: log)
        var next = run.lowerBound + (known.map { min($0, last) + 1 } ?? 0)
        while next <= run.upperBound, hasRoom {
            let id = place(number, next - run.lowerBound)
            guard !hidden.contains(next) else {
                if let content = told[next] { entries.append(JournalEntry(id: id, time: time, content: content)) }
                next += 1
                continue
            }
            // Messages are read together, up to the next entry that changes one.
            let end = told.keys.filter { $0 > next }.min().map { $0 - 1 } ?? run.upperBound
            switch record {
            case .queued: next = try takeMessages(next...end, of: log, from: id, time) { .queued($0) }
            case .received: next = try takeMessages(next...end, of: log, from: id, time) { .received($0) }
            case .progress(_, let userID, let step, _):
                let change = log.record.change(MessageID(log: logID, sequence: next), userID, step.state)
                entries.append(JournalEntry(id: id, time: time, content: .state(change)))
                next += 1
            case .failed(_, let userID, let reason, _):
                let change = log.record.change(MessageID(log: logID, sequence: next), userID, .failed(reason))
                entries.append(JournalEntry(id: id, time: time, content: .state(change)))
                next += 1
            case .user, .conversation, .participant, .draft:
                preconditionFailure("a record about a user, a conversation or a draft has no messages")
            }
        }
        return place(number, next - 1 - run.lowerBound)
    }

    /// The entries of a run that are no messages.
    private func hidden(in run: ClosedRange<UInt64>, of log: HistoryReader.NumberedLog) throws -> Set<UInt64> {
        let statement = try history.db.cachedStatement(
            sql: "SELECT sequence FROM entry WHERE log = ? AND sequence BETWEEN ? AND ? AND kind > 1")
        let found = try Int64.fetchAll(
            statement, arguments: [log.number, Int64(run.lowerBound), Int64(run.upperBound)])
        return Set(found.map(UInt64.init))
    }

    /// What entries of a run tell that are no messages.
    private func told(
        in record: JournalRecord, of log: HistoryReader.NumberedLog
    ) throws -> [UInt64: JournalEntry.Content] {
        var told = try updates(in: record, of: log).mapValues(JournalEntry.Content.update)
        guard case .received(_, _, let run) = record, log.record.conversation.kind == .direct else { return told }
        let statement = try history.db.cachedStatement(
            sql: "SELECT sequence FROM entry WHERE log = ? AND sequence BETWEEN ? AND ? AND kind = 50")
        for sequence in try Int64.fetchAll(
            statement, arguments: [log.number, Int64(run.lowerBound), Int64(run.upperBound)])
        {
            told[UInt64(sequence)] = .user(log.record.authorID, .updated([.profile]))
        }
        return told
    }

    /// What entries of a run changed about messages that were here before them.
    private func updates(
        in record: JournalRecord, of log: HistoryReader.NumberedLog
    ) throws -> [UInt64: MessageUpdate] {
        let run: ClosedRange<UInt64>
        switch record {
        case .queued(_, let sequences), .received(_, _, let sequences): run = sequences
        case .progress, .failed, .user, .conversation, .participant, .draft: return [:]
        }
        let statement = try history.db.cachedStatement(
            sql: """
                SELECT relation.sequence, relation.kind, relation.targetLog, relation.targetSequence
                FROM relation JOIN entry ON entry.log = relation.log AND entry.sequence = relation.sequence
                WHERE relation.log = ?1 AND relation.sequence BETWEEN ?2 AND ?3 AND targetLog IS NOT NULL
                    AND relation.kind <> ?7 AND EXISTS (
                        SELECT 1 FROM log AS other JOIN entry AS target
                            ON target.log = other.number AND target.sequence = relation.targetSequence
                        WHERE other.logID = relation.targetLog AND other.conversationID = ?4
                            AND target.cursor < entry.cursor AND (relation.kind = ?5 OR other.authorID = ?6))
                """)
        let found = try Row.fetchCursor(
            statement,
            arguments: [
                log.number, Int64(run.lowerBound), Int64(run.upperBound), log.record.description.conversationID.data,
                EntryKind.reaction.rawValue, log.record.authorID.data, EntryKind.version.rawValue,
            ])
        var updates: [UInt64: MessageUpdate] = [:]
        while let row = try found.next() {
            let change: MessageChange
            switch EntryKind(rawValue: row["kind"]) {
            case .edit: change = .text
            case .retract: change = .isRetracted
            default: change = .reactions
            }
            updates[try history.rows.number(row, "sequence")] = MessageUpdate(
                messageID: MessageID(
                    log: try history.rows.identifier(row, "targetLog"),
                    sequence: try history.rows.number(row, "targetSequence")),
                conversationID: log.record.description.conversationID, userID: log.record.authorID, change: change)
        }
        return updates
    }

    /// Takes the next messages of a row.
    /// - Parameter id: the place of the first in the run.
    /// - Returns: what comes after those that were looked at.
    private mutating func takeMessages(
        _ run: ClosedRange<UInt64>, of log: HistoryReader.NumberedLog, from id: EventID, _ time: Int64,
        content: (HistoryRow) -> JournalEntry.Content
    ) throws -> UInt64 {
        let limit = min(Self.messagesAtOnce, countLimit - entries.count)
        let found = try history.read(
            log: log, from: run.lowerBound, through: run.upperBound, descending: false, limit: limit)
        for row in found {
            let index = id.index + (row.entry.sequence - run.lowerBound)
            entries.append(JournalEntry(id: place(id.row, index), time: time, content: content(row)))
            bytes += row.entry.windowBytes
            if bytes >= byteLimit { return row.entry.sequence + 1 }
        }
        guard let last = found.last, found.count == limit else { return run.upperBound + 1 }
        return last.entry.sequence + 1
    }

    private mutating func numberedLog(_ number: Int64) throws -> HistoryReader.NumberedLog {
        if let known = logs[number] { return known }
        guard let log = try history.log(number: number) else {
            throw StoreError.damaged("the journal names a log that is not here", path: history.rows.path)
        }
        logs[number] = log
        return log
    }
}

extension JournalEntry.Content {
    /// - Returns: `nil` for a record about messages.
    fileprivate init?(_ record: JournalRecord) {
        switch record {
        case .user(let userID, let news): self = .user(userID, news)
        case .conversation(let update): self = .conversation(update)
        case .participant(let update): self = .participant(update)
        case .draft(let news): self = .draft(news)
        case .queued, .received, .progress, .failed: return nil
        }
    }
}

extension LogRecord {
    fileprivate func change(
        _ messageID: MessageID, _ recipientID: UserID, _ state: DeliveryState
    ) -> MessageStateChange {
        MessageStateChange(
            messageID: messageID, conversationID: description.conversationID, recipientID: recipientID, state: state)
    }
}
