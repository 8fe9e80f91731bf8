package import EarshotModel
import Foundation
import GRDB

extension Store {
    /// What a node starts from: everything except the entries.
    package func snapshot() throws(StoreError) -> Snapshot {
        let rows = Rows(path: path)
        return try read { try Snapshot($0, rows) }
    }
}

extension Snapshot {
    init(_ db: Database, _ rows: Rows) throws {
        self.init()
        users = try Row.decodeAll(db, sql: "SELECT * FROM user", rows.user)
        devices = try Row.decodeAll(db, sql: "SELECT * FROM device", rows.device)
        ownDevices = try rows.ownDevices(db)
        revocations = try rows.revocations(db)
        logs = try rows.logs(db, "SELECT * FROM log").map(\.record)
        deliveries = try Row.decodeAll(db, sql: Rows.deliveries, rows.delivery)
        hidden = try Row.decodeAll(
            db,
            sql: "SELECT log.logID, entry.sequence FROM entry JOIN log ON log.number = entry.log WHERE entry.kind > 1",
            rows.messageID)
        unknown = try Row.decodeAll(
            db,
            sql: """
                SELECT log.logID, entry.sequence FROM entry INDEXED BY unshownEntry JOIN log ON log.number = entry.log
                WHERE (entry.kind <> 1 OR entry.isDeleted) AND entry.kind = 0
                """,
            rows.messageID)
        silent = try Row.decodeAll(
            db,
            sql: """
                SELECT log.logID, entry.sequence FROM entry INDEXED BY hiddenEntry JOIN log ON log.number = entry.log
                WHERE entry.kind > 1 AND entry.kind IN (?, ?) ORDER BY entry.log, entry.sequence
                """,
            arguments: [EntryKind.cutOff.rawValue, EntryKind.disregarded.rawValue], rows.messageID)
        silentEntries = try rows.silentEntries(db)
        failures = try Row.decodeAll(
            db,
            sql: """
                SELECT log.logID, failure.* FROM failure JOIN log ON log.number = failure.log
                WHERE failure.isWithheld OR failure.reason = '\(FailureReason.removed.rawValue)'
                    OR NOT EXISTS (SELECT 1 FROM delivery
                        WHERE delivery.log = failure.log AND delivery.recipientID = failure.recipientID
                            AND failure.sequence <= delivery.delivered)
                """,
            rows.failure)
        consumers = try rows.consumers(db)
        scheduled = try rows.scheduled(db)
        drafts = try rows.drafts(db)
        discardedDrafts = try rows.discardedDrafts(db)
        sharedKeysEnd = try Int64.fetchOne(db, sql: "SELECT time FROM sharedKeysEnd") ?? 0
        conversations = try rows.openConversations(db)
        privateConversations = try rows.privateConversations(db)
        membershipEntries = try rows.membershipEntries(db)
        joinEntries = try rows.joinEntries(db)
        sharedEntries = try rows.sharedEntries(db)
        receipts = try Row.decodeAll(
            db,
            sql: """
                SELECT log.logID, carriedReceipt.* FROM carriedReceipt JOIN log ON log.number = carriedReceipt.log
                """,
            rows.carriedReceipt)
        let lacking = try Row.decodeAll(
            db,
            sql: """
                SELECT log.logID, entry.sequence FROM entry JOIN log ON log.number = entry.log
                WHERE entry.body IS NULL AND entry.mark IS NULL AND NOT entry.isDeleted
                """,
            rows.messageID)
        for messageID in lacking { missing[messageID.log, default: SequenceSet()].insert(messageID.sequence) }
        let marked = try Row.decodeAll(
            db,
            sql: """
                SELECT log.logID, entry.sequence FROM entry JOIN log ON log.number = entry.log
                WHERE entry.body IS NULL AND entry.mark IS NOT NULL AND NOT entry.isDeleted
                """,
            rows.messageID)
        for messageID in marked { withheld[messageID.log, default: SequenceSet()].insert(messageID.sequence) }
    }
}

/// Turns rows into the model's values. The schema forbids rows that do not fit, so such a row means a damaged file.
struct Rows: Sendable {
    let path: String

