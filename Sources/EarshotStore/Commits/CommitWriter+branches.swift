import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// A branch parts from the one that has its base.
    func write(_ base: LogHead, of log: LogRecord) throws {
        let wireID = log.description.logID.data
        try db.cachedStatement(
            sql: """
                UPDATE log SET wireID = ?1, baseSequence = ?2, baseChain = ?3, baseTimestamp = ?4, parent = (
                    SELECT number FROM log AS earlier
                    WHERE ifnull(earlier.wireID, earlier.logID) = ?1 AND (?2 = 0 AND earlier.baseSequence IS NULL OR EXISTS (
                        SELECT 1 FROM entry WHERE log = earlier.number AND sequence = ?2 AND chain = ?3))
                    ORDER BY number LIMIT 1)
                WHERE logID = ?5
                """
        ).execute(arguments: [
            wireID, Int64(base.sequence), base.chain.data, Int64(base.timestamp.rawValue), log.logID.data,
        ])
    }

    /// The end of a log moves to another one as it is. Nothing is numbered or hashed anew.
    func write(_ tail: UnsentTail) throws {
        try begin(tail.limbo)
        let (log, limbo) = (try number(of: tail.logID), try number(of: tail.limbo.logID))
        // What comes back may have the same keys. Where it does not, the bodies still have them.
        try db.execute(
            sql: "UPDATE entry SET log = ?, key = NULL WHERE log = ? AND sequence > ?",
            arguments: [limbo, log, Int64(tail.after)])
        for table in ["failure", "relation"] {
            try db.execute(
                sql: "UPDATE \(table) SET log = ? WHERE log = ? AND sequence > ?",
                arguments: [limbo, log, Int64(tail.after)])
        }
        try cutTimes(of: log, after: tail.after)
    }

    /// Entries leave the limbo: the same commit writes them into another log.
    func write(_ tail: RewrittenTail) throws {
        let limbo = try number(of: tail.limboID)
        let through = Int64(tail.through.sequence)
        for run in tail.places {
            try checkContents(of: run, in: limbo)
            try moveFailures(run, from: limbo)
        }
        for table in ["entry", "failure", "relation"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE log = ? AND sequence <= ?", arguments: [limbo, through])
        }
        if tail.isLast {
            try db.execute(sql: "DELETE FROM log WHERE number = ?", arguments: [limbo])
        } else {
            try db.execute(
                sql: "UPDATE log SET baseSequence = ?, baseChain = ?, baseTimestamp = ? WHERE number = ?",
                arguments: [through, tail.through.chain.data, Int64(tail.through.timestamp.rawValue), limbo])
        }
    }

    /// What was deleted since it was read must not come back under another name.
    private func checkContents(of run: RenamedMessages, in limbo: Int64) throws {
        let deleted = try Int64.fetchOne(
            db,
            sql: "SELECT sequence FROM entry WHERE log = ? AND sequence >= ? AND sequence < ? AND isDeleted LIMIT 1",
            arguments: [limbo, Int64(run.from.sequence), Int64(run.from.sequence + run.count)])
        if let deleted { throw DatabaseError(message: "entry \(deleted) of \(run.from.log) has changed meanwhile") }
    }

    private func moveFailures(_ run: RenamedMessages, from limbo: Int64) throws {
        try db.execute(
            sql: """
                UPDATE failure SET log = ?, sequence = sequence + ? WHERE log = ? AND sequence >= ? AND sequence < ?
                """,
            arguments: [
                try number(of: run.to.log), Int64(run.to.sequence) - Int64(run.from.sequence), limbo,
                Int64(run.from.sequence), Int64(run.from.sequence + run.count),
            ])
    }

    func withdrawFailure(of message: Addressed) throws {
        try db.cachedStatement(sql: "DELETE FROM failure WHERE log = ? AND sequence = ? AND recipientID = ?")
            .execute(arguments: [
                try number(of: message.messageID.log), Int64(message.messageID.sequence), message.recipientID.data,
            ])
    }
}
