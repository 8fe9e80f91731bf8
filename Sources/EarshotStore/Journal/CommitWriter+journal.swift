import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// How many rows come between two steps of pruning, and how many a step removes at most.
    private static let pruningInterval: Int64 = 64
    private static let pruningLimit = 128

    /// What the journal says so far is about other messages: it goes, and its ids with it.
    func beginGeneration() throws {
        try db.execute(sql: "DELETE FROM journal; UPDATE journalGeneration SET generation = random()")
    }

    func writeJournal(of commit: Commit) throws {
        guard !commit.journal.isEmpty else { return }
        for record in commit.journal { try write(record, at: commit.time) }
        let last = db.lastInsertedRowID
        if last / Self.pruningInterval != (last - Int64(commit.journal.count)) / Self.pruningInterval {
            try prune(newest: last, now: commit.time)
        }
    }

    private func write(_ record: JournalRecord, at time: Int64) throws {
        switch record {
        case .queued(let logID, let run):
            try insert(.queued, at: time, log: try number(of: logID), nil, run)
        case .received(let logID, let userID, let run):
            let log = try number(of: logID)
            try note(.delivered, of: log, for: userID, through: run.upperBound, at: time)
            try insert(.received, at: time, log: log, userID, run)
        case .progress(let logID, let userID, let step, let run):
            let log = try number(of: logID)
            try note(TimedState(step), of: log, for: userID, through: run.upperBound, at: time)
            try insert(JournalKind(step), at: time, log: log, userID, run)
        case .failed(let logID, let userID, let reason, let run):
            try insert(.failed, at: time, log: try number(of: logID), userID, run, reason.rawValue)
        case .user(let userID, .discovered):
            try insert(.userDiscovered, at: time, log: nil, userID, nil)
        case .user(let userID, .updated(let changes)):
            let detail = changes.map(\.rawValue).sorted().joined(separator: " ")
            try insert(.userUpdated, at: time, log: nil, userID, nil, detail)
        }
    }

    private func insert(
        _ kind: JournalKind, at time: Int64, log: Int64?, _ userID: UserID?, _ run: ClosedRange<UInt64>?,
        _ detail: String? = nil
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO journal (time, kind, log, userID, first, last, detail) VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            time, kind.rawValue, log, userID?.data, run.map { Int64($0.lowerBound) }, run.map { Int64($0.upperBound) },
            detail,
        ])
    }

    /// All of a log up to `last` has reached a state. The time at which it first had is kept.
    private func note(
        _ state: TimedState, of log: Int64, for userID: UserID, through last: UInt64, at time: Int64
    ) throws {
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO stateTime (log, recipientID, state, last, time) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [log, userID.data, state.rawValue, Int64(last), time])
    }

    /// The end of a log has moved to another one: the times up to there remain.
    func cutTimes(of log: Int64, after sequence: UInt64) throws {
        // Of the rows of one group, SQLite takes the other columns from the one with the least `last`.
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO stateTime (log, recipientID, state, last, time)
                    SELECT log, recipientID, state, :after, time FROM (
                        SELECT log, recipientID, state, min(last), time FROM stateTime
                        WHERE log = :log AND last > :after GROUP BY recipientID, state);
                DELETE FROM stateTime WHERE log = :log AND last > :after;
                """, arguments: ["log": log, "after": Int64(sequence)])
    }

    /// Removes some of the oldest rows, if the journal is too long or they are too old.
    private func prune(newest: Int64, now: Int64) throws {
        let oldest = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT row, time FROM journal WHERE row < ? ORDER BY row LIMIT ?"),
            arguments: [newest, Self.pruningLimit])
        // A clock that was set may have left younger rows before older ones. What is left has no gaps.
        let goes = oldest.prefix { row in
            newest - (row[0] as Int64) >= Limits.journalRows || now - (row[1] as Int64) > Timing.journalAge
        }
        guard let last = goes.last else { return }
        try db.cachedStatement(sql: "DELETE FROM journal WHERE row <= ?").execute(arguments: [last[0] as Int64])
    }
}
