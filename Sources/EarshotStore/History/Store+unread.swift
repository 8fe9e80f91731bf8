package import EarshotModel
import GRDB

/// What a reader has not read in a conversation.
///
/// How far they have read is known log by log, and branch by branch. So a message that comes late is unread wherever its
/// time puts it, also before messages that were read long ago.
extension Store {
    /// Messages of others that a reader has not read, ascending by time. What is erased here is not among them.
    ///
    /// - Parameters:
    ///   - after: the page begins just after this message; without it, at the first unread one.
    ///   - limit: how many.
    /// - Returns: `nil` if the conversation does not hold the message.
    package func unread(
        in conversationID: ConversationID, by readerID: UserID, after: MessageID? = nil, limit: Int
    ) throws(StoreError) -> [HistoryRow]? {
        let rows = Rows(path: path)
        return try read { db in
            let reader = HistoryReader(db: db, rows: rows, order: .time)
            let logs = try reader.logs(of: conversationID)
            guard let after else { return try reader.unread(in: logs, by: readerID, after: nil, limit: limit) }
            guard let place = try reader.place(of: after, in: logs) else { return nil }
            return try reader.unread(in: logs, by: readerID, after: place, limit: limit)
        }
    }

    /// The last message of each log that a reader has to mark to have read a whole conversation.
    package func unmarked(in conversationID: ConversationID, by readerID: UserID) throws(StoreError) -> [MessageID] {
        let rows = Rows(path: path)
        return try read { db in
            let reader = HistoryReader(db: db, rows: rows, order: .arrival)
            return try reader.logs(of: conversationID).compactMap { log in
                try reader.unmarked(in: log, through: log.record.head.sequence, by: readerID)
            }
        }
    }
}

extension HistoryReader {
    /// How far a user has read a log that others write.
    ///
    /// Each device of a user tells in its receipts how far that is; the furthest counts. The receipts of this device are in
    /// the log's progress. Those of the user's other devices have to be taken into account here, and nowhere else.
    func readHorizon(of log: NumberedLog, for readerID: UserID) -> UInt64 {
        max(log.record.start.sequence, log.progress[readerID]?.read ?? 0)
    }

    /// How many entries of a log after a number are never unread. The condition is that of the index.
    static let unshownCount = """
        SELECT COUNT(*) FROM entry INDEXED BY unshownEntry
        WHERE log = ? AND sequence > ? AND (kind <> 1 OR isDeleted)
        """

    /// How many messages are unread. It reads no entry that a history shows.
    func unreadCount(in logs: [NumberedLog], by readerID: UserID) throws -> Int {
        let statement = try db.cachedStatement(sql: Self.unshownCount)
        return try logs.filter { $0.record.authorID != readerID }.reduce(0) { count, log in
            let horizon = readHorizon(of: log, for: readerID)
            guard log.record.head.sequence > horizon else { return count }
            let unshown = try Int.fetchOne(statement, arguments: [log.number, Int64(horizon)]) ?? 0
            return count + Int(log.record.head.sequence - horizon) - unshown
        }
    }

    func unread(
        in logs: [NumberedLog], by readerID: UserID, after place: Place?, limit: Int
    ) throws -> [HistoryRow] {
        var page: [HistoryRow] = []
        for log in logs where log.record.authorID != readerID {
            let passed = try place.map { try count(in: log, through: $0) } ?? 0
            let first = max(readHorizon(of: log, for: readerID), passed) + 1
            page += try read(
                log: log, from: first, through: log.record.head.sequence, descending: false, limit: limit,
                includingErased: false)
        }
        return Array(sorted(page).prefix(limit))
    }

    /// - Returns: the last shown message of a log up to an entry; `nil` if the reader has written or marked it.
    func unmarked(in log: NumberedLog, through sequence: UInt64, by readerID: UserID) throws -> MessageID? {
        guard log.record.authorID != readerID,
            let last = try read(log: log, from: 1, through: sequence, descending: true, limit: 1).first,
            last.entry.sequence > readHorizon(of: log, for: readerID)
        else { return nil }
        return MessageID(log: log.record.logID, sequence: last.entry.sequence)
    }
}
