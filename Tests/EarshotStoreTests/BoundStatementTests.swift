import EarshotModel
import Foundation
import GRDB
import Testing

@testable import EarshotStore

@Suite("A statement with values bound as they are")
struct BoundStatementTests {
    private static let table = "CREATE TABLE thing (a INTEGER, b BLOB, c TEXT, d INTEGER NOT NULL) STRICT"
    private static let insertion = "INSERT INTO thing VALUES (?, ?, ?, ?)"

    private func insert(
        _ db: Database, _ number: UInt64?, _ bytes: [UInt8], _ text: String?, _ needed: Int64?
    ) throws {
        var statement = try BoundStatement(db, sql: Self.insertion)
        statement.bind(number)
        statement.bind(bytes)
        statement.bind(text)
        statement.bind(needed)
        try statement.run()
    }

    @Test("writes numbers, bytes, texts and nulls, and empty ones are no nulls")
    func values() throws {
        let rows = try DatabaseQueue().write { db in
            try db.execute(sql: Self.table)
            try insert(db, 7, [1, 2, 3], "süß", 1)
            try insert(db, nil, [], nil, 2)
            try insert(db, 0, [0], "", 3)
            return try Row.fetchAll(db, sql: "SELECT * FROM thing ORDER BY d")
        }
        #expect(rows[0] == ["a": 7, "b": Data([1, 2, 3]), "c": "süß", "d": 1])
        #expect(rows[1] == ["a": nil, "b": Data(), "c": nil, "d": 2])
        #expect(rows[2] == ["a": 0, "b": Data([0]), "c": "", "d": 3])
    }

    @Test("takes the values of several rows one after the other")
    func severalRows() throws {
        let rows = try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE pair (a INTEGER, b INTEGER)")
            var statement = try BoundStatement(db, sql: "INSERT INTO pair VALUES (?, ?), (?, ?)")
            for value in 1...4 as ClosedRange<Int64> { statement.bind(value) }
            try statement.run()
            for value in 5...8 as ClosedRange<Int64> { statement.bind(value) }
            try statement.run()
            return try Int64.fetchAll(db, sql: "SELECT a FROM pair ORDER BY a")
        }
        #expect(rows == [1, 3, 5, 7])
    }

    @Test("says what SQLite refuses, and can be run again")
    func failure() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: Self.table)
            let error = #expect(throws: DatabaseError.self) { try insert(db, 1, [1], "one", nil) }
            #expect(error?.resultCode.primaryResultCode == .SQLITE_CONSTRAINT)
            #expect(error?.message?.contains("thing.d") == true)
            try insert(db, 1, [1], "one", 1)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM thing") == 1)
        }
    }

    @Test("is not run with a value too many")
    func tooMany() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: Self.table)
            var statement = try BoundStatement(db, sql: Self.insertion)
            for value in 1...5 as ClosedRange<Int64> { statement.bind(value) }
            let error = #expect(throws: DatabaseError.self) { try statement.run() }
            #expect(error?.resultCode.primaryResultCode == .SQLITE_RANGE)
        }
    }
}
