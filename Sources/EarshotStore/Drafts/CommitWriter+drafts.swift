import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    func write(_ step: DraftStep) throws {
        switch step {
        case .insert(let record): try insert(record)
        case .update(let record):
            try run(
                "UPDATE draft SET content = ?, changedAt = ? WHERE draftID = ?",
                [Data(record.content), record.changedAt, record.draftID.data])
        case .send(let record, _): try delete(record)
        case .discard(let record):
            try delete(record)
            try run("INSERT OR IGNORE INTO discardedDraft (draftID) VALUES (?)", [record.draftID.data])
            try run(
                "DELETE FROM discardedDraft WHERE number <= (SELECT max(number) FROM discardedDraft) - ?",
                [Limits.discardedDrafts])
        }
    }

    private func insert(_ record: DraftRecord) throws {
        try run(
            """
            INSERT INTO draft (draftID, conversationID, content, insertedBy, createdAt, changedAt)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                record.draftID.data, record.conversationID.data, Data(record.content), record.insertedBy,
                record.createdAt, record.changedAt,
            ])
    }

    private func delete(_ record: DraftRecord) throws {
        try run("DELETE FROM draft WHERE draftID = ?", [record.draftID.data])
    }

    private func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension Store {
    /// How many drafts wait for a person.
    package func draftCount() throws(StoreError) -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM draft") ?? 0 }
    }
}

extension Rows {
    func drafts(_ db: Database) throws -> [DraftRecord] {
        try Row.fetchAll(db, sql: "SELECT * FROM draft ORDER BY draftID").map { row in
            DraftRecord(
                draftID: try draftID(row), conversationID: try identifier(row, "conversationID"),
                content: Array(row["content"] as Data), insertedBy: row["insertedBy"], createdAt: row["createdAt"],
                changedAt: row["changedAt"])
        }
    }

    /// In the order in which they were discarded.
    func discardedDrafts(_ db: Database) throws -> [EntryKey] {
        try Row.fetchAll(db, sql: "SELECT draftID FROM discardedDraft ORDER BY number").map(draftID)
    }

    private func draftID(_ row: Row) throws -> EntryKey {
        guard let draftID = EntryKey(row["draftID"] as Data) else {
            throw StoreError.damaged("the id of a draft", path: path)
        }
        return draftID
    }
}

// MARK: - The journal

/// What is new about a draft has no columns of its own: it is words in the column `detail`.
extension Rows {
    func draftRecord(_ row: Row, _ kind: JournalKind) throws -> JournalRecord {
        let words = (row["detail"] as String? ?? "").split(separator: " ").map(String.init)
        guard let kind = kind.draftNews, words.count == 4, let draftID = DraftID(words[0]),
            let conversationID = ConversationID(words[1]), words[2] == "-" || MessageID(words[2]) != nil
        else { throw StoreError.damaged("a draft in the journal", path: path) }
        return .draft(
            DraftNews(
                kind,
                DraftChange(
                    draftID: draftID, conversationID: conversationID,
                    insertedBy: words[3] == Self.nobody ? nil : words[3], messageID: MessageID(words[2]))))
    }

    /// No program has this name.
    fileprivate static let nobody = "*"
}

extension DraftChange {
    /// The name of a program has no spaces.
    var journalDetail: String {
        "\(draftID) \(conversationID) \(messageID?.description ?? "-") \(insertedBy ?? Rows.nobody)"
    }
}

extension JournalKind {
    init(_ kind: DraftNews.Kind) {
        self =
            switch kind {
            case .inserted: .draftInserted
            case .updated: .draftUpdated
            case .sent: .draftSent
            case .discarded: .draftDiscarded
            }
    }

    var isOfDraft: Bool { draftNews != nil }

    fileprivate var draftNews: DraftNews.Kind? { DraftNews.Kind.allCases.first { JournalKind($0) == self } }
}
