package import EarshotModel
import GRDB

/// One entry of a conversation's timeline, with all that its state depends on.
package struct HistoryRow: Sendable {
    package let log: LogRecord
    package let entry: EntryRecord
    /// For whom it has failed.
    package let failures: [UserID: DeliveryFailure]
    /// Its place in the order of arrival, which no other entry has, or had.
    package let cursor: Int64
    /// The progress of its log for each recipient.
    package let progress: [UserID: DeliveryProgress]

    package func state(for recipientID: UserID) -> DeliveryState {
        (progress[recipientID] ?? DeliveryProgress()).state(of: entry.sequence, failure: failures[recipientID])
    }
}

/// Where a page of history begins or ends.
package enum HistoryBound: Sendable, Hashable {
    case first
    case latest
    case before(MessageID)
    case after(MessageID)
}

/// What a history is read along.
package enum HistoryOrder: Sendable, Hashable {
    /// The authors' clocks: alike for everyone who holds the same entries. What is late stands where it was written.
    case time
    /// The order in which entries reached this disk. What is late stands last, so nothing is missed by who follows it.
    case arrival
}

extension Store {
    /// A page of a conversation's timeline, ascending.
    ///
    /// Timestamps and cursors rise within a log, so the timeline is the merge of the conversation's few logs, and where
    /// a page begins in each of them is found by a binary search over sequence numbers.
    ///
    /// - Parameter limit: how many rows; all of them are shown, and no row that is shown is left out.
    /// - Returns: `nil` if the bound names a message that this conversation does not hold.
    package func history(
        of conversationID: ConversationID, _ bound: HistoryBound, order: HistoryOrder = .time, limit: Int
    ) throws(StoreError) -> [HistoryRow]? {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path), order: order)
            let logs = try reader.logs(of: conversationID)
            switch bound {
            case .first:
                return try reader.page(logs: logs, after: nil, limit: limit)
            case .latest:
                return try reader.page(logs: logs, before: nil, limit: limit)
            case .before(let messageID):
                guard let place = try reader.place(of: messageID, in: logs) else { return nil }
                return try reader.page(logs: logs, before: place, limit: limit)
            case .after(let messageID):
                guard let place = try reader.place(of: messageID, in: logs) else { return nil }
                return try reader.page(logs: logs, after: place, limit: limit)
            }
        }
    }

    /// One message's row, or `nil` where there is none.
    package func row(of messageID: MessageID) throws(StoreError) -> HistoryRow? {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path), order: .arrival)
            let sequence = messageID.sequence
            guard let log = try reader.log(messageID.log), sequence <= log.record.head.sequence else { return nil }
            return try reader.read(log: log, from: sequence, through: sequence, descending: false, limit: 1).first
        }
    }

    /// What a reader has seen who has seen everything that had arrived with a message, or before it.
    /// - Returns: of each log of the message's conversation that others write, the last message that was shown, unless
    ///   the reader has marked it before; none if the message is the reader's own or is not here.
    package func unmarked(
        through messageID: MessageID, by readerID: UserID
    ) throws(StoreError) -> [MessageID] {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path), order: .arrival)
            guard let log = try reader.log(messageID.log), log.record.authorID != readerID else { return [] }
            let logs = try reader.logs(of: log.record.description.conversationID)
            guard let place = try reader.place(of: messageID, in: logs) else { return [] }
            return try logs.filter { $0.record.authorID != readerID }.compactMap { log in
                let end = try reader.count(in: log, through: place)
                guard
                    let last = try reader.read(log: log, from: 1, through: end, descending: true, limit: 1).first,
                    last.entry.sequence > log.progress[readerID]?.read ?? 0
                else { return nil }
                return MessageID(log: log.record.logID, sequence: last.entry.sequence)
            }
        }
    }
}
