import GRDB

extension Migration {
    /// A consumer's `token` is the name of the token with which it was made, and NULL for the owner's.
    static let consumersOfTokens = Migration("7: consumers know with which token they were made") { db in
        try db.execute(sql: "ALTER TABLE consumer ADD COLUMN token TEXT")
    }
}
