import EarshotModel

/// What the devices of a user have shown to them and does not count by what came later: entries of the user's own conversation
/// say it. So all of them end with the same history, whichever heard first who was removed, or which device was revoked.
struct Showings: Sendable {
    private var statements: OwnStatements<ShownEntries>
    /// By the log's own id.
    private var shown: [LogID: SequenceSet] = [:]

    /// - Parameter entries: what the disk has of the user's own conversation.
    init(of userID: UserID, _ entries: [RecordedEntries] = []) {
        statements = OwnStatements(of: userID) { entry in
            guard entry.kind == .shown, case .shown(let entries) = entry.bodyContent else { return nil }
            return entries
        }
        for run in entries where run.log.conversation.isOwn(of: userID) { _ = insert(run) }
    }

    /// Takes entries of the user's own conversation, from whichever device.
    /// - Returns: whether they say something, and whether there is a cut among them, so that less may count than before.
    mutating func insert(_ entries: RecordedEntries) -> (isNews: Bool, hasCut: Bool) {
        let (said, hasCut) = statements.insert(entries)
        if hasCut { shown = [:] }
        for entries in hasCut ? Array(statements.counting) : said { note(entries) }
        return (!said.isEmpty, hasCut)
    }

    /// Something is said by this device, and goes to the disk.
    mutating func note(_ entries: ShownEntries) {
        shown[entries.logID, default: SequenceSet()].formUnion(entries.sequences)
    }

    /// What of a log was shown, as devices have said.
    subscript(logID: LogID) -> SequenceSet { shown[logID] ?? SequenceSet() }

    /// Whether an entry is to be shown though it does not count. What devices say is about logs without branches, so of a
    /// log that has some it is about the first one.
    func covers(_ sequence: UInt64, of branch: LogID) -> Bool { shown[branch]?.contains(sequence) == true }
}

extension Replication {
    /// What this device has shown may not count by what it knows now: its user's other devices show it, too.
    mutating func shareShown() {
        guard conversations.silent.hasDue else { return }
        var shown: [ShownEntries] = []
        for (conversationID, due) in conversations.silent.takeDue() {
            for log in logs.incoming(of: conversationID)
            where log.description.kind == .messages && log.isOnDisk && logs.branches(of: log.description).count == 1 {
                let fingerprint =
                    due.isWhole
                    ? conversations.fingerprint(of: log.authorID, on: log.description.deviceID, in: conversationID)
                    : nil
                guard let start = conversations.silent.start(of: log.logID, due, fingerprint: fingerprint) else {
                    continue
                }
                let ranges = shownUncounted(of: log, from: start).ranges
                for first in stride(from: 0, to: ranges.count, by: Limits.shownRanges) {
                    let part = SequenceSet(ranges: Array(ranges[first..<min(ranges.count, first + Limits.shownRanges)]))
                    if let part { shown.append(ShownEntries(part, of: log.logID)) }
                }
            }
        }
        for entries in shown { conversations.showings.note(entries) }
        for start in stride(from: 0, to: shown.count, by: Limits.shownLogs) {
            let part = Array(shown[start..<min(shown.count, start + Limits.shownLogs)])
            changes.write(
                PendingSend(
                    requestID: nil, parts: [.init(conversation: author.ownConversation, drafts: [.shown(part)])]))
        }
    }

    /// What of a log this device shows, does not count, and no device has said to be shown.
    private func shownUncounted(of log: IncomingLog, from start: UInt64) -> SequenceSet {
        var sequences = conversations.uncounted(of: log, from: start)
        guard !sequences.isEmpty else { return sequences }
        sequences.subtract(conversations.silent[log.logID])
        sequences.subtract(fetching.bodies.lackingOrUnowed(log.logID))
        sequences.subtract(conversations.showings[log.logID])
        return sequences
    }

    /// Other devices of this node's user have shown what does not count here: it counts from this commit on.
    mutating func takeShowings(into next: CommitInFlight) {
        let own = author.ownConversation.conversationID
        var said: [RecordedEntries] = []
        for run in next.received where run.log.conversationID == own {
            said.append(RecordedEntries(log: run.record(in: logs), entries: run.entries))
        }
        for found in next.bodies where found.conversation.conversationID == own {
            guard let log = logs.proved(found.logID) else { continue }
            said.append(RecordedEntries(log: log.record(in: found.conversation), entries: found.entries.records))
        }
        guard !said.isEmpty else { return }
        // What they have erased since is not shown again.
        for entries in said { _ = conversations.erasures.insert(entries) }
        conversations.hearShown(said)
    }
}
