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
    /// What the changes tell of drafts.
    private(set) var draftNews: [JournalRecord] = []
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
        var groups = Groups()
        var places: [(requestID: RequestID?, parts: [(group: Int, range: Range<Int>)])] = []
        places.reserveCapacity(sends.count)
        for send in sends {
            var parts: [(group: Int, range: Range<Int>)] = []
            for part in send.parts {
                let index = groups.index(of: part) {
                    part.kind == .control
                        ? logs.logForControl(in: part.conversation, beginning: part.beginsControlLog, now: now)
                        : logs.logForMessages(in: part.conversation, now: now)
                } version: {
                    privates.dueVersion(of: $0).map {
                        EntryBody(timestamp: clocks.tick(now: now), expiry: .max, content: .version($0))
                    }
                }
                let start = groups.all[index].bodies.count
                let isNote = part.conversation.isOwn(of: author.userID)
                for (place, draft) in part.drafts.enumerated() {
                    groups.append(
                        EntryBody(
                            timestamp: clocks.tick(now: now),
                            expiry: isNote ? Self.endOfNotes : draft.expiry(from: now.wallClock),
                            content: .init(draft.naming { logs.ends(of: $0, in: part.conversation, with: heads) }),
                            key: part.keys.isEmpty ? nil : part.keys[place]),
                        to: index)
                }
                parts.append((index, start..<start + part.drafts.count))
            }
            places.append((send.requestID, parts))
            changes += send.changes
            handled += send.handled
        }
        let news = groups.all.map { group in
            group.log.news(
                of: group.bodies, from: group.log.head.sequence + 1, in: group.conversation, logs)
        }
        for index in groups.all.indices.sorted(by: { groups.all[$0].log.record.logID < groups.all[$1].log.record.logID }
        ) {
            let (record, entries) = groups.all[index].log.extended(by: groups.all[index].bodies, author)
            runs.append(Run(record: record, entries: entries, news: news[index].compactMap(\.self)))
        }
        for (send, place) in zip(sends, places) where !send.changes.isEmpty {
            let first = Self.messages(of: place.parts, in: news).first?.messageID
            draftNews += send.changes.compactMap { $0.draftNews(first) }
        }
        accepted.reserveCapacity(places.count)
        for (requestID, parts) in places {
            if let requestID { accepted.append((requestID, Self.messages(of: parts, in: news))) }
        }
    }

    private static func messages(of parts: [(group: Int, range: Range<Int>)], in news: [[EntryNews?]]) -> [Message] {
        var messages: [Message] = []
        messages.reserveCapacity(parts.reduce(0) { $0 + $1.range.count })
        for (group, range) in parts {
            for index in range {
                if let message = news[group][index]?.message { messages.append(message) }
            }
        }
        return messages
    }
}

/// What goes into each log.
private struct Groups {
    struct Group {
        let log: OwnLog
        let conversation: ConversationRecord
        var bodies: [EntryBody]
    }

    /// In the order in which the calls name them.
    private(set) var all: [Group] = []
    private var indices: [LogID: Int] = [:]
    /// Calls that follow each other mostly go to the same conversation.
    private var last: (conversationID: ConversationID, kind: LogKind, index: Int)?

    /// The group that a part of a call belongs to.
    /// - Parameters:
    ///   - log: the log that takes the part.
    ///   - version: what the log is to say before all else.
    mutating func index(
        of part: PendingSend.Part, log: () -> OwnLog, version: (LogRecord) -> EntryBody?
    ) -> Int {
        if let last, part.kind == .messages, last.kind == .messages,
            last.conversationID == part.conversation.conversationID
        {
            return last.index
        }
        let log = log()
        let index = indices[log.record.logID] ?? all.count
        if index == all.count {
            indices[log.record.logID] = index
            all.append(
                Group(
                    log: log, conversation: part.conversation, bodies: version(log.record).map { [$0] } ?? []))
        }
        last = (part.conversation.conversationID, part.kind, index)
        return index
    }

    mutating func append(_ body: EntryBody, to index: Int) { all[index].bodies.append(body) }
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
        draftNews = sends.draftNews
    }
}
