package import EarshotModel
import Foundation
import GRDB

/// An entry in which a user says something of themselves.
package struct ProfileRow: Sendable {
    package let logID: LogID
    package let entry: EntryRecord
}

extension Store {
    /// The last profile in each log of a user, if its content is there.
    /// - Parameter conversationID: `nil` for all direct conversations.
    package func profiles(of userID: UserID, in conversationID: ConversationID?) throws(StoreError) -> [ProfileRow] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT \(Rows.entryColumns), log.logID FROM log
                            JOIN conversation ON conversation.conversationID = log.conversationID
                            JOIN entry ON entry.log = log.number AND entry.kind = 50
                        WHERE log.authorID = ?1 AND conversation.kind = ?2
                            AND (?3 IS NULL OR log.conversationID = ?3) AND entry.body IS NOT NULL
                            AND NOT EXISTS (SELECT 1 FROM revocation
                                WHERE revocation.userID = log.authorID AND revocation.deviceID = log.deviceID)
                            AND entry.sequence = (
                                SELECT max(sequence) FROM entry AS other WHERE other.log = log.number AND other.kind = 50)
                        """), arguments: [userID.data, ConversationKind.direct.rawValue, conversationID?.data]
            ).map { ProfileRow(logID: try rows.identifier($0, "logID"), entry: try rows.entry($0)) }
        }
    }

    /// The users to whom a user has written directly.
    package func contacts(of userID: UserID) throws(StoreError) -> [UserID] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT participant.userID FROM participant
                        JOIN conversation ON conversation.conversationID = participant.conversationID
                    WHERE conversation.kind = ? AND participant.userID <> ? AND EXISTS (
                        SELECT 1 FROM log WHERE log.conversationID = conversation.conversationID
                            AND log.authorID = ? AND log.headSequence > 0)
                    """, arguments: [ConversationKind.direct.rawValue, userID.data, userID.data]
            ).map { try rows.identifier($0, "userID") }
        }
    }

    /// What this node's user says of themselves, encoded; `nil` if nothing.
    package func ownProfile() throws(StoreError) -> [UInt8]? {
        try read { try Data.fetchOne($0, sql: "SELECT body FROM ownProfile").map { Array($0) } }
    }

    package func setOwnProfile(_ body: [UInt8]) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "INSERT INTO ownProfile VALUES (1, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
                arguments: [Data(body)])
        }
    }
}
