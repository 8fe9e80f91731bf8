package import EarshotModel
import Foundation
import GRDB

extension Store {
    /// All tokens, in the order in which they were made.
    package func tokens() throws(StoreError) -> [TokenRecord] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM token ORDER BY createdAt, tokenID").map(rows.token)
        }
    }

    /// - Returns: whether there was none of that name.
    package func add(_ token: TokenRecord) throws(StoreError) -> Bool {
        try write { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO token (tokenID, name, hash, scopes, recipients, createdAt, expiresAt)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    token.tokenID, token.name, Data(token.hash.bytes), token.scopes.joined(separator: " "),
                    token.recipients.map { $0.map(\.tokenText).sorted().joined(separator: " ") },
                    token.createdAt, token.expiresAt,
                ])
            return db.changesCount == 1
        }
    }

    /// - Returns: whether it was there.
    package func removeToken(_ tokenID: String) throws(StoreError) -> Bool {
        try write { db in
            try db.execute(sql: "DELETE FROM token WHERE tokenID = ?", arguments: [tokenID])
            return db.changesCount == 1
        }
    }

    /// Notes when tokens were last used. One that is gone stays so.
    package func noteUse(of tokens: [String: Int64]) throws(StoreError) {
        try write { db in
            for (tokenID, time) in tokens {
                try db.execute(sql: "UPDATE token SET usedAt = ? WHERE tokenID = ?", arguments: [time, tokenID])
            }
        }
    }
}

extension Rows {
    fileprivate func token(_ row: Row) throws -> TokenRecord {
        guard let hash = Bytes32(row["hash"] as Data) else { throw StoreError.damaged("a token", path: path) }
        let recipients = try (row["recipients"] as String?)?.split(separator: " ").map { text in
            guard let destination = Destination(tokenText: text) else {
                throw StoreError.damaged("a token", path: path)
            }
            return destination
        }
        return TokenRecord(
            tokenID: row["tokenID"], name: row["name"], hash: hash,
            scopes: (row["scopes"] as String).split(separator: " ").map(String.init),
            recipients: recipients.map(Set.init), createdAt: row["createdAt"], expiresAt: row["expiresAt"],
            usedAt: row["usedAt"])
    }
}

extension Destination {
    /// A user's key, or `#` and the id of a conversation.
    fileprivate var tokenText: String {
        switch self {
        case .user(let userID): userID.description
        case .conversation(let conversationID): "#\(conversationID)"
        }
    }

    fileprivate init?(tokenText text: Substring) {
        if text.hasPrefix("#") {
            guard let conversationID = ConversationID(String(text.dropFirst())) else { return nil }
            self = .conversation(conversationID)
        } else {
            guard let userID = UserID(String(text)) else { return nil }
            self = .user(userID)
        }
    }
}
