import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// How many rows come between two steps of tidying, and how many old ones a step removes at most.
    private static let tidyingInterval: Int64 = 64
    private static let pruningLimit = 128

    /// What the journal says so far is about other messages: it goes, and its ids with it.
    func beginGeneration() throws {
        try keepTimes()
        try db.execute(sql: "DELETE FROM journal; UPDATE journalGeneration SET generation = random(), timed = 0")
    }

    func writeJournal(of commit: Commit) throws {
        guard !commit.journal.isEmpty else { return }
        for record in commit.journal { try write(record, at: commit.time) }
        let last = db.lastInsertedRowID
        if last / Self.tidyingInterval != (last - Int64(commit.journal.count)) / Self.tidyingInterval {
            try keepTimes()
            try prune(newest: last, now: commit.time)
        }
    }

    private func write(_ record: JournalRecord, at time: Int64) throws {
        switch record {
        case .queued(let logID, let run):
            try insert(.queued, at: time, log: try number(of: logID), nil, run)
        case .received(let logID, let userID, let run):
            try insert(.received, at: time, log: try number(of: logID), userID, run)
        case .progress(let logID, let userID, let step, let run):
            try insert(JournalKind(step), at: time, log: try number(of: logID), userID, run)
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
