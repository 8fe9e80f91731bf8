import EarshotModel

/// What a user has erased on one of their devices, and so on all of them: entries of their own conversation say it.
///
/// It decides which entries that come are to be erased. It erases nothing itself, and does not know what may still have to
/// leave: the disk does.
struct Erasures: Sendable {
    private var statements: OwnStatements<ErasedRun>
    /// By the log's own id, in no order.
    private var runs: [LogID: Set<ErasedRun>] = [:]

    /// - Parameter entries: what the disk has of the user's own conversation.
    init(of userID: UserID, _ entries: [RecordedEntries] = []) {
        statements = OwnStatements(of: userID) { entry in
            guard entry.kind == .erasure, case .erasure(let runs) = entry.bodyContent else { return nil }
            return runs
        }
        for run in entries where run.log.conversation.isOwn(of: userID) { _ = insert(run) }
    }

    /// What is erased of a log, on all of its branches.
    func runs(of logID: LogID) -> Set<ErasedRun> { runs[logID] ?? [] }

    /// Takes entries of the user's own conversation, from whichever device.
    /// - Returns: what they say was erased, by log.
    mutating func insert(_ entries: RecordedEntries) -> [LogID: Set<ErasedRun>] {
        let (said, hasCut) = statements.insert(entries)
        if hasCut { runs = [:] }
        for run in hasCut ? Array(statements.counting) : said { runs[run.last.logID, default: []].insert(run) }
        return said.reduce(into: [:]) { $0[$1.last.logID, default: []].insert($1) }
    }

    /// Whether there is anything that it could cover.
    var mayCover: Bool { !runs.isEmpty }

    /// Whether an entry that has come is erased at once, and so is no news.
    func covers(_ record: EntryRecord, of branch: IncomingLog) -> Bool {
        covers(record, of: branch.description.logID, isFirst: branch.isFirst)
    }

    /// - Parameters:
    ///   - logID: the log's own id.
    ///   - isFirst: whether it is in the branch that this node knew first.
    func covers(_ record: EntryRecord, of logID: LogID, isFirst: Bool) -> Bool {
        guard mayCover, record.kind.isErasable, let runs = runs[logID] else { return false }
        return runs.contains { run in
            run.sequences.contains(record.sequence)
                && (record.sequence < run.last.sequence ? isFirst : record.chain == run.last.chain)
        }
    }
}

extension IncomingLog {
    /// Whether it is the branch that this node knew first.
    fileprivate var isFirst: Bool { logID == description.logID }
}

extension Replication {
    /// What this node's user has erased here: their other devices hear of it.
    mutating func share(erased runs: [ErasedRun]) {
        for start in stride(from: 0, to: runs.count, by: Limits.erasedRuns) {
            let part = Array(runs[start..<min(runs.count, start + Limits.erasedRuns)])
            changes.write(
                PendingSend(
                    requestID: nil, parts: [.init(conversation: author.ownConversation, drafts: [.erasure(part)])]))
        }
    }

    /// What of the entries in a commit, and of those before them, other devices of this node's user have erased.
    mutating func takeErasures(into next: inout CommitInFlight) {
        let own = author.ownConversation.conversationID
        var due: [LogID: Set<ErasedRun>] = [:]
        func note(_ entries: [EntryRecord], of log: LogRecord) {
            guard entries.indices.contains(where: { entries[$0].kind == .erasure || entries[$0].kind == .cut }) else {
                return
            }
            for (logID, runs) in conversations.erasures.insert(RecordedEntries(log: log, entries: entries)) {
                for branch in logs.branches(of: logID) { due[branch, default: []].formUnion(runs) }
            }
        }
        for run in next.received where run.log.conversationID == own { note(run.entries, of: run.record(in: logs)) }
        for found in next.bodies where found.conversation.conversationID == own {
            guard let log = logs.proved(found.logID) else { continue }
            note(found.entries.records, of: log.record(in: found.conversation))
        }
        guard !conversations.erasures.isEmpty else { return }
        for run in next.received {
            guard let first = run.entries.first?.sequence else { continue }
            let runs = conversations.erasures.runs(of: run.log.logID).filter { $0.last.sequence >= first }
            if !runs.isEmpty { due[run.logID, default: []].formUnion(runs) }
        }
        for found in next.bodies {
            guard let log = logs.proved(found.logID), let first = found.entries.records.first?.sequence else {
                continue
            }
            let runs = conversations.erasures.runs(of: log.description.logID).filter { $0.last.sequence >= first }
            if !runs.isEmpty { due[found.logID, default: []].formUnion(runs) }
        }
        addSettled(to: &due, of: next)
        next.commit.erasures = due.sorted { $0.key < $1.key }.map { logID, runs in
            LogErasure(logID: logID, isOwn: logs.own(logID) != nil, runs: runs.inOrder)
        }
    }

    /// What was erased elsewhere while a recipient still needed it is erased here when they have it, or never get it.
    private func addSettled(to due: inout [LogID: Set<ErasedRun>], of next: CommitInFlight) {
        var first: [LogID: UInt64] = [:]
        for delivery in next.commit.deliveries {
            let key = DeliveryKey(logID: delivery.logID, recipientID: delivery.recipientID)
            let before = deliveries.committed(key)?.delivered ?? 0
            guard delivery.progress.delivered > before else { continue }
            first[delivery.logID] = min(first[delivery.logID] ?? .max, before + 1)
        }
        for failure in next.commit.failures {
            let messageID = failure.messageID
            first[messageID.log] = min(first[messageID.log] ?? .max, messageID.sequence)
        }
        for (logID, first) in first {
            guard let log = logs.own(logID) else { continue }
            let runs = conversations.erasures.runs(of: log.record.description.logID).compactMap {
                $0.clamped(from: first)
            }
            if !runs.isEmpty { due[logID, default: []].formUnion(runs) }
        }
    }

    /// Own messages that had failed, and whose contents are gone now, can leave as hashes only.
    mutating func erased(_ erasures: [LogErasure]) {
        for erasure in erasures where erasure.isOwn {
            let failed = deliveries.failures(in: erasure.logID).map(\.key)
            deliveries.withhold(
                failed.filter { sequence in erasure.runs.contains { $0.sequences.contains(sequence) } }
                    .map { MessageID(log: erasure.logID, sequence: $0) })
        }
    }
}

extension Erasures {
    var isEmpty: Bool { runs.isEmpty }
}

extension Set<ErasedRun> {
    /// The same for every run of the program.
    fileprivate var inOrder: [ErasedRun] {
        sorted {
            ($0.last.sequence, $0.last.chain, $0.count) < ($1.last.sequence, $1.last.chain, $1.count)
        }
    }
}
