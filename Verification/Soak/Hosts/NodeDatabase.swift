import EarshotModel
import EarshotProtocol
import Foundation
import GRDB

/// Reads a node's database without the right to write, whether the node lives or not: rows in the order of their
/// arrival, each once, as a reader does that keeps its cursor.
///
/// It knows the tables of `EarshotStore/Migrations`, and that the table of users has everybody except this node's own
/// user. So it judges the disk, and not what the node says about it.
struct NodeDatabase<Message: LaneMessage> {
    /// The findings of a look.
    struct Look {
        /// The messages that arrived since the look before, in the order of their arrival. `nil`: not of a soak.
        var messages: [Message?] = []
        /// How far messages of this node's user are delivered to each recipient, by the node's own word.
        var delivered: [LogID: [UserID: UInt64]] = [:]
        /// Places that are missing in a log.
        var holes = 0
    }

    let path: String
    /// Whether the next look takes rows in the order of their timestamps: what was put back came in another order.
    private var isRestored: Bool
    private var cursor: Int64 = 0
    /// How far the disk holds each log, as far as rows were seen one after another.
    private(set) var heads: [LogID: UInt64] = [:]

    init(path: String, isRestored: Bool = false) {
        self.path = path
        self.isRestored = isRestored
    }

    /// Reads what is new. It closes the file again, so that a node that starts finds it as the last one left it.
    mutating func look() throws -> Look {
        // A node that was killed may not have made it yet.
        guard FileManager.default.fileExists(atPath: path) else { return Look() }
        let database = try DatabaseFile.open(path)
        let (cursor, heads, order) = (cursor, heads, isRestored ? "timestamp" : "cursor")
        let result = try database.read { db in try Self.look(db, after: cursor, order: order, heads: heads) }
        try database.close()
        (self.cursor, self.heads, isRestored) = (result.cursor, result.heads, false)
        return result.look
    }

    /// All messages that a database holds.
    static func messages(in path: String) throws -> [Message] {
        var database = NodeDatabase(path: path, isRestored: true)
        return try database.look().messages.compactMap { $0 }
    }

    private static func look(
        _ db: Database, after start: Int64, order: String, heads: [LogID: UInt64]
    ) throws -> (look: Look, cursor: Int64, heads: [LogID: UInt64]) {
        // A node that was killed may not have made all of it yet.
        guard try db.tableExists("log"), try db.columns(in: "log").contains(where: { $0.name == "isLimbo" })
        else { return (Look(), start, heads) }
        var (look, cursor, heads) = (Look(), start, heads)
        var logs: [Int64: LogID] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT number, logID, baseSequence FROM log WHERE NOT isLimbo") {
            guard let logID = LogID(bytes: row["logID"] as Data) else { continue }
            logs[row["number"]] = logID
            // A branch begins behind the entries that it shares.
            if let base = row["baseSequence"] as Int64?, heads[logID] == nil { heads[logID] = UInt64(base) }
        }
        // What is in limbo arrives when it is written anew.
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT cursor, log, sequence, entry.kind AS kind, body FROM entry JOIN log ON log.number = entry.log
                WHERE cursor > ? AND NOT isLimbo ORDER BY \(order)
                """, arguments: [start])
        while let row = try rows.next() {
            cursor = max(cursor, row["cursor"])
            guard let logID = logs[row["log"]] else { throw SoakError("an entry of \(db) is of no log") }
            let sequence = UInt64(row["sequence"] as Int64)
            if sequence != heads[logID, default: 0] + 1 { look.holes += 1 } else { heads[logID] = sequence }
            // Erased messages, those that are taken back soon, and those beside the lanes are counted elsewhere.
            guard (row["kind"] as Int) <= EntryKind.text.rawValue, let body = row["body"] as Data?,
                let text = try text(of: body), !Withdrawn.isText(text), !Aside.isText(text)
            else { continue }
            look.messages.append(Message(text))
        }
        let deliveries = try Row.fetchAll(
            db,
            sql: """
                SELECT log, recipientID, delivered FROM delivery JOIN log ON log.number = delivery.log
                WHERE log.authorID NOT IN (SELECT userID FROM user) AND recipientID <> log.authorID
                """)
        for row in deliveries {
            guard let logID = logs[row["log"]], let userID = UserID(bytes: row["recipientID"] as Data) else { continue }
            look.delivered[logID, default: [:]][userID] = UInt64(row["delivered"] as Int64)
        }
        return (look, cursor, heads)
    }

    private static func text(of body: Data) throws -> String? {
        guard case .text(let message) = try EntryBody(decoding: Array(body)).content else { return nil }
        return message.text
    }
}

/// What is done with the file of a database from outside.
enum DatabaseFile {
    static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// How many entries a database holds.
    static func entries(in path: String) throws -> Int {
        let database = try open(path)
        let count = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") }
        try database.close()
        return count ?? 0
    }

    /// Copies a database that a node may be using, as `sqlite3`'s `.backup` does.
    static func copy(_ path: String, to copy: String) throws {
        let source = try open(path)
        let target = try DatabaseQueue(path: copy)
        try source.backup(to: target)
        try target.close()
        try source.close()
    }

    /// Replaces the database of a node that does not run by a copy.
    static func restore(_ copy: String, to path: String) throws {
        for file in [path, path + "-wal", path + "-shm"] where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
        try FileManager.default.copyItem(atPath: copy, toPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
