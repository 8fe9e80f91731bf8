import EarshotModel
import Foundation
import GRDB

/// When a run of a log reached its states for each recipient.
struct StateTimes {
    /// For each state, ascending: all of the log up to a place had reached it by then.
    private var steps: [UserID: [TimedState: [(last: UInt64, time: Int64)]]] = [:]

    init(of log: HistoryReader.NumberedLog, _ run: ClosedRange<UInt64>, _ db: Database) throws {
        for recipientID in log.progress.keys where recipientID != log.record.authorID {
            for state in TimedState.allCases {
                let kept = try Self.kept(state, of: log, for: recipientID, run, db)
                let latest = try Self.latest(state, of: log, for: recipientID, run, db)
                guard !kept.isEmpty || !latest.isEmpty else { continue }
                steps[recipientID, default: [:]][state] = (kept + latest).sorted { $0.last < $1.last }
            }
        }
    }

    private static func kept(
        _ state: TimedState, of log: HistoryReader.NumberedLog, for userID: UserID, _ run: ClosedRange<UInt64>,
        _ db: Database
    ) throws -> [(last: UInt64, time: Int64)] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT last, time FROM stateTime WHERE log = ? AND recipientID = ? AND state = ? AND last >= ?
                ORDER BY last
                """)
        let rows = try Row.fetchCursor(
            statement, arguments: [log.number, userID.data, state.rawValue, Int64(run.lowerBound)])
        var steps: [(last: UInt64, time: Int64)] = []
        while let row = try rows.next() {
            steps.append((UInt64(row[0] as Int64), row[1]))
            if steps[steps.count - 1].last >= run.upperBound { break }
        }
        return steps
    }

    /// The times that only the journal has so far.
    private static func latest(
        _ state: TimedState, of log: HistoryReader.NumberedLog, for userID: UserID, _ run: ClosedRange<UInt64>,
        _ db: Database
    ) throws -> [(last: UInt64, time: Int64)] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT last, time FROM journal
                WHERE row > (SELECT timed FROM journalGeneration) AND log = ? AND userID = ? AND last >= ?
                    AND kind IN (\(state.kindList))
                ORDER BY row
                """)
        return try Row.fetchAll(statement, arguments: [log.number, userID.data, Int64(run.lowerBound)])
            .map { (UInt64($0[0] as Int64), $0[1]) }
    }

    func times(of sequence: UInt64) -> [UserID: MessageTimes] {
        steps.mapValues { states in
            var times = MessageTimes()
            func time(_ state: TimedState) -> Int64? { states[state].flatMap { Self.first($0, from: sequence) } }
            (times.sent, times.delivered) = (time(.sent), time(.delivered))
            (times.handled, times.read) = (time(.handled), time(.read))
            return times
        }
    }

    /// The first time that covers a message.
    private static func first(_ steps: [(last: UInt64, time: Int64)], from sequence: UInt64) -> Int64? {
        var (low, high) = (0, steps.count)
        while low < high {
            let middle = (low + high) / 2
            if steps[middle].last < sequence { low = middle + 1 } else { high = middle }
        }
        return low < steps.count ? steps[low].time : nil
    }
}
