package import EarshotModel
import Foundation
import GRDB

/// A message that is set aside for a consumer.
package struct SetAsideRow: Hashable, Sendable {
    package let cursor: Int64
    /// Why; empty if it is to be handed out again.
    package let reason: String
    /// Milliseconds since 1970.
    package let time: Int64
    package let messageID: MessageID
}

extension Store {
    private static let shownKinds = EntryKind.allCases.filter(\.isShown).map { "\($0.rawValue)" }
        .joined(separator: ", ")

    /// Entries of others that are shown, or were. The join is forced, so that the order of arrival needs no sorting.
    private static let everArrived = """
        FROM entry CROSS JOIN log ON log.number = entry.log
        WHERE entry.cursor > ? AND log.authorID <> ? AND entry.kind IN (\(shownKinds))
            AND NOT \(HistoryReader.isHidden)
        """

    /// Those of them whose content is still there.
    private static let arrived = "\(everArrived) AND entry.body IS NOT NULL"

    /// What others wrote and reached this disk after a place, in the order of arrival.
    /// - Parameters:
    ///   - byteLimit: stops before the message that would go past it, but gives at least one.
    /// - Returns: the messages, the place up to which there are no others, and whether that is the end.
    package func arrived(
        after cursor: Int64, for readerID: UserID, countLimit: Int, byteLimit: Int
    ) throws(StoreError) -> (rows: [HistoryRow], through: Int64, isComplete: Bool) {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path), order: .arrival)
            let found = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(Rows.entryColumns), entry.log, entry.cursor \(Self.arrived)
                    ORDER BY entry.cursor LIMIT ?
                    """,
                arguments: [cursor, readerID.data, countLimit])
            var (rows, bytes, isCut) = ([HistoryRow](), 0, false)
            var logs: [Int64: HistoryReader.NumberedLog] = [:]
            while let row = try found.next() {
                let entry = try reader.rows.entry(row)
                bytes += entry.windowBytes
                if bytes > byteLimit, !rows.isEmpty {
                    isCut = true
                    break
                }
                guard let log = try logs[row["log"]] ?? reader.log(number: row["log"]) else {
                    throw StoreError.damaged("an entry has no log", path: path)
                }
                logs[row["log"]] = log
                let facts = try reader.facts(of: [entry], in: log)[entry.sequence]
                rows.append(
                    HistoryRow(
                        log: log.record, entry: entry, failures: [:], cursor: row["cursor"], progress: log.progress,
                        times: [:], facts: facts, edit: try reader.edit(facts)))
            }
            guard !isCut, rows.count < countLimit else { return (rows, rows.last?.cursor ?? cursor, false) }
            return (rows, max(cursor, try Self.latestCursor(db)), true)
        }
    }

    /// How many messages of others arrived after a place.
    package func arrivedCount(after cursor: Int64, for readerID: UserID) throws(StoreError) -> Int {
        try read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) \(Self.arrived)", arguments: [cursor, readerID.data]) ?? 0
        }
    }

    /// The place of the last entry in the order of arrival; 0 if there is none.
    package func latestCursor() throws(StoreError) -> Int64 { try read(Self.latestCursor) }

    private static func latestCursor(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(cursor) FROM entry") ?? 0
    }

    /// The place before the first message of others that is not older than a time.
    package func cursor(notOlderThan timestamp: HybridTimestamp, for readerID: UserID) throws(StoreError) -> Int64 {
        try read { db in
            let first = try Int64.fetchOne(
                db, sql: "SELECT min(entry.cursor) \(Self.arrived) AND entry.timestamp >= ?",
                arguments: [0, readerID.data, Int64(timestamp.rawValue)])
            return try first.map { $0 - 1 } ?? Self.latestCursor(db)
        }
    }

    /// The last message of others up to a place. It may be erased since.
    package func lastArrived(through cursor: Int64, for readerID: UserID) throws(StoreError) -> MessageID? {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT log.logID, entry.sequence \(Self.everArrived) AND entry.cursor <= ?
                    ORDER BY entry.cursor DESC LIMIT 1
                    """, arguments: [0, readerID.data, cursor]
            ).map { MessageID(log: try rows.identifier($0, "logID"), sequence: try rows.number($0, "sequence")) }
        }
    }

    /// The last message of each log of others that arrived after one place, up to another. It may be erased since.
    package func lastArrived(
        after start: Int64, through end: Int64, for readerID: UserID
    ) throws(StoreError) -> [MessageID] {
        guard start < end else { return [] }
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT log.logID, max(entry.sequence) AS sequence \(Self.everArrived) AND entry.cursor <= ?
                        GROUP BY entry.log
                        """), arguments: [start, readerID.data, end]
            ).map { MessageID(log: try rows.identifier($0, "logID"), sequence: try rows.number($0, "sequence")) }
        }
    }

    /// The place of a message of others, which may be erased since; `nil` if it is none.
    package func arrival(of messageID: MessageID, for readerID: UserID) throws(StoreError) -> Int64? {
        try read { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT entry.cursor FROM entry JOIN log ON log.number = entry.log
                    WHERE log.logID = ? AND entry.sequence = ? AND log.authorID <> ? AND entry.kind IN (\(Self.shownKinds))
                    """, arguments: [messageID.log.data, Int64(messageID.sequence), readerID.data])
        }
    }

    /// A message's place in the order of arrival.
    package func cursor(of messageID: MessageID) throws(StoreError) -> Int64? { try row(of: messageID)?.cursor }

    /// One entry by its place in the order of arrival; `nil` if its content is gone.
    package func arrived(at cursor: Int64, for readerID: UserID) throws(StoreError) -> HistoryRow? {
        let found = try arrived(after: cursor - 1, for: readerID, countLimit: 1, byteLimit: 0)
        return found.rows.first.flatMap { $0.cursor == cursor ? $0 : nil }
    }

    /// What is set aside for a consumer, ascending.
    package func setAside(for consumer: String) throws(StoreError) -> [SetAsideRow] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT setAside.*, log.logID, entry.sequence FROM setAside
                        JOIN entry ON entry.cursor = setAside.cursor JOIN log ON log.number = entry.log
                    WHERE setAside.consumer = ? ORDER BY setAside.cursor
                    """, arguments: [consumer]
            ).map { row in
                SetAsideRow(
                    cursor: row["cursor"], reason: row["reason"], time: row["time"],
                    messageID: MessageID(
                        log: try rows.identifier(row, "logID"), sequence: try rows.number(row, "sequence")))
            }
        }
    }

    /// This node's own entries with these keys.
    package func entries(with keys: [EntryKey]) throws(StoreError) -> [KeyedEntry] {
        let rows = Rows(path: path)
        return try read { db in
            try keys.compactMap { key in
                let statement = try db.cachedStatement(
                    sql: """
                        SELECT \(Rows.entryColumns), log.logID FROM entry JOIN log ON log.number = entry.log
                        WHERE entry.key = ?
                        """)
                return try Row.fetchOne(statement, arguments: [key.data]).map { row in
                    KeyedEntry(logID: try rows.identifier(row, "logID"), entry: try rows.entry(row).withKey(key))
                }
            }
        }
    }

    /// The generation of cursors: another one after the home was restored, or turned out to have been.
    package func generation() throws(StoreError) -> Int64 {
        try read { try Int64.fetchOne($0, sql: "SELECT generation FROM journalGeneration") ?? 0 }
    }
}

extension Rows {
    func consumers(_ db: Database) throws -> [ConsumerRecord] {
        let setAside = try Row.fetchAll(db, sql: "SELECT consumer, cursor, reason FROM setAside ORDER BY cursor")
        let ofConsumer = Dictionary(grouping: setAside) { $0["consumer"] as String }
        return try Row.fetchAll(db, sql: "SELECT * FROM consumer ORDER BY name").map { row in
            var record = ConsumerRecord(
                name: row["name"], cursor: row["cursor"], createdAt: row["createdAt"], token: row["token"])
            record.isShared = row["isShared"]
            record.acknowledgedAt = row["acknowledgedAt"]
            record.head = row["head"]
            record.fruitless = row["fruitless"]
            if let reason = row["failure"] as String?, let time = row["failedAt"] as Int64? {
                record.failure = ConsumerFailure(reason, time: time)
            }
            let aside = ofConsumer[record.name] ?? []
            record.again = aside.filter { $0["reason"] == "" }.map { $0["cursor"] }
            record.setAside = Set(aside.map { $0["cursor"] }).subtracting(record.again)
            return record
        }
    }

    func scheduled(_ db: Database) throws -> [ScheduledRecord] {
        try Row.fetchAll(db, sql: "SELECT * FROM scheduled ORDER BY scheduledID").map { row in
            guard let scheduledID = EntryKey(row["scheduledID"] as Data) else {
                throw StoreError.damaged("the id of a scheduled message", path: path)
            }
            return ScheduledRecord(
                scheduledID: scheduledID, conversationID: try identifier(row, "conversationID"),
                notBefore: row["notBefore"], draft: Array(row["draft"] as Data),
                key: (row["key"] as Data?).flatMap { EntryKey($0) }, createdAt: row["createdAt"])
        }
    }
}
