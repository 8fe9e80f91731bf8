import EarshotModel
import Foundation
import GRDB

/// When a run of a log reached its states for each recipient.
struct StateTimes {
    /// For each state, ascending: all of the log up to a place had reached it by then.
    private var steps: [UserID: [TimedState: [(last: UInt64, time: Int64)]]] = [:]

    init(of log: HistoryReader.NumberedLog, _ run: ClosedRange<UInt64>, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                SELECT last, time FROM stateTime WHERE log = ? AND recipientID = ? AND state = ? AND last >= ?
                ORDER BY last
                """)
        for recipientID in log.record.conversation.participantIDs where recipientID != log.record.authorID {
            for state in TimedState.allCases {
                let rows = try Row.fetchCursor(
                    statement, arguments: [log.number, recipientID.data, state.rawValue, Int64(run.lowerBound)])
                while let row = try rows.next() {
                    let last = UInt64(row[0] as Int64)
                    steps[recipientID, default: [:]][state, default: []].append((last, row[1]))
                    if last >= run.upperBound { break }
                }
            }
        }
    }

    func times(of sequence: UInt64) -> [UserID: MessageTimes] {
        steps.mapValues { states in
            var times = MessageTimes()
            func time(_ state: TimedState) -> Int64? { states[state].flatMap { Self.first($0, from: sequence) } }
            (times.sent, times.delivered, times.read) = (time(.sent), time(.delivered), time(.read))
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
