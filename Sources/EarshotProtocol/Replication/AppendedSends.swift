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
    /// Messages of others that programs have dealt with, each with all before it in its log.
    private(set) var handled: [MessageID] = []

    /// Notes to oneself wait for nobody, and so never fail: the last moment that has a date of four digits.
    private static let endOfNotes: Int64 = 253_402_300_799_999

    /// - Parameters:
    ///   - privates: say what the logs of private conversations are to name.
    ///   - heads: those of logs that other entries of the commit make longer.
    init(
        _ sends: [PendingSend], to logs: Logs, privates: PrivateConversations, heads: [LogID: LogHead],
        by author: LogAuthor, clocks: inout ClockMachine, now: Moment
    ) {
        var groups: [LogID: (log: OwnLog, conversation: ConversationRecord, drafts: [OwnLog.Draft])] = [:]
        var places: [(requestID: RequestID?, parts: [(logID: LogID, range: Range<Int>)])] = []
        for send in sends {
            var parts: [(logID: LogID, range: Range<Int>)] = []
            for part in send.parts {
                let log =
                    part.kind == .control
                    ? logs.logForControl(in: part.conversation, beginning: part.beginsControlLog, now: now)
                    : logs.logForMessages(in: part.conversation, now: now)
                if groups[log.record.logID] == nil, let version = privates.dueVersion(of: log.record) {
                    groups[log.record.logID] = (
                        log, part.conversation, [(.version(version), clocks.tick(now: now), .max, nil)]
                    )
                }
                let start = groups[log.record.logID]?.drafts.count ?? 0
                for (index, draft) in part.drafts.enumerated() {
                    let draft = draft.naming { logs.ends(of: $0, in: part.conversation, with: heads) }
                    groups[log.record.logID, default: (log, part.conversation, [])].drafts.append(
                        (
                            draft, clocks.tick(now: now),
                            part.conversation.isOwn(of: author.userID)
                                ? Self.endOfNotes : draft.expiry(from: now.wallClock),
                            part.keys.isEmpty ? nil : part.keys[index]
                        ))
                }
                parts.append((log.record.logID, start..<start + part.drafts.count))
            }
            places.append((send.requestID, parts))
            changes += send.changes
            handled += send.handled
        }
        var news: [LogID: [EntryNews?]] = [:]
        for (logID, group) in groups.sorted(by: { $0.key < $1.key }) {
            let (record, entries) = group.log.extended(by: group.drafts, author)
            let appended = group.log.news(
                of: entries, drafts: group.drafts, record: record, in: group.conversation, logs)
            news[logID] = appended
            runs.append(Run(record: record, entries: entries, news: appended.compactMap(\.self)))
        }
        accepted = places.compactMap { requestID, parts in
            requestID.map { requestID in
                (requestID, parts.flatMap { part in news[part.logID]?[part.range].compactMap { $0?.message } ?? [] })
            }
        }
    }
}

extension PendingSend.Part {
    fileprivate var beginsControlLog: Bool {
        guard case .control(let control) = drafts.first else { return false }
        switch control.entry {
        case .created, .begin: return true
        default: return false
        }
    }
}

extension EntryDraft {
    /// A removal names the ends of its user's logs as they are in the commit that writes it.
    fileprivate func naming(_ ends: (UserID) -> [LogPlace]) -> EntryDraft {
        guard case .control(let control) = self, case .remove(let userID, _, let reason) = control.entry else {
            return self
        }
        return .control(
            ControlBody(.remove(userID, cuts: Array(ends(userID).prefix(Limits.removalCuts)), reason: reason)))
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
