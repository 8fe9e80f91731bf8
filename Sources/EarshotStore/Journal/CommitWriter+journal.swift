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
        var rest = commit.journal[...]
        while !rest.isEmpty {
            let rows = try rest.prefix(Self.rowsAtOnce).map { try row(of: $0) }
            try insert(rows, at: commit.time)
            rest = rest.dropFirst(rows.count)
        }
        let last = db.lastInsertedRowID
        if last / Self.tidyingInterval != (last - Int64(commit.journal.count)) / Self.tidyingInterval {
            try keepTimes()
            try prune(newest: last, written: Int64(commit.journal.count), now: commit.time)
        }
    }

    /// What a record says, but for its time.
    private struct JournalRow {
        let kind: JournalKind
        var log: Int64?
        var userID: UserID?
        var run: ClosedRange<UInt64>?
        var detail: String?
    }

    private func row(of record: JournalRecord) throws -> JournalRow {
        switch record {
        case .queued(let logID, let run):
            JournalRow(kind: .queued, log: try number(of: logID), run: run)
        case .received(let logID, let userID, let run):
            JournalRow(kind: .received, log: try number(of: logID), userID: userID, run: run)
        case .progress(let logID, let userID, let step, let run):
            JournalRow(kind: JournalKind(step), log: try number(of: logID), userID: userID, run: run)
        case .failed(let logID, let userID, let reason, let run):
            JournalRow(kind: .failed, log: try number(of: logID), userID: userID, run: run, detail: reason.rawValue)
        case .user(let userID, .discovered):
            JournalRow(kind: .userDiscovered, userID: userID)
        case .user(let userID, .updated(let changes)):
            JournalRow(
                kind: .userUpdated, userID: userID, detail: changes.map(\.rawValue).sorted().joined(separator: " "))
        case .conversation(let update):
            JournalRow(kind: .conversationUpdated, userID: update.ownerID, detail: update.journalDetail)
        case .participant(let update):
            JournalRow(
                kind: .participantUpdated, userID: update.participant.userID, detail: update.journalDetail)
        case .draft(let news):
            JournalRow(kind: JournalKind(news.kind), detail: news.change.journalDetail)
        }
    }

    /// A message that was sent and delivered brings two rows: one statement writes both.
    private static let rowsAtOnce = 4
    private static let insertions = (1...rowsAtOnce).map { count in
        "INSERT INTO journal (time, kind, log, userID, first, last, detail) VALUES "
            + Array(repeating: "(?, ?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", ")
    }

    private func insert(_ rows: [JournalRow], at time: Int64) throws {
        var statement = try BoundStatement(db, sql: Self.insertions[rows.count - 1])
        for row in rows {
            statement.bind(time)
            statement.bind(row.kind.rawValue)
            statement.bind(row.log)
            statement.bind(row.userID?.bytes32)
            statement.bind(row.run?.lowerBound)
            statement.bind(row.run?.upperBound)
            statement.bind(row.detail)
        }
        try statement.run()
    }

    /// Removes some of the oldest rows, if the journal is too long or they are too old. The row before those that the
    /// commit has written stays: whoever has read everything up to there goes on from it.
    private func prune(newest: Int64, written: Int64, now: Int64) throws {
        let oldest = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT row, time FROM journal WHERE row < ? ORDER BY row LIMIT ?"),
            arguments: [newest - written, Self.pruningLimit])
        // A clock that was set may have left younger rows before older ones. What is left has no gaps.
        var last: Int64?
        while let row = try oldest.next(),
            newest - (row[0] as Int64) >= Limits.journalRows || now - (row[1] as Int64) > Timing.journalAge
        { last = row[0] }
        guard let last else { return }
        try db.cachedStatement(sql: "DELETE FROM journal WHERE row <= ?").execute(arguments: [last])
    }
}
