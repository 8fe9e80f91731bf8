import EarshotModel

/// Entries of an unsent end as they stand in the next epoch.
struct RewrittenPage: Sendable {
    /// The log that takes them.
    let record: LogRecord
    let entries: [EntryRecord]
    /// Where the messages are now, those that were there already included.
    let places: [RenamedMessages]
    /// The same with those of earlier pages, for what refers to them.
    let moved: MovedPlaces
    /// What is left of the unsent end; `nil` for nothing.
    let rest: LogRecord?
    fileprivate let tail: RewrittenTail?

    /// Where the entries were; `nil` if the log only had to end.
    var limboID: LogID? { tail?.limboID }

    /// - Parameters:
    ///   - limbo: the unsent end; `nil` if there is none, and the log only has to end.
    ///   - log: the log that takes them. If it is new, it begins with the ends of the logs that it follows.
    ///   - version: the control entry that the log is to name first.
    ///   - moved: where the entries of earlier pages are now.
    init(
        _ page: Rewriting.Page, of limbo: LogRecord?, into log: OwnLog, after ends: [BranchHead], version: LogPlace?,
        moved: MovedPlaces = MovedPlaces(), by author: LogAuthor, clocks: inout ClockMachine, now: Moment
    ) {
        var writer = LogWriter(log)
        if log.head.sequence == 0 {
            let body = EntryBody(timestamp: clocks.tick(now: now), expiry: .max, content: .branches(ends))
            writer.append(body, by: author)
        }
        if let version, !page.entries.isEmpty, limbo?.description.kind == .messages {
            let body = EntryBody(timestamp: clocks.tick(now: now), expiry: .max, content: .version(version))
            writer.append(body, by: author)
        }
        var places: [RenamedMessages] = []
        var moved = moved
        for entry in page.entries {
            let old = limbo.map { MessageID(log: $0.logID, sequence: entry.sequence) }
            guard page.repeats[entry.sequence] == nil else {
                if let old, let known = page.repeats[entry.sequence] { places.add(old, known) }
                continue
            }
            // What was erased was never sent, and goes; the ends of earlier logs are known anew, and who is in. What a control
            // log said is decided anew.
            guard limbo?.description.kind != .control, entry.kind != .branches, entry.kind != .version,
                let key = entry.keyWhenRewritten,
                let (content, timestamp) = entry.rewritten(with: key, moved, by: author, clocks: &clocks, now: now)
            else { continue }
            writer.append(
                content, timestamp, expiry: entry.expiry, kind: entry.kind, key: key, relation: content.relation,
                attachments: content.attachments)
            let head = writer.record.head
            if let old { places.add(old, MessageID(log: log.record.logID, sequence: head.sequence)) }
            if let limbo {
                moved.add(
                    LogPlace(logID: limbo.description.logID, sequence: entry.sequence, chain: entry.chain),
                    LogPlace(logID: log.description.logID, sequence: head.sequence, chain: head.chain))
            }
        }
        (record, entries) = writer.finish(by: author)
        (self.places, self.moved) = (places, moved)
        guard let limbo, let last = page.entries.last else {
            (rest, tail) = (
                nil, limbo.map { RewrittenTail(limboID: $0.logID, through: $0.head, isLast: true, places: places) }
            )
            return
        }
        let isLast = last.sequence >= limbo.head.sequence
        tail = RewrittenTail(limboID: limbo.logID, through: last.head, isLast: isLast, places: places)
        rest =
            isLast
            ? nil
            : LogRecord(
                logID: limbo.logID, description: limbo.description, base: last.head, isLimbo: true,
                authorID: limbo.authorID, conversation: limbo.conversation, head: limbo.head)
    }
}

extension EntryRecord {
    /// Its content at a new time, about entries where they are now.
    fileprivate func rewritten(
        with key: EntryKey, _ moved: MovedPlaces, by author: LogAuthor, clocks: inout ClockMachine, now: Moment
    ) -> (content: EntryContent, timestamp: HybridTimestamp)? {
        // This node wrote it.
        guard case .body(let bytes) = content, let old = try? EntryBody(decoding: bytes) else { return nil }
        let timestamp = clocks.tick(now: now)
        guard old.content != .unknown else { return content.retimed(to: timestamp).map { ($0, timestamp) } }
        let content = old.content.referring(to: moved)
        let body = EntryBody(timestamp: timestamp, expiry: old.expiry, content: content, key: key)
        return (.body(body.encoded(with: author.salts)), timestamp)
    }
}

extension CommitInFlight {
    mutating func append(_ page: RewrittenPage) {
        commit.logs.append(page.record)
        if !page.entries.isEmpty { commit.entries.append(LogEntries(logID: page.record.logID, entries: page.entries)) }
        if let tail = page.tail { commit.rewrittenTails.append(tail) }
        rewritten.append(page)
    }
}

extension [RenamedMessages] {
    /// One more message has another name, behind the last or apart from it.
    fileprivate mutating func add(_ old: MessageID, _ new: MessageID) {
        if let last, last.from.log == old.log, last.to.log == new.log, last.from.sequence + last.count == old.sequence,
            last.to.sequence + last.count == new.sequence
        {
            self[count - 1] = RenamedMessages(from: last.from, to: last.to, count: last.count + 1)
        } else {
            append(RenamedMessages(from: old, to: new, count: 1))
        }
    }
}
