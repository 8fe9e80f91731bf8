import GRDB

extension Migration {
    /// An entry whose author withholds its content has the author's signed `mark`.
    static let marks = Migration("9: marks of withheld entries") { db in
        try db.execute(sql: "ALTER TABLE entry ADD COLUMN mark BLOB")
    }
}
