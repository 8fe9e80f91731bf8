package import EarshotModel
import Foundation
import GRDB

extension Store {
    /// All targets, by name.
    package func notificationTargets() throws(StoreError) -> [NotificationTargetRecord] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM notificationTarget ORDER BY name").map(rows.notificationTarget)
        }
    }

    /// - Returns: whether there was none of that name.
    package func add(_ record: NotificationTargetRecord) throws(StoreError) -> Bool {
        try write { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO notificationTarget (name, kind, address, signingKey, createdAt, cursor)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    record.name, record.target.kind.rawValue, try record.target.address(),
                    record.secret.map { Data($0) },
                    record.createdAt, record.progress.cursor,
                ])
            return db.changesCount == 1
        }
    }

    /// - Returns: whether it was there.
    package func removeNotificationTarget(_ name: String) throws(StoreError) -> Bool {
        try write { db in
            try db.execute(sql: "DELETE FROM notificationTarget WHERE name = ?", arguments: [name])
            return db.changesCount == 1
        }
    }

    /// Notes how far a target has come. One that is gone, or was made anew since, stays as it is.
    package func note(_ progress: NotificationProgress, of record: NotificationTargetRecord) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: """
                    UPDATE notificationTarget SET cursor = ?, deliveredAt = ?, lostCount = ?, failure = ?, failedAt = ?
                    WHERE name = ? AND createdAt = ?
                    """,
                arguments: [
                    progress.cursor, progress.deliveredAt, progress.lostCount, progress.failure?.reason,
                    progress.failure?.since, record.name, record.createdAt,
                ])
        }
    }

    /// Whether a user has written a log.
    package func isAuthor(_ userID: UserID, of logID: LogID) throws(StoreError) -> Bool {
        try read { db in
            try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT authorID = ? FROM log WHERE logID = ?"),
                arguments: [userID.data, logID.data]) ?? false
        }
    }

    /// The place that so many messages of others have arrived after; 0 if there are fewer.
    package func arrivalPlace(last count: Int, for readerID: UserID) throws(StoreError) -> Int64 {
        try read { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT entry.cursor FROM entry CROSS JOIN log ON log.number = entry.log
                    WHERE log.authorID <> ? AND entry.kind = \(EntryKind.text.rawValue)
                    ORDER BY entry.cursor DESC LIMIT 1 OFFSET ?
                    """, arguments: [readerID.data, count]) ?? 0
        }
    }

    /// What was said about conversations; of the others nothing was.
    package func notificationLevels() throws(StoreError) -> [ConversationID: NotificationLevel] {
        let rows = Rows(path: path)
        return try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM notificationLevel").reduce(into: [:]) { levels, row in
                // A level of a later version says nothing to this one.
                guard let level = NotificationLevel(rawValue: row["level"]) else { return }
                levels[try rows.identifier(row, "conversationID")] = level
            }
        }
    }

    package func set(_ level: NotificationLevel, of conversationID: ConversationID) throws(StoreError) {
        try write { db in
            guard level != .standard else {
                return try db.execute(
                    sql: "DELETE FROM notificationLevel WHERE conversationID = ?", arguments: [conversationID.data])
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO notificationLevel (conversationID, level) VALUES (?, ?)",
                arguments: [conversationID.data, level.rawValue])
        }
    }
}

extension Rows {
    fileprivate func notificationTarget(_ row: Row) throws -> NotificationTargetRecord {
        var progress = NotificationProgress(cursor: row["cursor"])
        progress.deliveredAt = row["deliveredAt"]
        progress.lostCount = row["lostCount"]
        if let reason = row["failure"] as String?, let since = row["failedAt"] as Int64? {
            progress.failure = NotificationFailure(reason, since: since)
        }
        guard let kind = NotificationTargetKind(rawValue: row["kind"]),
            let target = NotificationTarget(kind, address: row["address"])
        else { throw StoreError.damaged("a target of notifications", path: path) }
        return NotificationTargetRecord(
            name: row["name"], target: target, secret: (row["signingKey"] as Data?).map { Array($0) },
            createdAt: row["createdAt"], progress: progress)
    }
}

extension NotificationTarget {
    /// A program and its arguments as a list of texts in JSON, or an address.
    fileprivate func address() throws -> String {
        switch self {
        case .desktop: ""
        case .command(let path, let arguments):
            String(decoding: try JSONEncoder().encode([path] + arguments), as: UTF8.self)
        case .webhook(let url): url
        }
    }

    fileprivate init?(_ kind: NotificationTargetKind, address: String) {
        switch kind {
        case .desktop: self = .desktop
        case .webhook: self = .webhook(url: address)
        case .command:
            let words: [String]
            do { words = try JSONDecoder().decode([String].self, from: Data(address.utf8)) } catch { return nil }
            guard let path = words.first else { return nil }
            self = .command(path: path, arguments: Array(words.dropFirst()))
        }
    }
}
