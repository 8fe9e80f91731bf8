import EarshotModel
import Foundation
import GRDB

extension SearchIndex {
    /// Follows the history: in one transaction.
    /// - Parameters:
    ///   - messages: new ones, and those that show something else now.
    ///   - gone: places where nothing is shown now. What was found there is erased by `eraseGone`.
    package func fill(
        _ messages: [SearchedMessage], gone: [Int64], position: SearchPosition
    ) throws(StoreError) {
        try write { db in
            var filling = SearchFilling(db: db, shardPlaces: shardPlaces)
            for cursor in gone { try filling.remove(cursor, isErased: true) }
            // Behind its position the index has nothing yet.
            for message in messages where message.cursor <= self.position.cursor {
                try filling.remove(message.cursor, isErased: false)
            }
            try filling.insert(messages)
            try db.execute(
                sql: "UPDATE state SET cursor = ?, chain = ?, change = ?, generation = ?",
                arguments: [position.cursor, position.chain?.data, position.change, position.generation])
        }
        self.position = position
    }

    /// Makes sure that neither file holds a word of what is gone: merges each shard that lost something, and empties the
    /// write-ahead log.
    /// - Returns: whether there was something to do.
    @discardableResult
    package func eraseGone() throws(StoreError) -> Bool {
        let shards = try read { try Int64.fetchAll($0, sql: "SELECT number FROM shard WHERE holdsErased") }
        guard !shards.isEmpty else { return false }
        for shard in shards {
            try write { db in
                let words = Self.words(shard)
                try db.execute(sql: "INSERT INTO \(words) (\(words)) VALUES ('optimize')")
            }
        }
        do { _ = try database.writeWithoutTransaction { try Store.overwriteDeleted($0) } } catch {
            throw StoreError(error, path: path)
        }
        // Only now: a power cut before this has the shards merged once more.
        try write { db in
            for shard in shards {
                try db.execute(sql: "UPDATE shard SET holdsErased = 0 WHERE number = ?", arguments: [shard])
            }
        }
        return true
    }
}

/// Writes within one transaction.
private struct SearchFilling {
    let db: Database
    let shardPlaces: Int64
    /// The short names that are known already.
    private var numbers: [Data: Int64] = [:]

    init(db: Database, shardPlaces: Int64) {
        self.db = db
        self.shardPlaces = shardPlaces
    }

    mutating func insert(_ messages: [SearchedMessage]) throws {
        let shards = Dictionary(grouping: messages) { $0.cursor / shardPlaces }
        for (shard, messages) in shards.sorted(by: { $0.key < $1.key }) {
            let times = messages.map { Int64(clamping: $0.timestamp.rawValue) }
            guard let earliest = times.min(), let latest = times.max() else { continue }
            try note(shard, earliest...latest)
            let shown = try db.cachedStatement(sql: "INSERT INTO message VALUES (?, ?, ?, ?)")
            let words = try db.cachedStatement(
                sql: "INSERT INTO \(SearchIndex.words(shard)) (rowid, text, scope) VALUES (?, ?, ?)")
            for (message, time) in zip(messages, times) {
                let scope = "c\(try number(of: message.conversationID.data)) u\(try number(of: message.authorID.data))"
                try shown.execute(arguments: [message.cursor, message.text, scope, time])
                try words.execute(arguments: [message.cursor, message.text, scope])
            }
        }
    }

    /// Removes a message, if it is here. FTS5 needs to be told what the removed row held (sqlite.org/fts5.html, section 6.3).
    func remove(_ cursor: Int64, isErased: Bool) throws {
        let shard = cursor / shardPlaces
        let words = SearchIndex.words(shard)
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT text, scope FROM message WHERE cursor = ?"), arguments: [cursor])
        guard let row else { return }
        try db.cachedStatement(
            sql: "INSERT INTO \(words) (\(words), rowid, text, scope) VALUES ('delete', ?, ?, ?)"
        ).execute(arguments: [cursor, row["text"] as String, row["scope"] as String])
        try db.cachedStatement(sql: "DELETE FROM message WHERE cursor = ?").execute(arguments: [cursor])
        guard isErased else { return }
        try db.cachedStatement(sql: "UPDATE shard SET holdsErased = 1 WHERE number = ?").execute(arguments: [shard])
    }

    private func note(_ shard: Int64, _ times: ClosedRange<Int64>) throws {
        try db.cachedStatement(
            sql: """
                UPDATE shard SET earliest = min(earliest, ?2), latest = max(latest, ?3) WHERE number = ?1
                """
        ).execute(arguments: [shard, times.lowerBound, times.upperBound])
        guard db.changesCount == 0 else { return }
        try db.execute(
            sql: """
                INSERT INTO shard (number, earliest, latest) VALUES (?1, ?2, ?3);
                """, arguments: [shard, times.lowerBound, times.upperBound])
        // The messages' own table has the texts, so the words' table need not hold them again.
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE \(SearchIndex.words(shard)) USING fts5 (
                    text, scope, content = 'message', content_rowid = 'cursor', columnsize = 0,
                    tokenize = 'unicode61 remove_diacritics 2');
                """)
    }

    /// A short name for a user or a conversation.
    private mutating func number(of id: Data) throws -> Int64 {
        if let number = numbers[id] { return number }
        let known = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM party WHERE id = ?"), arguments: [id])
        if known == nil { try db.execute(sql: "INSERT INTO party (id) VALUES (?)", arguments: [id]) }
        let number = known ?? db.lastInsertedRowID
        numbers[id] = number
        return number
    }
}
