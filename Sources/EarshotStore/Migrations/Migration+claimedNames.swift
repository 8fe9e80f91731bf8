import GRDB

extension Migration {
    /// What a user calls themselves now, if that is another name than the one that is pinned to them.
    static let claimedNames = Migration("29: claimed names of users") { db in
        try db.execute(sql: "ALTER TABLE user ADD COLUMN claimedName TEXT")
    }
}
