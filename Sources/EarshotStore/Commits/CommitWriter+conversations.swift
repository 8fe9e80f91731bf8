import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    func write(_ conversation: OpenConversationRecord) throws {
        let id = conversation.conversationID.data
        try db.cachedStatement(
            sql: """
                INSERT INTO conversation (conversationID, kind, uniqueName, isJoined, isAdvertised) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (conversationID) DO UPDATE SET isJoined = excluded.isJoined,
                    isAdvertised = excluded.isAdvertised
                """
        ).execute(arguments: [
            id, ConversationKind.open.rawValue, conversation.uniqueName, conversation.isJoined,
            conversation.isAdvertised,
        ])
        for participant in conversation.participants.values {
            try db.cachedStatement(
                sql: """
                    INSERT INTO participant (conversationID, userID, status, since) VALUES (?, ?, ?, ?)
                    ON CONFLICT (conversationID, userID) DO UPDATE SET status = excluded.status, since = excluded.since
                    """
            ).execute(arguments: [
                id, participant.userID.data, participant.status.rawValue, Int64(participant.since.rawValue),
            ])
        }
    }

    func write(_ receipt: Receipt) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO carriedReceipt (log, deviceID, sequence, chain, readSequence, signature)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (log, deviceID) DO UPDATE SET sequence = excluded.sequence, chain = excluded.chain,
                    readSequence = excluded.readSequence, signature = excluded.signature
                """
        ).execute(arguments: [
            try number(of: receipt.logID), receipt.deviceID.data, Int64(receipt.sequence), receipt.chain.data,
            Int64(receipt.readSequence), Data(receipt.signature.bytes),
        ])
    }
}

extension Rows {
    /// Conversations of many, with all of their participants.
    func openConversations(_ db: Database) throws -> [OpenConversationRecord] {
        var conversations: [OpenConversationRecord] = []
        for row in try Row.fetchAll(
            db, sql: "SELECT * FROM conversation WHERE kind = ? ORDER BY conversationID",
            arguments: [ConversationKind.open.rawValue])
        {
            let conversationID: ConversationID = try identifier(row, "conversationID")
            var conversation = OpenConversationRecord(
                conversationID: conversationID, uniqueName: row["uniqueName"], isJoined: row["isJoined"],
                isAdvertised: row["isAdvertised"])
            for participant in try Row.fetchAll(
                db.cachedStatement(sql: "SELECT * FROM participant WHERE conversationID = ?"),
                arguments: [conversationID.data])
            {
                let userID: UserID = try identifier(participant, "userID")
                guard let status = Participant.Status(rawValue: participant["status"]) else {
                    throw StoreError.damaged("the status of a participant", path: path)
                }
                conversation.participants[userID] = Participant(
                    userID: userID, role: .participant, status: status,
                    since: HybridTimestamp(rawValue: try number(participant, "since")))
            }
            conversations.append(conversation)
        }
        return conversations
    }

    func carriedReceipt(_ row: Row) throws -> Receipt {
        guard let signature = Signature(row["signature"] as Data) else {
            throw StoreError.damaged("a receipt", path: path)
        }
        return Receipt(
            logID: try identifier(row, "logID"), sequence: try number(row, "sequence"),
            chain: try identifier(row, "chain"), readSequence: try number(row, "readSequence"),
            deviceID: try identifier(row, "deviceID"), signature: signature)
    }
}
