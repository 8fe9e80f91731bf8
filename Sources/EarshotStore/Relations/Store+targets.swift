package import EarshotModel
import Foundation
import GRDB

/// A message that another entry is to say something about.
package struct MessageTarget: Sendable {
    package let place: LogPlace
    package let conversation: ConversationRecord
    package let authorID: UserID
    package let changes: MessageChanges
}

extension Store {
    /// - Returns: `nil` for what is no message of this store.
    package func target(_ messageID: MessageID) throws(StoreError) -> MessageTarget? {
        let rows = Rows(path: path)
        return try read { db in
            let reader = HistoryReader(db: db, rows: rows, order: .arrival)
            guard let log = try reader.log(messageID.log), messageID.sequence <= log.record.head.sequence,
                let row = try reader.read(
                    log: log, from: messageID.sequence, through: messageID.sequence, descending: false, limit: 1
                ).first
            else { return nil }
            let facts = try reader.facts(of: [row.entry], in: log)[messageID.sequence]
            return MessageTarget(
                place: LogPlace(
                    logID: log.record.description.logID, sequence: messageID.sequence, chain: row.entry.chain),
                conversation: log.record.conversation, authorID: log.record.authorID,
                changes: facts?.changes ?? MessageChanges(authorID: log.record.authorID))
        }
    }

    /// The counter that the next step of a session has; 1 for one that nobody has begun in the conversation.
    package func nextStep(of session: SessionID, in conversationID: ConversationID) throws(StoreError) -> UInt64 {
        let rows = Rows(path: path)
        return try read { db in
            try HistoryReader(db: db, rows: rows, order: .arrival)
                .session(session.bytes.data, in: conversationID).counter.nextCounter
        }
    }
}
