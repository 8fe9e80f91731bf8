package import EarshotModel
import GRDB

/// An event as the journal keeps it, with what it is about as it is now.
package struct JournalEntry: Sendable {
    package enum Content: Sendable {
        case queued(HistoryRow)
        case received(HistoryRow)
        case state(MessageStateChange)
        case update(MessageUpdate)
        case user(UserID, JournalRecord.News)
        case conversation(ConversationUpdate)
        case participant(ParticipantUpdate)
        case draft(DraftNews)
    }

    package let id: EventID
    /// When the commit was made that it belongs to, in milliseconds since 1970.
    package let time: Int64
    package let content: Content
}

/// A part of the journal.
package enum JournalPage: Sendable {
    /// What follows, and the place up to which the journal was read: the next page begins after it.
    case entries([JournalEntry], end: EventID)
    /// What followed is not there any more, or never was in this database. The first event that is left has this id.
    case gone(first: EventID)
}

extension Store {
    /// Reads the journal, ascending.
    ///
    /// - Parameters:
    ///   - id: the place after which to read; `nil` for all that is left.
    ///   - byteLimit: stops after the message that goes past it.
    package func journal(
        after id: EventID?, countLimit: Int, byteLimit: Int
    ) throws(StoreError) -> JournalPage {
        let rows = Rows(path: path)
        return try read { db in
            var reader = try JournalReader(db: db, rows: rows, countLimit: countLimit, byteLimit: byteLimit)
            return try reader.page(after: id)
        }
    }

    /// The place of the last event.
    package func journalEnd() throws(StoreError) -> EventID {
        let rows = Rows(path: path)
        return try read { db in try JournalReader(db: db, rows: rows).end() }
    }
}
