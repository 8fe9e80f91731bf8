import GRDB

extension Migration {
    /// What a history does not show, and what was erased, is counted apart: so a count of unread messages is a
    /// subtraction, and reads none of them.
    static let unread = Migration("13: entries that are never unread") { db in
        try db.execute(sql: "CREATE INDEX unshownEntry ON entry (log, sequence) WHERE kind <> 1 OR isDeleted")
    }
}
