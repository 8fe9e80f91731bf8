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
    private(set) var accepted: [AcceptedCall] = []
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
        var groups = Groups(author: author)
        let settled = clocks.settled(now)
        /// Where the parts of all calls are, in their order.
        var places: [Place] = []
        places.reserveCapacity(sends.count)
        for send in sends.indices {
            let parts = sends[send].parts
            for part in parts.indices {
                let conversationID = parts.span[part].conversation.conversationID
                let index =
                    groups.index(of: parts.span[part].kind, in: conversationID)
                    ?? groups.begin(parts[part]) {
                        parts[part].kind == .control
                            ? logs.logForControl(
                                in: parts[part].conversation, beginning: parts[part].beginsControlLog,
                                isLast: { privates[conversationID]?.membership?.isLast($0) == true }, now: now)
                            : logs.logForMessages(in: parts[part].conversation, now: now)
                    } version: {
                        privates.dueVersion(of: $0).map {
                            EntryBody(timestamp: clocks.tick(now: now), expiry: .max, content: .version($0))
                        }
                    }
                let start = groups.all[index].news.count
                let isNote = parts.span[part].conversation.isOwn(of: author.userID)
                let (drafts, keys) = (parts.span[part].drafts, parts.span[part].keys)
                for place in drafts.indices {
                    let (timestamp, key) = (clocks.tick(now: now), keys.isEmpty ? nil : keys[place])
                    let expiry = isNote ? Self.endOfNotes : nil
                    if drafts.span[place].isControl {
                        let draft = drafts[place].naming {
                            logs.ends(of: $0, in: parts[part].conversation, with: heads)
                        }
                        groups.append(
                            EntryBody(draft, at: timestamp, now: settled, key: key, expiry: expiry), to: index, logs)
                    } else {
                        groups.append(
                            EntryBody(drafts.span[place], at: timestamp, now: settled, key: key, expiry: expiry),
                            to: index, logs)
                    }
                }
                places.append((index, start..<groups.all[index].news.count))
            }
            changes += sends[send].changes
            handled += sends[send].handled
        }
        runs = groups.finish().sorted { $0.record.logID < $1.record.logID }
        accepted.reserveCapacity(sends.count)
        var rest = places[...]
        for send in sends.indices {
            let parts = rest.prefix(sends[send].parts.count)
            rest = rest.dropFirst(parts.count)
            let messages = Self.messages(of: parts, in: groups)
            draftNews += sends[send].changes.compactMap { $0.draftNews(messages.first?.messageID) }
            if let requestID = sends[send].requestID {
                accepted.append(AcceptedCall(requestID: requestID, messages: messages))
            }
        }
    }

    /// Where the news of a part of a call are among those of its log.
    private typealias Place = (group: Int, range: Range<Int>)

    private static func messages(of parts: ArraySlice<Place>, in groups: Groups) -> [Message] {
        var messages: [Message] = []
        messages.reserveCapacity(parts.reduce(0) { $0 + $1.range.count })
        for (group, range) in parts {
            for news in groups.all[group].news[range] {
                if let message = news.message { messages.append(message) }
            }
        }
        return messages
    }
}

/// What goes into each log.
private struct Groups {
    struct Group {
        var writer: LogWriter
        /// What its entries tell their author.
        var news: [EntryNews] = []
        private let source: EntryNews.Source

        init(_ log: OwnLog, in conversation: ConversationRecord) {
            writer = LogWriter(log)
            source = EntryNews.Source(log, in: conversation)
        }

        mutating func append(_ body: consuming EntryBody, by author: LogAuthor, _ logs: Logs) {
            let sequence = writer.append(body, by: author)
            let told = EntryNews(
                body.content, at: sequence, timestamp: body.timestamp, expiry: body.expiry, of: source, logs)
            if let told { news.append(told) }
        }
    }

    private let author: LogAuthor
    /// In the order in which the calls name them.
    private(set) var all: [Group] = []
    private var indices: [LogID: Int] = [:]
    /// Calls that follow each other mostly go to the same conversation.
    private var last: (conversationID: ConversationID, kind: LogKind, index: Int)?

    init(author: LogAuthor) { self.author = author }

    /// The group of a part that goes into the same log of messages as the part before it.
    func index(of kind: LogKind, in conversationID: ConversationID) -> Int? {
        guard kind == .messages, let last, last.kind == .messages, last.conversationID == conversationID else {
            return nil
        }
        return last.index
    }

    /// The group that a part of a call belongs to.
    /// - Parameters:
    ///   - log: the log that takes the part.
    ///   - version: what the log is to say before all else.
    mutating func begin(_ part: PendingSend.Part, log: () -> OwnLog, version: (LogRecord) -> EntryBody?) -> Int {
        let log = log()
        let index = indices[log.record.logID] ?? all.count
        if index == all.count {
            indices[log.record.logID] = index
            all.append(Group(log, in: part.conversation))
            if let version = version(log.record) { all[index].writer.append(version, by: author) }
        }
        last = (part.conversation.conversationID, part.kind, index)
        return index
    }

    mutating func append(_ body: consuming EntryBody, to index: Int, _ logs: Logs) {
        all[index].append(body, by: author, logs)
    }

    /// The new ends of the logs.
    mutating func finish() -> [AppendedSends.Run] {
        all.indices.map { index in
            let (record, entries) = all[index].writer.finish(by: author)
            return AppendedSends.Run(record: record, entries: entries, news: all[index].news)
        }
    }
}

extension EntryBody {
    /// What a draft becomes. What changes a message that was sent never fails: the two ends would show different things for
    /// ever.
    /// - Parameter expiry: when a message fails; `nil` for the time that its draft says.
    fileprivate init(
        _ draft: EntryDraft, at timestamp: HybridTimestamp, now: Moment, key: EntryKey?, expiry: Int64?
    ) {
        switch draft {
        case .message(let message):
            self.init(
                timestamp: timestamp, expiry: expiry ?? message.expiry(from: now.wallClock),
                content: .text(message.content), key: key)
        default: self.init(timestamp: timestamp, expiry: expiry ?? .max, content: Content(draft), key: key)
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
    fileprivate var isControl: Bool { if case .control = self { true } else { false } }

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