    func user(_ row: Row) throws -> UserRecord {
        guard let name = try? UserName(row["name"] as String), let trust = Trust(rawValue: row["trust"]) else {
            throw StoreError.damaged("a user's name or trust", path: path)
        }
        let claimedName = try (row["claimedName"] as String?).map { text in
            guard let name = try? UserName(text) else { throw StoreError.damaged("a user's claimed name", path: path) }
            return name
        }
        return UserRecord(
            userID: try identifier(row, "userID"), name: name, trust: trust, isPinned: row["isPinned"],
            claimedName: claimedName, firstSeen: row["firstSeen"], lastSeen: row["lastSeen"])
    }

    func device(_ row: Row) throws -> DeviceRecord {
        let addresses = (row["addresses"] as String).split(separator: " ").compactMap { PeerAddress(String($0)) }
        return DeviceRecord(
            deviceID: try identifier(row, "deviceID"), userID: try identifier(row, "userID"),
            credential: Array(row["credential"] as Data), addresses: addresses)
    }

    /// Logs with their conversations, and the numbers that stand for them in other tables.
    /// - Parameter sql: selects rows of the table of logs.
    func logs(
        _ db: Database, _ sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [(number: Int64, record: LogRecord)] {
        var conversations: [ConversationID: ConversationRecord] = [:]
        return try Row.decodeAll(db, sql: sql, arguments: arguments) { row in
            let conversationID: ConversationID = try identifier(row, "conversationID")
            let conversation = try conversations[conversationID] ?? conversation(conversationID, db)
            conversations[conversationID] = conversation
            return (row["number"], try log(row, in: conversation))
        }
    }

    private func conversation(_ conversationID: ConversationID, _ db: Database) throws -> ConversationRecord {
        let participants = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT kind, uniqueName, userID FROM conversation
                    LEFT JOIN participant ON participant.conversationID = conversation.conversationID
                        AND participant.status = 'joined'
                    WHERE conversation.conversationID = ?
                    """), arguments: [conversationID.data])
        guard let row = participants.first, let kind = ConversationKind(rawValue: row["kind"]) else {
            throw StoreError.damaged("a log's conversation", path: path)
        }
        return ConversationRecord(
            conversationID: conversationID, kind: kind,
            participantIDs: try participants.filter { $0["userID"] != nil }.map { try identifier($0, "userID") },
            uniqueName: row["uniqueName"])
    }

    private func log(_ row: Row, in conversation: ConversationRecord) throws -> LogRecord {
        guard let kind = LogKind(rawValue: row["kind"]) else {
            throw StoreError.damaged("the kind of a log", path: path)
        }
        let logID: LogID = try identifier(row, "logID")
        let description = LogDescription(
            logID: row["wireID"] == nil ? logID : try identifier(row, "wireID"),
            conversationID: conversation.conversationID, deviceID: try identifier(row, "deviceID"),
            epoch: UInt64(bitPattern: row["epoch"]), kind: kind)
        var base: LogHead?
        if row["baseSequence"] != nil {
            base = LogHead(
                sequence: try number(row, "baseSequence"), chain: try identifier(row, "baseChain"),
                timestamp: HybridTimestamp(rawValue: try number(row, "baseTimestamp")))
        }
        let head = LogHead(
            sequence: try number(row, "headSequence"), chain: try identifier(row, "headChain"),
            timestamp: HybridTimestamp(rawValue: try number(row, "headTimestamp")))
        return LogRecord(
            logID: logID, description: description, base: base, isLimbo: row["isLimbo"],
            authorID: try identifier(row, "authorID"), conversation: conversation, head: head,
            nextExpiry: row["nextExpiry"], bytes: row["bytes"])
    }

    /// Rows for `delivery`.
    static let deliveries =
        "SELECT log.logID, log.wireID, delivery.* FROM delivery JOIN log ON log.number = delivery.log"

    func delivery(_ row: Row) throws -> DeliveryRecord {
        let logID: LogID = try identifier(row, "logID")
        var progress = DeliveryProgress()
        progress.offered = try number(row, "offered")
        progress.sent = try number(row, "sent")
        progress.delivered = try number(row, "delivered")
        progress.read = try number(row, "read")
        progress.handled = try number(row, "handled")
        guard let missing = SequenceSet(text: row["missing"]) else {
            throw StoreError.damaged("what of a log is missing", path: path)
        }
        progress.missing = missing
        if let bytes = row["receiptSignature"] as Data? {
            guard let signature = Signature(bytes), let missing = SequenceSet(text: row["receiptMissing"]) else {
                throw StoreError.damaged("a receipt", path: path)
            }
            // A receipt for a branch names the log.
            progress.receipt = Receipt(
                logID: row["wireID"] == nil ? logID : try identifier(row, "wireID"),
                sequence: try number(row, "receiptSequence"),
                chain: try identifier(row, "receiptChain"), readSequence: try number(row, "receiptReadSequence"),
                handledSequence: try number(row, "receiptHandledSequence"),
                missing: missing,
                deviceID: try identifier(row, "receiptDeviceID"), signature: signature)
        }
        return DeliveryRecord(logID: logID, recipientID: try identifier(row, "recipientID"), progress: progress)
    }

    /// - Parameter row: has the columns `logID` and `sequence`.
    func messageID(_ row: Row) throws -> MessageID {
        MessageID(log: try identifier(row, "logID"), sequence: try number(row, "sequence"))
    }

    func failure(_ row: Row) throws -> DeliveryFailure {
        guard let reason = FailureReason(rawValue: row["reason"]) else {
            throw StoreError.damaged("the reason of a failure", path: path)
        }
        return DeliveryFailure(
            messageID: try messageID(row), recipientID: try identifier(row, "recipientID"), reason: reason,
            isWithheld: row["isWithheld"])
    }

    /// The columns that a row of an entry begins with. They are taken by their places: to find each by its name takes longer
    /// than SQLite needs for the row.
    static let entryColumns = """
        entry.sequence, entry.timestamp, entry.expiry, entry.kind, entry.chain, entry.checkpoint, entry.hash, entry.body,
        entry.isDeleted, entry.mark
        """
    /// How many these are.
    static let entryColumnCount = 10

    /// - Parameter row: begins with `entryColumns`.
    func entry(_ row: Row) throws -> EntryRecord {
        func number(_ column: Int, _ name: String) throws -> UInt64 {
            guard let value = row[column] as Int64?, value >= 0 else {
                throw StoreError.damaged("the column \(name) is negative", path: path)
            }
            return UInt64(value)
        }
        func bytes(_ column: Int, _ name: String) throws -> Bytes32 {
            let bytes = try row.withUnsafeData(atIndex: column) { $0.flatMap { Bytes32($0) } }
            guard let bytes else {
                throw StoreError.damaged("the column \(name) does not hold an identifier", path: path)
            }
            return bytes
        }
        func signature(_ column: Int) throws -> Signature? {
            try row.withUnsafeData(atIndex: column) { $0.flatMap { Signature($0) } }
        }
        let body = try row.withUnsafeData(atIndex: 7) { $0.map { Array($0) } }
        guard let kind = EntryKind(rawValue: row[3]) else {
            throw StoreError.damaged("the kind of an entry", path: path)
        }
        var entry = EntryRecord(
            sequence: try number(0, "sequence"), timestamp: HybridTimestamp(rawValue: try number(1, "timestamp")),
            expiry: row[2], kind: kind,
            content: try body.map { .body($0) } ?? .withheld(EntryHash(try bytes(6, "hash"))),
            chain: ChainHash(try bytes(4, "chain")), checkpoint: try signature(5), isDeleted: row[8])
        entry.mark = try signature(9)
        return entry
    }

    func identifier<T: Identifier>(_ row: Row, _ column: String) throws -> T {
        guard let data = row[column] as Data?, let value = T(bytes: data) else {
            throw StoreError.damaged("the column \(column) does not hold an identifier", path: path)
        }
        return value
    }

    func number(_ row: Row, _ column: String) throws -> UInt64 {
        guard let value = row[column] as Int64?, value >= 0 else {
            throw StoreError.damaged("the column \(column) is negative", path: path)
        }
        return UInt64(value)
    }
}
