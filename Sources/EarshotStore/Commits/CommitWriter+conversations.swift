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

    /// All receipts that are kept of each device and log that they name, one after the other.
    func write(_ receipts: [Receipt]) throws {
        var last: Receipt?
        for receipt in receipts {
            let log = try number(of: receipt.logID)
            if last?.logID != receipt.logID || last?.deviceID != receipt.deviceID {
                try db.cachedStatement(sql: "DELETE FROM carriedReceipt WHERE log = ? AND deviceID = ?")
                    .execute(arguments: [log, receipt.deviceID.data])
            }
            try write(receipt, log: log)
            last = receipt
        }
    }

    private func write(_ receipt: Receipt, log: Int64) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO carriedReceipt
                    (log, deviceID, sequence, chain, readSequence, handledSequence, missing, signature)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            log, receipt.deviceID.data, Int64(receipt.sequence), receipt.chain.data,
            Int64(receipt.readSequence), Int64(receipt.handledSequence), receipt.missing.text,
            Data(receipt.signature.bytes),
        ])
    }
}

extension CommitWriter {
    /// What follows from the entries of a private conversation, for whoever reads the tables.
    func write(_ conversation: PrivateConversationRecord) throws {
        let id = conversation.conversationID.data
        try db.cachedStatement(
            sql: """
                INSERT INTO conversation (conversationID, kind, uniqueName, isJoined, ownerID, friendlyName, attributes,
                    givesHistory, isClosed, decidingDeviceID)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (conversationID) DO UPDATE SET uniqueName = excluded.uniqueName,
                    isJoined = excluded.isJoined, ownerID = excluded.ownerID, friendlyName = excluded.friendlyName,
                    attributes = excluded.attributes, givesHistory = excluded.givesHistory,
                    isClosed = excluded.isClosed, decidingDeviceID = excluded.decidingDeviceID
                """
        ).execute(arguments: [
            id, ConversationKind.private.rawValue, conversation.uniqueName, conversation.isJoined,
            conversation.ownerID.data, conversation.friendlyName, conversation.attributes, conversation.givesHistory,
            conversation.isClosed, conversation.decidingDeviceID?.data,
        ])
        for participant in conversation.participants {
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
}

extension CommitWriter {
    /// Messages count after all. They keep their places in the order of arrival.
    func writeRegarded(_ runs: [LogEntries]) throws {
        for run in runs {
            for entry in run.entries {
                try db.cachedStatement(
                    sql: "UPDATE entry SET kind = ? WHERE log = ? AND sequence = ? AND kind IN (?, ?)"
                )
                .execute(arguments: [
                    entry.kind.rawValue, try number(of: run.logID), Int64(entry.sequence),
                    EntryKind.disregarded.rawValue, EntryKind.cutOff.rawValue,
                ])
            }
            try writeRelations(of: run)
            try writeAttachments(of: run)
        }
    }
}

extension Rows {
    /// The entries of private conversations that say who belongs to them, log by log.
    func membershipEntries(_ db: Database) throws -> [RecordedEntries] {
        let logs = try logs(
            db,
            """
            SELECT log.* FROM log JOIN conversation ON conversation.conversationID = log.conversationID
            WHERE conversation.kind = ? AND NOT log.isLimbo ORDER BY log.number
            """, arguments: [ConversationKind.private.rawValue])
        return try logs.compactMap { number, log in
            let entries = try Row.decodeAll(
                db.cachedStatement(
                    sql: """
                        SELECT \(Self.entryColumns) FROM entry WHERE log = ? AND kind BETWEEN ? AND ? ORDER BY sequence
                        """),
                // Of a control log also what has no body yet: nothing behind it is folded.
                arguments: log.description.kind == .control
                    ? [number, EntryKind.unknown.rawValue, EntryKind.disregarded.rawValue]
                    : [number, EntryKind.join.rawValue, EntryKind.begin.rawValue],
                entry)
            return entries.isEmpty ? nil : RecordedEntries(log: log, entries: entries)
        }
    }

    /// The first entry of each log of an open conversation that says that its author joins, log by log.
    func joinEntries(_ db: Database) throws -> [RecordedEntries] {
        try recorded(
            db,
            where: """
                entry.kind = ? AND log.conversationID IN (SELECT conversationID FROM conversation WHERE kind = ?)
                    AND entry.sequence = (SELECT min(sequence) FROM entry AS first WHERE first.log = entry.log AND first.kind = ?)
                """, [EntryKind.join.rawValue, ConversationKind.open.rawValue, EntryKind.join.rawValue])
    }

    /// What users' devices tell each other in entries, log by log.
    func sharedEntries(_ db: Database) throws -> [RecordedEntries] {
        try recorded(
            db, where: "entry.kind IN (?, ?, ?, ?)",
            [
                EntryKind.cut.rawValue, EntryKind.decision.rawValue, EntryKind.erasure.rawValue,
                EntryKind.shown.rawValue,
            ])
    }

    /// The last messages of each conversation that do not count, log by log.
    func silentEntries(_ db: Database) throws -> [RecordedEntries] {
        try recorded(
            db,
            where: """
                entry.cursor IN (SELECT cursor FROM (
                    SELECT silent.cursor,
                        row_number() OVER (PARTITION BY ofSilent.conversationID ORDER BY silent.cursor DESC) AS place
                    FROM entry AS silent INDEXED BY hiddenEntry JOIN log AS ofSilent ON ofSilent.number = silent.log
                    WHERE silent.kind > 1 AND silent.kind IN (?, ?) AND silent.body IS NOT NULL)
                    WHERE place <= ?)
                """, [EntryKind.cutOff.rawValue, EntryKind.disregarded.rawValue, Limits.silentEntries])
    }

    /// Entries that are no messages, log by log.
    private func recorded(
        _ db: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [RecordedEntries] {
        let found = try Row.decodeAll(
            db,
            sql: """
                SELECT \(Self.entryColumns), entry.log FROM entry INDEXED BY unshownEntry JOIN log ON log.number = entry.log
                WHERE (entry.kind <> 1 OR entry.isDeleted) AND \(condition) AND NOT log.isLimbo
                ORDER BY log.number, entry.sequence
                """, arguments: arguments
        ) { (log: $0[Self.entryColumnCount] as Int64, entry: try entry($0)) }
        guard !found.isEmpty else { return [] }
        let entries = Dictionary(grouping: found, by: \.log)
        return try logs(db, "SELECT * FROM log ORDER BY number").compactMap { number, log in
            entries[number].map { RecordedEntries(log: log, entries: $0.map(\.entry)) }
        }
    }

    /// Conversations of many, with all of their participants.
    func openConversations(_ db: Database) throws -> [OpenConversationRecord] {
        var conversations = try Row.decodeAll(
            db, sql: "SELECT * FROM conversation WHERE kind = ? ORDER BY conversationID",
            arguments: [ConversationKind.open.rawValue]
        ) { row in
            OpenConversationRecord(
                conversationID: try identifier(row, "conversationID"), uniqueName: row["uniqueName"],
                isJoined: row["isJoined"], isAdvertised: row["isAdvertised"])
        }
        for index in conversations.indices {
            for participant in try participants(db, in: conversations[index].conversationID, ownerID: nil) {
                conversations[index].participants[participant.userID] = participant
            }
        }
        return conversations
    }

    /// What programs were told of private conversations, with everybody who ever was in.
    func privateConversations(_ db: Database) throws -> [PrivateConversationRecord] {
        try Row.decodeAll(
            db, sql: "SELECT * FROM conversation WHERE kind = ? AND ownerID IS NOT NULL ORDER BY conversationID",
            arguments: [ConversationKind.private.rawValue]
        ) { row in
            let conversationID: ConversationID = try identifier(row, "conversationID")
            let ownerID: UserID = try identifier(row, "ownerID")
            return PrivateConversationRecord(
                conversationID: conversationID, uniqueName: row["uniqueName"], friendlyName: row["friendlyName"],
                attributes: row["attributes"], ownerID: ownerID,
                decidingDeviceID: row["decidingDeviceID"] == nil ? nil : try identifier(row, "decidingDeviceID"),
                isJoined: row["isJoined"],
                givesHistory: row["givesHistory"], isClosed: row["isClosed"],
                participants: try participants(db, in: conversationID, ownerID: ownerID))
        }
    }

    private func participants(
        _ db: Database, in conversationID: ConversationID, ownerID: UserID?
    ) throws -> [Participant] {
        try Row.decodeAll(
            db.cachedStatement(sql: "SELECT * FROM participant WHERE conversationID = ?"),
            arguments: [conversationID.data]
        ) { row in
            let userID: UserID = try identifier(row, "userID")
            guard let status = Participant.Status(rawValue: row["status"]) else {
                throw StoreError.damaged("the status of a participant", path: path)
            }
            return Participant(
                userID: userID, role: userID == ownerID ? .owner : .participant, status: status,
                since: HybridTimestamp(rawValue: try number(row, "since")))
        }
    }

    func carriedReceipt(_ row: Row) throws -> Receipt {
        guard let signature = Signature(row["signature"] as Data), let missing = SequenceSet(text: row["missing"])
        else {
            throw StoreError.damaged("a receipt", path: path)
        }
        return Receipt(
            logID: try identifier(row, "logID"), sequence: try number(row, "sequence"),
            chain: try identifier(row, "chain"), readSequence: try number(row, "readSequence"),
            handledSequence: try number(row, "handledSequence"), missing: missing,
            deviceID: try identifier(row, "deviceID"), signature: signature)
    }
}
