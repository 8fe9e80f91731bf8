import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// Moves the end of a log to its successor, row by row. The entries keep their content and their place in the order
    /// of arrival.
    func write(_ cut: LogCut) throws {
        let log = try number(of: cut.logID)
        for run in cut.kept { try fillIn(run, from: log) }
        try cutTimes(of: log, after: cut.after)
        for table in ["entry", "failure"] {
            for run in cut.kept {
                try db.execute(
                    sql: "DELETE FROM \(table) WHERE log = ? AND sequence >= ? AND sequence < ?",
                    arguments: [log, Int64(run.from.sequence), Int64(run.from.sequence + run.count)])
            }
        }
        guard let successorID = cut.successor else { return }
        let successor = try number(of: successorID)
        try move(cut, from: log, to: successor)
        // In this order each finds its place free.
        let failed = try Int64.fetchAll(
            db, sql: "SELECT DISTINCT sequence FROM failure WHERE log = ? AND sequence > ? ORDER BY sequence",
            arguments: [log, Int64(cut.after)])
        for sequence in failed {
            guard let place = cut.place(of: MessageID(log: cut.logID, sequence: UInt64(sequence))) else { continue }
            try db.execute(
                sql: "UPDATE failure SET log = ?, sequence = ? WHERE log = ? AND sequence = ?",
                arguments: [successor, Int64(place.sequence), log, sequence])
        }
    }

    private func move(_ cut: LogCut, from log: Int64, to successor: Int64) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE entry SET log = ?, sequence = ?, chain = ?, checkpoint = ? WHERE log = ? AND sequence = ?")
        for (index, old) in cut.movedSequences.enumerated() {
            let checkpoint = index == cut.chains.count - 1 ? cut.checkpoint.map { Data($0.bytes) } : nil
            try statement.execute(arguments: [
                successor, Int64(cut.firstPlace) + Int64(index), cut.chains[index].data, checkpoint, log, Int64(old),
            ])
        }
    }

    /// A log that came back from a peer has only the hashes of what was withheld from that peer. If this node's own
    /// entries know more, they fill it in: the content, or the fact that it was deleted, and with it the time.
    private func fillIn(_ run: RenamedMessages, from log: Int64) throws {
        let target = try number(of: run.to.log)
        try db.execute(
            sql: """
                UPDATE entry SET kind = own.kind, hash = own.hash, body = own.body,
                    isDeleted = own.isDeleted, timestamp = own.timestamp, expiry = own.expiry
                FROM entry AS own
                WHERE entry.log = ? AND entry.sequence >= ? AND entry.sequence < ?
                    AND entry.body IS NULL AND NOT entry.isDeleted
                    AND own.log = ? AND own.sequence = entry.sequence + ? AND (own.body IS NOT NULL OR own.isDeleted)
                """,
            arguments: [
                target, Int64(run.to.sequence), Int64(run.to.sequence + run.count), log,
                Int64(run.from.sequence) - Int64(run.to.sequence),
            ])
        if db.changesCount > 0 { try raiseTimes(of: target) }
    }

    /// The time of an entry that has only its hash is not known, except that it is after the time of the entry before
    /// it.
    private func raiseTimes(of log: Int64) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT cursor, timestamp, body IS NULL AND NOT isDeleted AS isUnknown FROM entry
                WHERE log = ? ORDER BY sequence
                """, arguments: [log])
        var raised: [(cursor: Int64, timestamp: Int64)] = []
        var last: Int64 = 0
        while let row = try rows.next() {
            let timestamp: Int64 = row["timestamp"]
            let isLate = timestamp <= last && row["isUnknown"]
            last = isLate ? last + 1 : timestamp
            if isLate { raised.append((row["cursor"], last)) }
        }
        for (cursor, timestamp) in raised {
            try db.cachedStatement(sql: "UPDATE entry SET timestamp = ? WHERE cursor = ?")
                .execute(arguments: [timestamp, cursor])
        }
        try db.execute(
            sql: "UPDATE log SET headTimestamp = ? WHERE number = ? AND headSequence > 0", arguments: [last, log])
    }

    func withdrawFailure(of message: Addressed) throws {
        try db.cachedStatement(sql: "DELETE FROM failure WHERE log = ? AND sequence = ? AND recipientID = ?")
            .execute(arguments: [
                try number(of: message.messageID.log), Int64(message.messageID.sequence), message.recipientID.data,
            ])
    }
}
