package import EarshotModel
import GRDB

/// One entry of a conversation's timeline, with everything that its state depends on.
package struct HistoryRow: Sendable {
    package let log: LogRecord
    package let entry: EntryRecord
    /// The recipients for whom it has failed.
    package let failures: [UserID: DeliveryFailure]
    /// Its place in the order of arrival, which no other entry ever has.
    package let cursor: Int64
    /// The progress of its log for each recipient.
    package let progress: [UserID: DeliveryProgress]
    /// When it reached its states for each recipient, as far as that was noted.
    let times: [UserID: MessageTimes]
    /// What other entries make of it; `nil` if they do not mention it.
    let facts: MessageFacts?
    /// The entry whose text it shows; `nil` for its own.
    package let edit: EntryRecord?

    package var isRetracted: Bool { facts?.changes.isRetracted ?? false }
    package var isSuperseded: Bool { facts?.isSuperseded ?? false }
    package var reactions: [Reaction] { facts?.changes.reactions ?? [] }

    package func times(for recipientID: UserID) -> MessageTimes {
        let isSent = entry.sequence <= progress[recipientID]?.sent ?? 0 && failures[recipientID]?.isWithheld != true
        return (times[recipientID] ?? MessageTimes()).reached(by: state(for: recipientID), isSent: isSent)
    }

    package func state(for recipientID: UserID) -> DeliveryState {
        // In a conversation of many a message fails for everybody, and the author's row says so.
        let failure = failures[recipientID] ?? (log.conversation.kind == .direct ? nil : failures[log.authorID])
        return (progress[recipientID] ?? DeliveryProgress()).state(of: entry.sequence, failure: failure)
    }

    /// For whom this node knows what has become of it. For what it has written itself: all other participants, and who has
    /// it though they have left. For what others have written: this node's own user.
    package var recipientIDs: [UserID] {
        let others = log.conversation.recipientIDs(of: log.authorID)
        guard log.conversation.kind != .direct else { return others }
        let known = progress.keys.filter { $0 != log.authorID }
        // What of an own log may have left is noted in its author's row.
        guard progress.isEmpty || progress[log.authorID] != nil else { return known.sorted() }
        return Set(others).union(known.filter { state(for: $0).isDelivered }).sorted()
    }
}

/// Where a page of history begins or ends.
package enum HistoryBound: Sendable, Hashable {
    case first
    case latest
    case before(MessageID)
    case after(MessageID)
}

/// The order in which a history is read.
package enum HistoryOrder: Sendable, Hashable {
    /// The order of the authors' clocks: the same for everybody who holds the same entries. A late entry stands where
    /// it was written.
    case time
    /// The order in which entries reached this disk. A late entry stands last, so a reader who follows this order
    /// misses none.
    case arrival
}

extension Store {
    /// A page of a conversation's timeline, ascending.
    ///
    /// Timestamps and cursors rise within a log. So the timeline is the merge of the conversation's few logs, and a
    /// binary search over sequence numbers finds where a page begins in each of them.
    ///
    /// - Parameters:
    ///   - limit: how many rows; it counts only entries that are shown.
    ///   - includingHidden: what blocked users wrote in a group, too.
    /// - Returns: `nil` if the bound names a message that this conversation does not hold.
    package func history(
        of conversationID: ConversationID, _ bound: HistoryBound, order: HistoryOrder = .time, limit: Int,
        includingHidden: Bool = false
    ) throws(StoreError) -> [HistoryRow]? {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path), order: order)
            let logs = try reader.logs(of: conversationID, includingHidden: includingHidden)
            func place(_ messageID: MessageID) throws -> HistoryReader.Place? {
                // Whoever is blocked while somebody reads does not end that.
                try reader.place(of: messageID, in: try reader.logs(of: conversationID, includingHidden: true))
            }
            switch bound {
            case .first:
                return try reader.page(logs: logs, after: nil, limit: limit)
            case .latest:
                return try reader.page(logs: logs, before: nil, limit: limit)
            case .before(let messageID):
                guard let place = try place(messageID) else { return nil }
                return try reader.page(logs: logs, before: place, limit: limit)
            case .after(let messageID):
                guard let place = try place(messageID) else { return nil }
                return try reader.page(logs: logs, after: place, limit: limit)
            }
        }
    }

    /// One message's row; `nil` if there is none.
    package func row(of messageID: MessageID) throws(StoreError) -> HistoryRow? {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path), order: .arrival)
            let sequence = messageID.sequence
            guard let log = try reader.log(messageID.log), sequence <= log.record.head.sequence else { return nil }
            return try reader.read(log: log, from: sequence, through: sequence, descending: false, limit: 1).first
        }
    }

    /// Finds the last messages that a reader has seen, if they have seen a message, whoever wrote it, and everything that had
    /// arrived before it.
    /// - Returns: whether the message's author may hear that it is read: it is not the reader's own, nor that of somebody blocked;
    ///   and for each log of its conversation that others write, the last shown message, unless the reader has already marked it.
    ///   `nil` if the message is not here.
    package func unmarked(
        through messageID: MessageID, by readerID: UserID
    ) throws(StoreError) -> (isToBeTold: Bool, messages: [MessageID])? {
        let path = self.path
        return try read { db in
            let reader = HistoryReader(db: db, rows: Rows(path: path), order: .arrival)
            guard let log = try reader.log(messageID.log) else { return nil }
            let logs = try reader.logs(of: log.record.description.conversationID)
            guard let place = try reader.place(of: messageID, in: logs + [log]) else { return nil }
            let messages = try logs.compactMap { log in
                try reader.unmarked(in: log, through: try reader.count(in: log, through: place), by: readerID)
            }
            return (log.record.authorID != readerID && !log.isHidden, messages)
        }
    }
}
