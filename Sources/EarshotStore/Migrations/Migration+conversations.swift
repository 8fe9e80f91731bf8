import EarshotModel
import Foundation
import GRDB

extension Migration {
    /// A conversation has participants, instead of a peer for each log. An entry has a kind, and no other entry ever
    /// gets its cursor. A message fails for one recipient, and each receipt belongs to one device.
    static let conversations = Migration("4: conversations, kinds of entries, receipts of each device") { db in
        db.add(function: kindOfBody)
        defer { db.remove(function: kindOfBody) }
        try db.execute(sql: conversationTables)
        try db.execute(sql: entries)
        try db.execute(sql: deliveries)
    }

    /// This node's own user is the author of logs for others, and has receipts for others' logs. A log whose peer is
    /// its author was written by that peer.
    private static let conversationTables = """
        CREATE TABLE conversation (
            conversationID BLOB PRIMARY KEY CHECK (length(conversationID) = 32),
            kind TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE participant (
            conversationID BLOB NOT NULL REFERENCES conversation (conversationID),
            userID BLOB NOT NULL CHECK (length(userID) = 32),
            PRIMARY KEY (conversationID, userID)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO conversation SELECT DISTINCT conversationID, 'direct' FROM log;
        INSERT OR IGNORE INTO participant SELECT conversationID, peerID FROM log;
        INSERT OR IGNORE INTO participant SELECT conversationID, authorID FROM log;
        INSERT OR IGNORE INTO participant
            SELECT conversationID, recipientID FROM log JOIN delivery ON delivery.log = log.number
            WHERE log.authorID = log.peerID;
        INSERT OR IGNORE INTO participant
            SELECT log.conversationID, own.authorID FROM log, (
                SELECT authorID FROM log WHERE authorID <> peerID LIMIT 1) AS own;
        """

    /// The `EntryKind` of a body. Deleted contents were texts, because nothing else was ever shown.
    private static let entries = """
        CREATE TABLE numberedEntry (
            cursor INTEGER PRIMARY KEY AUTOINCREMENT,
            log INTEGER NOT NULL,
            sequence INTEGER NOT NULL CHECK (sequence > 0),
            timestamp INTEGER NOT NULL,
            expiry INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            chain BLOB NOT NULL,
            checkpoint BLOB,
            hash BLOB,
            body BLOB,
            isDeleted INTEGER NOT NULL CHECK (isDeleted IN (0, 1)),
            CHECK ((hash IS NULL) <> (body IS NULL))
        ) STRICT;
        INSERT INTO numberedEntry (cursor, log, sequence, timestamp, expiry, kind, chain, checkpoint, hash, body, isDeleted)
            SELECT cursor, log, sequence, timestamp, expiry, iif(isDeleted, 1, kindOfBody(body)), chain, checkpoint,
                hash, body, isDeleted
            FROM entry ORDER BY cursor;
        DROP TABLE entry;
        ALTER TABLE numberedEntry RENAME TO entry;
        CREATE UNIQUE INDEX entryOfLog ON entry (log, sequence);
        """

    /// A row of `delivery` includes the receipt that it rests on, so a commit writes one row. When another of the
    /// recipient's devices takes over, the earlier device's receipt moves to `receipt`.
    private static let deliveries = """
        ALTER TABLE delivery ADD COLUMN receiptSequence INTEGER;
        ALTER TABLE delivery ADD COLUMN receiptReadSequence INTEGER;
        UPDATE delivery SET receiptSequence = delivered, receiptReadSequence = read WHERE receiptSignature IS NOT NULL;
        CREATE TABLE receipt (
            log INTEGER NOT NULL REFERENCES log (number),
            deviceID BLOB NOT NULL CHECK (length(deviceID) = 32),
            sequence INTEGER NOT NULL,
            chain BLOB NOT NULL,
            readSequence INTEGER NOT NULL CHECK (readSequence <= sequence),
            signature BLOB NOT NULL,
            PRIMARY KEY (log, deviceID)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER otherDevice AFTER UPDATE OF receiptDeviceID ON delivery
            WHEN old.receiptDeviceID <> new.receiptDeviceID
        BEGIN
            DELETE FROM receipt WHERE log = new.log AND deviceID IN (old.receiptDeviceID, new.receiptDeviceID);
            INSERT INTO receipt VALUES (old.log, old.receiptDeviceID, old.receiptSequence, old.receiptChain,
                old.receiptReadSequence, old.receiptSignature);
        END;
        CREATE TABLE addressedFailure (
            log INTEGER NOT NULL REFERENCES log (number),
            sequence INTEGER NOT NULL,
            recipientID BLOB NOT NULL CHECK (length(recipientID) = 32),
            reason TEXT NOT NULL,
            isWithheld INTEGER NOT NULL,
            PRIMARY KEY (log, sequence, recipientID)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO addressedFailure
            SELECT log, sequence, peerID, reason, isWithheld FROM failure JOIN log ON log.number = failure.log;
        DROP TABLE failure;
        ALTER TABLE addressedFailure RENAME TO failure;
        ALTER TABLE log DROP COLUMN peerID;
        """
}

/// The kind of a body that an earlier version stored: 1 for a text, 0 for one without a text.
///
/// A body is a protocol buffer that has passed the decoder, and a text is its field 3
/// (protobuf.dev/programming-guides/encoding).
private let kindOfBody = DatabaseFunction("kindOfBody", argumentCount: 1, pure: true) { values in
    guard let body = Data.fromDatabaseValue(values[0]) else { return 0 }
    return FieldReader(bytes: Array(body)).hasText() ? 1 : 0
}

/// Steps from field to field of a protocol buffer.
private struct FieldReader {
    private let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    func hasText() -> Bool {
        var reader = self
        while let key = reader.varint() {
            if key == 3 << 3 | 2 { return true }
            switch key & 7 {
            case 0: _ = reader.varint()
            case 1: reader.position += 8
            case 2: reader.position += reader.varint().flatMap { Int(exactly: min($0, UInt64(bytes.count))) } ?? 0
            case 5: reader.position += 4
            default: return false
            }
        }
        return false
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < bytes.count else { return nil }
            defer { position += 1 }
            value |= UInt64(bytes[position] & 0x7f) << shift
            if bytes[position] < 0x80 { return value }
        }
        return nil
    }
}
