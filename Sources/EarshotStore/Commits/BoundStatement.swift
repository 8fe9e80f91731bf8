import EarshotModel
import GRDB
import GRDBSQLite

/// A compiled statement whose values go to SQLite as they are (https://sqlite.org/c3ref/bind_blob.html).
///
/// GRDB makes an object of each argument first. Where a commit writes something for every message, that takes longer than
/// SQLite does.
struct BoundStatement: ~Copyable {
    /// What a row may bind without that SQLite allocates memory for a copy: bytes wait here for the run.
    private static let bytesPerRow = 512

    private let statement: Statement
    private let memory: UnsafeMutableRawBufferPointer
    /// How much of the memory is taken until the next run.
    private var taken = 0
    private var place: Int32 = 0
    /// What kept a value from being bound.
    private var failure = SQLITE_OK

    /// - Parameters:
    ///   - sql: compiled once for each connection.
    ///   - rows: how many rows a run writes.
    init(_ db: Database, sql: String, rows: Int = 1) throws {
        statement = try db.cachedStatement(sql: sql)
        memory = .allocate(byteCount: rows * Self.bytesPerRow, alignment: 1)
    }

    /// The statement outlives the memory.
    deinit {
        sqlite3_clear_bindings(statement.sqliteStatement)
        memory.deallocate()
    }

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

    private mutating func bind(copying bytes: UnsafeRawBufferPointer) {
        let place = next()
        guard let start = bytes.baseAddress else {
            return note(sqlite3_bind_zeroblob(statement.sqliteStatement, place, 0))
        }
        guard taken + bytes.count <= memory.count else {
            return note(sqlite3_bind_blob(statement.sqliteStatement, place, start, Int32(bytes.count), Self.isCopied))
        }
        let copy = UnsafeMutableRawBufferPointer(rebasing: memory[taken..<taken + bytes.count])
        copy.copyMemory(from: bytes)
        taken += bytes.count
        note(sqlite3_bind_blob(statement.sqliteStatement, place, copy.baseAddress, Int32(bytes.count), Self.stays))
    }

    /// `SQLITE_TRANSIENT` and `SQLITE_STATIC`.
    private static let isCopied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    private static let stays: sqlite3_destructor_type? = nil

    /// Runs it, and makes it ready for the next values.
    /// - Throws: `DatabaseError`.
    mutating func run() throws {
        place = 0
        taken = 0
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
