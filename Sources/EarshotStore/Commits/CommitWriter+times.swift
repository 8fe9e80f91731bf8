import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// Gives the last entries of a log new times, in the column and in the body, and with them new chain hashes.
    func write(_ retimed: RetimedEntries) throws {
        let log = try number(of: retimed.logID)
        let read = try db.cachedStatement(sql: "SELECT body FROM entry WHERE log = ? AND sequence = ?")
        let write = try db.cachedStatement(
            sql: "UPDATE entry SET timestamp = ?, chain = ?, checkpoint = ?, body = ? WHERE log = ? AND sequence = ?")
        for (index, entry) in retimed.entries.enumerated() {
            let sequence = Int64(retimed.after) + Int64(index) + 1
            let isLast = index == retimed.entries.count - 1
            let body = try Data.fetchOne(read, arguments: [log, sequence])
                .flatMap { EntryContent.body(Array($0)).retimed(to: entry.timestamp) }
            // The content may have been deleted since it was read, and then its hash has the old time in it.
            guard (body != nil) == entry.hasBody else {
                throw DatabaseError(message: "entry \(sequence) of \(retimed.logID) has changed meanwhile")
            }
            try write.execute(arguments: [
                Int64(entry.timestamp.rawValue), entry.chain.data, isLast ? Data(retimed.checkpoint.bytes) : nil,
                body?.data, log, sequence,
            ])
        }
    }
}

extension EntryContent {
    fileprivate var data: Data? {
        if case .body(let bytes) = self { Data(bytes) } else { nil }
    }
}
