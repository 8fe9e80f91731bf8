import GRDB

extension Migration {
    /// Where in the order of arrival the messages begin whose files a rule is for. Rules that are here are for all.
    static let startsOfFileRules = Migration("31: starts of rules for files") { db in
        try db.execute(sql: "ALTER TABLE fileRule ADD COLUMN start INTEGER NOT NULL DEFAULT 0")
    }
}
