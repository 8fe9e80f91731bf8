package import EarshotModel
import Foundation
import GRDB

/// A conversation, as a list of conversations shows it.
package struct ConversationRow: Sendable {
    package let conversation: ConversationRecord
    /// The last message in the order of time; `nil` if the conversation shows none.
    package let last: HistoryRow?
    /// How many messages of others the reader has not marked as read, and the first of them by time.
    package let unreadCount: Int
    package let firstUnread: HistoryRow?
}

extension Store {
    /// That of a user with themselves, in which their devices tell each other what they share, is shown once it has a note.
    private static let isShown = """
        (SELECT kind FROM conversation WHERE conversation.conversationID = log.conversationID) <> 'direct'
            OR (SELECT COUNT(*) FROM participant WHERE participant.conversationID = log.conversationID) > 1
            OR EXISTS (SELECT 1 FROM log AS own JOIN entry AS note ON note.log = own.number
                WHERE own.conversationID = log.conversationID AND note.kind = 1)
        """

    /// The conversations that hold an entry, the one with the latest arrival first.
    ///
    /// - Parameters:
    ///   - readerID: for whom messages are unread.
    ///   - before: the list begins after this conversation.
    package func conversations(
        readBy readerID: UserID, before: ConversationID?, limit: Int
    ) throws(StoreError) -> [ConversationRow] {
        let rows = Rows(path: path)
        return try read { db in
            let found = try Data.fetchAll(
                db,
                sql: """
                    SELECT conversationID FROM log JOIN entry ON entry.log = log.number AND sequence = headSequence
                    WHERE \(Self.isShown)
                    GROUP BY conversationID
                    HAVING MAX(cursor) < ifnull((
                        SELECT MAX(cursor) FROM log JOIN entry ON entry.log = log.number AND sequence = headSequence
                        WHERE conversationID = ?), \(Int64.max))
                    ORDER BY MAX(cursor) DESC LIMIT ?
                    """, arguments: [before?.data, limit])
            let reader = HistoryReader(db: db, rows: rows, order: .time)
            return try found.compactMap { id in
                guard let conversationID = ConversationID(bytes: id) else {
                    throw StoreError.damaged("the id of a conversation", path: rows.path)
                }
                return try reader.conversation(conversationID, readBy: readerID)
            }
        }
    }

    /// - Returns: `nil` if no log belongs to the conversation.
    package func conversation(
        _ conversationID: ConversationID, readBy readerID: UserID
    ) throws(StoreError) -> ConversationRow? {
        let rows = Rows(path: path)
        return try read { db in
            try HistoryReader(db: db, rows: rows, order: .time).conversation(conversationID, readBy: readerID)
        }
    }
}

extension HistoryReader {
    fileprivate func conversation(_ conversationID: ConversationID, readBy readerID: UserID) throws -> ConversationRow?
    {
        let logs = try logs(of: conversationID)
        guard let conversation = logs.first?.record.conversation else { return nil }
        let last = try page(logs: logs, before: nil, limit: 1).last
        if last == nil, conversation.isOwn(of: readerID) { return nil }
        let unreadCount = try unreadCount(in: logs, by: readerID)
        let firstUnread = unreadCount > 0 ? try unread(in: logs, by: readerID, after: nil, limit: 1).first : nil
        return ConversationRow(
            conversation: conversation, last: last,
            unreadCount: unreadCount, firstUnread: firstUnread)
    }
}
