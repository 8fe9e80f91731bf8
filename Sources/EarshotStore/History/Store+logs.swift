package import EarshotModel
import GRDB

extension Store {
    /// The logs that have an entry of this number.
    /// - Throws: `StoreError`.
    package func logs(through sequence: UInt64) throws(StoreError) -> [LogID] {
        do {
            return try database.read { db in
                try Rows(path: path)
                    .logs(db, "SELECT * FROM log WHERE headSequence >= ?", arguments: [Int64(clamping: sequence)])
                    .map(\.record.logID)
            }
        } catch { throw StoreError(error, path: path) }
    }
}
