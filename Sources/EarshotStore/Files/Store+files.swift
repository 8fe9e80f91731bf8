package import EarshotModel
import GRDB

/// Files that messages bring along. Only messages whose contents are here count.
///
/// The joins begin at the attachments (`CROSS JOIN` keeps the order): few messages have one, and a history is long.
extension Store {
    static let attached = """
        SELECT attachment.*, log.conversationID, log.authorID, log.logID, entry.cursor
        FROM attachment
            CROSS JOIN log ON log.number = attachment.log
            CROSS JOIN entry ON entry.log = attachment.log AND entry.sequence = attachment.sequence
        WHERE entry.body IS NOT NULL AND entry.kind = \(EntryKind.text.rawValue)
        """

    /// The messages that bring a file along.
    package func messages(with fileID: FileID) throws(StoreError) -> [AttachedFile] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(sql: "\(Self.attached) AND attachment.fileID = ?"), arguments: [fileID.data]
            ).map(rows.attachedFile)
        }
    }

    /// Whether a message of a conversation brings a file along.
    package func isAttached(_ fileID: FileID, in conversationID: ConversationID) throws(StoreError) -> Bool {
        try read { db in
            try Bool.fetchOne(
                db.cachedStatement(
                    sql: "SELECT EXISTS (\(Self.attached) AND attachment.fileID = ? AND log.conversationID = ?)"),
                arguments: [fileID.data, conversationID.data]) ?? false
        }
    }

    static let unfetched = """
        SELECT attachment.*, log.conversationID, log.authorID, log.logID, entry.cursor, file.state IS NOT NULL AS isWanted
        FROM attachment
            CROSS JOIN log ON log.number = attachment.log
            CROSS JOIN entry ON entry.log = attachment.log AND entry.sequence = attachment.sequence
            LEFT JOIN file ON file.fileID = attachment.fileID
        WHERE entry.body IS NOT NULL AND entry.kind = \(EntryKind.text.rawValue)
            AND (file.state = \(FileStateNumber.wanted.rawValue) OR file.state IS NULL
                AND (attachment.byteCount <= ? OR log.authorID = ?))
            AND (entry.cursor, attachment.place) > (?, ?)
        ORDER BY entry.cursor, attachment.place LIMIT ?
        """

    /// Files that the user wants, and those of which nothing was decided, in the order in which their messages came.
    /// - Parameters:
    ///   - largest: how large the files are of which nothing was decided, in bytes, unless they are the user's own.
    ///   - after: those that come after this one; `nil` for the first.
    package func filesToFetch(
        unaskedUpTo largest: UInt64, by userID: UserID, after place: FilePlace?, limit: Int
    ) throws(StoreError) -> [(file: AttachedFile, isWanted: Bool, place: FilePlace)] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db.cachedStatement(sql: Self.unfetched),
                arguments: [
                    Int64(clamping: largest), userID.data, place?.cursor ?? -1, place?.place ?? -1, limit,
                ]
            ).map { (try rows.attachedFile($0), $0["isWanted"], FilePlace(cursor: $0["cursor"], place: $0["place"])) }
        }
    }

    /// The files that messages bring along, the last ones first, and what was decided about them.
    package func attachedFiles(limit: Int) throws(StoreError) -> [(file: AttachedFile, record: FileRecord?)] {
        let rows = Rows(path: path)
        return try read { db in
            let files = try Row.fetchAll(
                db.cachedStatement(sql: "\(Self.attached) ORDER BY entry.cursor DESC, attachment.place LIMIT ?"),
                arguments: [limit]
            ).map(rows.attachedFile)
            let statement = try db.cachedStatement(sql: "SELECT * FROM file WHERE fileID = ?")
            return try files.map { file in
                (file, try Row.fetchOne(statement, arguments: [file.fileID.data]).map(rows.file))
            }
        }
    }

    /// How many contents are here, and how many bytes they have.
    package func heldFileBytes() throws(StoreError) -> (count: Int, bytes: UInt64) {
        try read { db in
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT count(*), total(byteCount) FROM file WHERE state = ?"),
                arguments: [FileStateNumber.held.rawValue])
            return (row?[0] ?? 0, UInt64(row?[1] as Double? ?? 0))
        }
    }

    /// How many bytes were uploaded with a limited token and are in no message yet.
    package func unsentBytes(uploadedWith token: String) throws(StoreError) -> UInt64 {
        try read { db in
            let bytes = try Double.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT total(byteCount) FROM file
                        WHERE token = ? AND state = ? AND NOT EXISTS (
                            SELECT 1 FROM attachment WHERE attachment.fileID = file.fileID)
                        """),
                arguments: [token, FileStateNumber.held.rawValue])
            return UInt64(bytes ?? 0)
        }
    }

    package func file(_ fileID: FileID) throws(StoreError) -> FileRecord? {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM file WHERE fileID = ?"), arguments: [fileID.data]
            ).map(rows.file)
        }
    }

    /// Notes what became of a file.
    package func note(_ record: FileRecord) throws(StoreError) {
        let (state, reason) = FileStateNumber.columns(of: record.state)
        try write { db in
            if state == .declined { try Self.dropCopies(of: record.fileID, db) }
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO file (fileID, byteCount, state, reason, changedAt, token)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    record.fileID.data, Int64(clamping: record.byteCount), state.rawValue, reason, record.changedAt,
                    record.token,
                ])
        }
    }

    /// Files that are noted as held.
    package func heldFiles() throws(StoreError) -> [FileID] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db, sql: "SELECT fileID FROM file WHERE state = ?", arguments: [FileStateNumber.held.rawValue]
            ).map { try rows.identifier($0, "fileID") }
        }
    }

    /// Files of which something is noted, and that no message brings along which is here.
    /// - Parameter before: those noted since are left out, in milliseconds since 1970: their messages are still to be sent.
    package func unnamedFiles(before: Int64) throws(StoreError) -> [FileID] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT fileID FROM file
                    WHERE changedAt < ? AND NOT EXISTS (
                        SELECT 1 FROM attachment
                            JOIN entry ON entry.log = attachment.log AND entry.sequence = attachment.sequence
                        WHERE attachment.fileID = file.fileID AND entry.body IS NOT NULL)
                    """, arguments: [before]
            ).map { try rows.identifier($0, "fileID") }
        }
    }

    /// Forgets what became of a file.
    package func forget(_ fileID: FileID) throws(StoreError) {
        try write { db in
            try Self.dropCopies(of: fileID, db)
            try db.execute(sql: "DELETE FROM file WHERE fileID = ?", arguments: [fileID.data])
        }
    }

    /// Nobody is owed copies of what the user does not want, or no message brings along any more.
    private static func dropCopies(of fileID: FileID, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM owedCopy WHERE fileID = ?", arguments: [fileID.data])
    }
}

