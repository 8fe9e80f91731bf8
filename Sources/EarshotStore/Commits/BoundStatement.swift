import EarshotModel
import GRDB
import GRDBSQLite

/// A compiled statement whose values go to SQLite as they are (https://sqlite.org/c3ref/bind_blob.html).
///
/// GRDB makes an object of each argument first. Where a commit writes something for every message, that takes longer than
/// SQLite does.
struct BoundStatement: ~Copyable {
    private let statement: Statement
    private var place: Int32 = 0
    /// What kept a value from being bound.
    private var failure = SQLITE_OK

    /// - Parameter sql: compiled once for each connection.
    init(_ db: Database, sql: String) throws { statement = try db.cachedStatement(sql: sql) }

    private mutating func next() -> Int32 {
        place += 1
        return place
    }

    private mutating func note(_ code: Int32) { if code != SQLITE_OK { failure = code } }

    mutating func bind(_ value: Int64) { note(sqlite3_bind_int64(statement.sqliteStatement, next(), value)) }
    mutating func bind(_ value: Int) { bind(Int64(value)) }
    mutating func bind(_ value: Bool) { bind(value ? 1 : 0 as Int64) }
    /// The tables hold no number that needs the highest bit.
    mutating func bind(_ value: UInt64) { bind(Int64(value)) }
    mutating func bindNull() { note(sqlite3_bind_null(statement.sqliteStatement, next())) }

    mutating func bind(_ value: Int64?) { if let value { bind(value) } else { bindNull() } }
    mutating func bind(_ value: UInt64?) { if let value { bind(value) } else { bindNull() } }

    mutating func bind(_ bytes: [UInt8]) { bytes.withUnsafeBytes { bind(copying: $0) } }
    mutating func bind(_ bytes: Bytes32) { bytes.withUnsafeBytes { bind(copying: $0) } }
    mutating func bind(_ identifier: some Identifier) { bind(identifier.bytes32) }
    mutating func bind(_ bytes: Bytes32?) { if let bytes { bind(bytes) } else { bindNull() } }
    mutating func bind(_ signature: Signature?) {
        if let signature { signature.withUnsafeBytes { bind(copying: $0) } } else { bindNull() }
    }

    mutating func bind(_ text: String?) {
        guard var text else { return bindNull() }
        let place = next()
        note(
            text.withUTF8 { text in
                // An empty text is no null.
                guard let start = text.baseAddress else {
                    return sqlite3_bind_text(statement.sqliteStatement, place, "", 0, Self.isCopied)
                }
                return sqlite3_bind_text(
                    statement.sqliteStatement, place, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self),
                    Int32(text.count), Self.isCopied)
            })
    }

    /// SQLite keeps the memory for the copy from one run to the next.
    private mutating func bind(copying bytes: UnsafeRawBufferPointer) {
        let place = next()
        if let start = bytes.baseAddress {
            note(sqlite3_bind_blob(statement.sqliteStatement, place, start, Int32(bytes.count), Self.isCopied))
        } else {
            note(sqlite3_bind_zeroblob(statement.sqliteStatement, place, 0))
        }
    }

    private static let isCopied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// Runs it, and makes it ready for the next values.
    /// - Throws: `DatabaseError`.
    mutating func run() throws {
        place = 0
        guard failure == SQLITE_OK, sqlite3_step(statement.sqliteStatement) == SQLITE_DONE else { throw error() }
        sqlite3_reset(statement.sqliteStatement)
    }

    private func error() -> DatabaseError {
        let connection = sqlite3_db_handle(statement.sqliteStatement)
        let code = failure == SQLITE_OK ? sqlite3_extended_errcode(connection) : failure
        let message = sqlite3_errmsg(connection).map { String(cString: $0) }
        sqlite3_reset(statement.sqliteStatement)
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }
}
