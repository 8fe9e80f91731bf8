package import EarshotModel
import Foundation
import GRDB

/// What is searched for.
package struct SearchCriteria: Hashable, Sendable {
    /// Every one of them has to be there.
    package let phrases: [SearchPhrase]
    package let conversationID: ConversationID?
    package let authorID: UserID?
    /// Not before the first, and before the second.
    package let since: HybridTimestamp?
    package let until: HybridTimestamp?

    package init(
        _ phrases: [SearchPhrase], in conversationID: ConversationID? = nil, by authorID: UserID? = nil,
        since: HybridTimestamp? = nil, until: HybridTimestamp? = nil
    ) {
        self.phrases = phrases
        self.conversationID = conversationID
        self.authorID = authorID
        self.since = since
        self.until = until
    }
}

extension SearchIndex {
    /// Finds messages, those that arrived last first.
    /// - Parameter cursor: only what arrived before this place.
    /// - Returns: their places in the order of arrival.
    package func search(
        _ criteria: SearchCriteria, before cursor: Int64 = .max, limit: Int
    ) throws(StoreError) -> [Int64] {
        try read { db in
            guard let match = try match(criteria, db) else { return [] }
            let (since, until) = (
                Int64(clamping: criteria.since?.rawValue ?? 0), Int64(clamping: criteria.until?.rawValue ?? .max)
            )
            let shards = try Int64.fetchAll(
                db,
                sql: """
                    SELECT number FROM shard WHERE number <= ? AND latest >= ? AND earliest < ?
                    ORDER BY number DESC
                    """, arguments: [cursor / shardPlaces, since, until])
            var found: [Int64] = []
            for shard in shards where found.count < limit {
                found += try Int64.fetchAll(
                    db, sql: Self.query(shard, hasTimes: criteria.since != nil || criteria.until != nil),
                    arguments: [
                        "match": match, "before": cursor, "since": since, "until": until,
                        "limit": limit - found.count,
                    ])
            }
            return found
        }
    }

    private static func query(_ shard: Int64, hasTimes: Bool) -> String {
        let words = words(shard)
        // Without times the messages' own table need not be read.
        guard hasTimes else {
            return """
                SELECT rowid FROM \(words) WHERE \(words) MATCH :match AND rowid < :before
                    AND :since = :since AND :until = :until
                ORDER BY rowid DESC LIMIT :limit
                """
        }
        return """
            SELECT \(words).rowid FROM \(words) CROSS JOIN message ON message.cursor = \(words).rowid
            WHERE \(words) MATCH :match AND \(words).rowid < :before
                AND message.timestamp >= :since AND message.timestamp < :until
            ORDER BY \(words).rowid DESC LIMIT :limit
            """
    }

    /// The criteria in the language of FTS5; `nil` if a user or conversation has no message here.
    private func match(_ criteria: SearchCriteria, _ db: Database) throws -> String? {
        var parts = criteria.phrases.map { "{text} : \($0.match)" }
        for (letter, id) in [("c", criteria.conversationID?.data), ("u", criteria.authorID?.data)] {
            guard let id else { continue }
            guard let number = try Int64.fetchOne(db, sql: "SELECT number FROM party WHERE id = ?", arguments: [id])
            else { return nil }
            parts.append("{scope} : \"\(letter)\(number)\"")
        }
        return parts.joined(separator: " AND ")
    }
}

extension SearchPhrase {
    /// As FTS5 reads it. A quotation mark within a string is doubled; nothing else means anything there
    /// (sqlite.org/fts5.html, section 3.1).
    fileprivate var match: String {
        "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\"\(isPrefix ? " *" : "")"
    }
}
