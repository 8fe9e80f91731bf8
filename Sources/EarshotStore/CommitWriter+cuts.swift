import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// Moves the end of a log to its successor, row by row: the entries keep their content and their place in the order
    /// of arrival.
    func write(_ cut: LogCut) throws {
        let log = try number(of: cut.logID)
        let start = Int64(cut.knownEnd)
        for run in cut.kept { try fillIn(run, from: log) }
        for table in ["entry", "failure"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE log = ? AND sequence > ? AND sequence <= ?",
                arguments: [log, Int64(cut.after), start])
        }
        guard let successorID = cut.successor else { return }
        let successor = try number(of: successorID)
        let move = try db.cachedStatement(
            sql: "UPDATE entry SET log = ?, sequence = ?, chain = ?, checkpoint = ? WHERE log = ? AND sequence = ?")
        for (index, chain) in cut.chains.enumerated() {
            let sequence = Int64(index) + 1
            let checkpoint = index == cut.chains.count - 1 ? cut.checkpoint.map { Data($0.bytes) } : nil
            try move.execute(arguments: [successor, sequence, chain.data, checkpoint, log, start + sequence])
        }
        try db.execute(
            sql: "UPDATE failure SET log = ?, sequence = sequence - ? WHERE log = ? AND sequence > ?",
            arguments: [successor, start, log, start])
    }

    /// A log that came back from a peer has only the hashes of what was withheld from that peer, or deleted there.
    private func fillIn(_ run: RenamedMessages, from log: Int64) throws {
        try db.execute(
            sql: """
                UPDATE entry SET hash = NULL, body = own.body, isDeleted = 0 FROM entry AS own
                WHERE entry.log = ? AND entry.sequence >= ? AND entry.sequence < ? AND entry.body IS NULL
                    AND own.log = ? AND own.sequence = entry.sequence + ? AND own.body IS NOT NULL
                """,
            arguments: [
                try number(of: run.to.log), Int64(run.to.sequence), Int64(run.to.sequence + run.count), log,
                Int64(run.from.sequence) - Int64(run.to.sequence),
            ])
    }

    func withdrawFailure(of messageID: MessageID) throws {
        try db.cachedStatement(sql: "DELETE FROM failure WHERE log = ? AND sequence = ?")
            .execute(arguments: [try number(of: messageID.log), Int64(messageID.sequence)])
    }
}
