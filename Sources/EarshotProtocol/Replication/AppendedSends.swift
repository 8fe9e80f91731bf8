import EarshotModel

/// What calls of `send` become at the ends of this device's logs, once a commit takes them.
struct AppendedSends: Sendable {
    /// New entries of one log.
    struct Run: Sendable {
        let record: LogRecord
        let entries: [EntryRecord]
        let news: [EntryNews]
    }

    /// Ascending by log.
    private(set) var runs: [Run] = []
    /// The messages of each call, in its order.
    private(set) var accepted: [(requestID: RequestID, messages: [Message])] = []
    /// What else the calls change.
    private(set) var changes: [ProgramChange] = []

    init(_ sends: [PendingSend], to logs: Logs, by author: LogAuthor, clocks: inout ClockMachine, now: Moment) {
        var groups: [LogID: (log: OwnLog, drafts: [OwnLog.Draft])] = [:]
        var places: [(requestID: RequestID, parts: [(logID: LogID, range: Range<Int>)])] = []
        for send in sends {
            var parts: [(logID: LogID, range: Range<Int>)] = []
            for part in send.parts {
                let log = logs.logForMessages(in: part.conversation, now: now)
                let start = groups[log.record.logID]?.drafts.count ?? 0
                for (index, draft) in part.drafts.enumerated() {
                    groups[log.record.logID, default: (log, [])].drafts.append(
                        (
                            draft, clocks.tick(now: now), draft.expiry(from: now.wallClock),
                            part.keys.isEmpty ? nil : part.keys[index]
                        ))
                }
                parts.append((log.record.logID, start..<start + part.drafts.count))
            }
            places.append((send.requestID, parts))
            changes += send.changes
        }
        var news: [LogID: [EntryNews?]] = [:]
        for (logID, group) in groups.sorted(by: { $0.key < $1.key }) {
            let (record, entries) = group.log.extended(by: group.drafts, author)
            let appended = group.log.news(of: entries, drafts: group.drafts, record: record, in: logs)
            news[logID] = appended
            runs.append(Run(record: record, entries: entries, news: appended.compactMap(\.self)))
        }
        accepted = places.map { requestID, parts in
            (requestID, parts.flatMap { part in news[part.logID]?[part.range].compactMap { $0?.message } ?? [] })
        }
    }
}

extension CommitInFlight {
    /// They are written with this commit.
    mutating func append(_ sends: AppendedSends) {
        for run in sends.runs {
            commit.logs.append(run.record)
            commit.entries.append(LogEntries(logID: run.record.logID, entries: run.entries))
            appended.append(Appended(record: run.record, entries: run.entries, news: run.news))
        }
        accepted = sends.accepted
        commit.programChanges = sends.changes
    }
}
