import GRDB

extension Row {
    /// What all rows of a query say. Each is decoded while the statement stands on it: a copy of a row compares the names of
    /// all columns to find one.
    static func decodeAll<Value>(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        _ decode: (Row) throws -> Value
    ) throws -> [Value] {
        try decodeAll(db.makeStatement(sql: sql), arguments: arguments, decode)
    }

    static func decodeAll<Value>(
        _ statement: Statement, arguments: StatementArguments = StatementArguments(), _ decode: (Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        let rows = try fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() { values.append(try decode(row)) }
        return values
    }
}