/// What is done with files.
extension Store {
    package func fileRules() throws(StoreError) -> FileRulesInForce {
        let rows = Rows(path: path)
        return try read { db in
            let rules = try Self.rules(db, rows)
            let quota = try Int64.fetchOne(db.cachedStatement(sql: "SELECT byteCount FROM fileQuota"))
            return FileRulesInForce(
                FileRules(rules.map(\.rule), quotaBytes: quota.map { UInt64($0) }), starts: rules.map(\.start))
        }
    }

    private static func rules(_ db: Database, _ rows: Rows) throws -> [(rule: FileRule, start: Int64)] {
        try Row.fetchAll(db.cachedStatement(sql: "SELECT * FROM fileRule ORDER BY place"))
            .map { (try rows.fileRule($0), $0["start"]) }
    }

    /// These rules take the place of all that there are. A folder that none of them names is owed nothing.
    /// - Parameter areForWaiting: whether those that are new are also for the files of messages that came before.
    package func note(_ rules: FileRules, areForWaiting: Bool = false) throws(StoreError) {
        let rows = Rows(path: path)
        try write { db in
            var old = try Self.rules(db, rows)
            let next = try Int64.fetchOne(db, sql: "SELECT ifnull(max(cursor), 0) + 1 FROM entry") ?? 0
            try db.execute(sql: "DELETE FROM fileRule; DELETE FROM fileQuota")
            for (place, rule) in rules.rules.enumerated() {
                let (decision, folder) = FileDecisionNumber.columns(of: rule.decision)
                var start: Int64 = areForWaiting ? 0 : next
                if let index = old.firstIndex(where: { $0.rule == rule }) { start = old.remove(at: index).start }
                try db.execute(
                    sql: """
                        INSERT INTO fileRule (place, sender, mediaType, largest, decision, folder, start)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        place, rule.sender?.data, rule.mediaType, rule.largest.map { Int64(clamping: $0) },
                        decision.rawValue, folder, start,
                    ])
            }
            try db.execute(
                sql: "DELETE FROM owedCopy WHERE folder NOT IN (SELECT folder FROM fileRule WHERE folder IS NOT NULL)")
            guard let quota = rules.quotaBytes else { return }
            try db.execute(sql: "INSERT INTO fileQuota (byteCount) VALUES (?)", arguments: [Int64(clamping: quota)])
        }
    }
}

/// Where a file stands in the order in which messages came.
package struct FilePlace: Hashable, Sendable {
    fileprivate let cursor: Int64
    fileprivate let place: Int64
}

/// The numbers of the decisions in the table.
private enum FileDecisionNumber: Int {
    case fetch = 1
    case ask = 2
    case refuse = 3

    static func columns(of decision: FileRule.Decision) -> (FileDecisionNumber, folder: String?) {
        switch decision {
        case .fetch(let folder): (.fetch, folder)
        case .ask: (.ask, nil)
        case .refuse: (.refuse, nil)
        }
    }
}

/// The numbers of the states in the table.
enum FileStateNumber: Int {
    case held = 1
    case wanted = 2
    case declined = 3
    case failed = 4

    static func columns(of state: FileRecord.State) -> (FileStateNumber, reason: String?) {
        switch state {
        case .held: (.held, nil)
        case .wanted: (.wanted, nil)
        case .declined: (.declined, nil)
        case .failed(let reason): (.failed, reason)
        }
    }
}

extension Rows {
    func attachment(_ row: Row) throws -> Attachment {
        let fileID: FileID = try identifier(row, "fileID")
        do throws(EarshotError) {
            return try Attachment(
                fileID: fileID, name: row["name"], mediaType: row["mediaType"],
                byteCount: UInt64(row["byteCount"] as Int64))
        } catch { throw StoreError.damaged("a message brings along what none can: \(error)", path: path) }
    }

    fileprivate func attachedFile(_ row: Row) throws -> AttachedFile {
        AttachedFile(
            try attachment(row), in: try identifier(row, "conversationID"), by: try identifier(row, "authorID"),
            MessageID(log: try identifier(row, "logID"), sequence: UInt64(row["sequence"] as Int64)),
            arrival: row["cursor"])
    }

    fileprivate func fileRule(_ row: Row) throws -> FileRule {
        let decision: FileRule.Decision =
            switch FileDecisionNumber(rawValue: row["decision"]) {
            case .fetch: .fetch(folder: row["folder"])
            case .ask: .ask
            case .refuse: .refuse
            case nil: throw StoreError.damaged("a rule for files has no known decision", path: path)
            }
        let largest: Int64? = row["largest"]
        return FileRule(
            decision, sender: row["sender"] == nil ? nil : try identifier(row, "sender"), mediaType: row["mediaType"],
            largest: largest.map { UInt64($0) })
    }

    fileprivate func file(_ row: Row) throws -> FileRecord {
        let state: FileRecord.State =
            switch FileStateNumber(rawValue: row["state"]) {
            case .held: .held
            case .wanted: .wanted
            case .declined: .declined
            case .failed: .failed(reason: row["reason"] ?? "")
            case nil: throw StoreError.damaged("a file has no known state", path: path)
            }
        return FileRecord(
            try identifier(row, "fileID"), byteCount: UInt64(row["byteCount"] as Int64), state,
            changedAt: row["changedAt"], token: row["token"])
    }
}
