import DequeModule
import EarshotModel

/// A run of proved entries that waits for a commit.
struct ReceivedRun: Sendable {
    let connectionID: ConnectionID
    let deviceID: DeviceID
    /// The branch that they belong to, as it is with them.
    let branch: IncomingLog
    let conversation: ConversationRecord
    /// The entry before them.
    let before: Place
    /// Whether this device has written them, and has them back.
    let isOwn: Bool
    /// Whether another device of this node's user has written them.
    let isByOwnUser: Bool
    /// Whether another device of this node's user has sent them.
    let isFromOwnUser: Bool
    let entries: [EntryRecord]
    /// Those whose bodies are missing, and that this node's user may have.
    let missing: SequenceSet
    /// Those that this node's user may not have, as far as is known.
    var unowed = SequenceSet()
    var news: [EntryNews]
    let bytes: Int
    /// Users whom the author does not reach.
    let unreached: [UserID]

    /// Those that came without a body: their author withholds it, or it is missing. Whatever is shown of them later, they were not
    /// received with this run.
    var withoutBody: SequenceSet {
        let entries = entries.span
        return entries.indices.reduce(into: SequenceSet()) {
            if case .withheld = entries[$1].content { $0.insert(entries[$1].sequence) }
        }
    }

    /// Those without a body by their author's word.
    var withheld: SequenceSet {
        entries.placesOfParts.reduce(into: SequenceSet()) { withheld, index in
            guard case .withheld = entries[index].content, entries[index].mark != nil else { return }
            withheld.insert(entries[index].sequence)
        }
    }

    /// Those that do not count yet, as far as is known.
    var disregarded: SequenceSet {
        guard conversation.kind == .private else { return SequenceSet() }
        return entries.reduce(into: SequenceSet()) { if $1.kind == .disregarded { $0.insert($1.sequence) } }
    }

    /// Whether the device that sent them has written them, so that they are in its window.
    var isInWindow: Bool { log.deviceID == deviceID }

    var logID: LogID { branch.logID }
    var log: LogDescription { branch.description }
    var head: LogHead { branch.proved }

    /// The branch as it is on the disk with them.
    func record(in logs: Logs) -> LogRecord {
        guard var record = logs.own(logID)?.record else {
            return LogRecord(
                logID: logID, description: log, base: branch.base, authorID: branch.authorID,
                conversation: conversation, head: head, bytes: branch.bytes)
        }
        record.head = head
        return record
    }
}

/// Entries of peers that are proved and not yet on the disk.
///
/// It decides which entries of a frame are taken, how many bytes a peer may use, and how much a commit takes. It proves
/// nothing (`IncomingLog`).
struct ReceivedRuns: Sendable {
    private var waiting: Deque<ReceivedRun> = []
    /// Includes those in the commit that is under way.
    private var bytes = ReceivedBytes()
    /// The same of logs that the devices themselves write: only these are in their windows.
    private var windows = ReceivedBytes()

    var isEmpty: Bool { waiting.isEmpty }

    /// What a frame of entries has brought.
    enum Intake: Sendable {
        /// All of it is known; whether it is on the disk, too.
        case known(isSettled: Bool)
        /// A run that waits for a commit now, and the timestamps of the entries that came with a body.
        case new(ReceivedRun, [HybridTimestamp])
    }

    /// Takes what is new in a frame with entries of a branch.
    /// - Parameters:
    ///   - known: how many of its entries the branch has.
    ///   - link: the link, and the peer at its end.
    /// - Throws: `ProtocolError`, for which the link is to be closed.
    mutating func take(
        _ frame: EntriesFrame, into branch: IncomingLog, known: Int, of conversation: ConversationRecord,
        from link: ReplicationSession, isStranger: Bool, logs: inout Logs, privates: inout PrivateConversations,
        cuts: Cuts, erasures: Erasures, showings: Showings, author: LogAuthor, now: Moment
    ) throws(ProtocolError) -> Intake {
        var branch = branch
        let before = branch.proved.place
        let isOwn = frame.log.deviceID == author.deviceID
        // No peer's word makes an entry later than it is.
        let latest = HybridTimestamp(milliseconds: now.wallClock + Timing.clockTolerance)
        var taken = try branch.receive(
            frame, known: known, deleted: isOwn ? frame.deleted.mapValues { min($0, latest) } : nil)
        guard !taken.isEmpty else { return .known(isSettled: branch.isSettled) }
        let bytes = taken.windowBytes
        try checkRoom(
            for: bytes, of: link.deviceID, isGiven: frame.log.deviceID != link.deviceID, isStranger: isStranger)
        if !isOwn {
            taken.silenceMisplaced(in: branch.description, of: conversation)
            cuts.judge(&taken, of: branch, showings)
        }
        if conversation.kind == .private { privates.judge(&taken, of: branch, showings, isOwn: isOwn) }
        // Not before: what is not queued for the disk is not proved, or a hole would follow.
        logs.proved(branch)
        var missing = taken.missing
        var unowed = SequenceSet()
        if !missing.isEmpty {
            unowed = privates.unowed(missing, of: branch.logID, by: branch.authorID, in: branch.description)
            missing.subtract(unowed)
        }
        let run = ReceivedRun(
            connectionID: link.connectionID, deviceID: link.deviceID, branch: branch,
            conversation: conversation, before: before, isOwn: isOwn,
            isByOwnUser: !isOwn && branch.authorID == author.userID,
            isFromOwnUser: link.userID == author.userID,
            entries: isOwn ? taken.ownRecords : taken.records, missing: missing, unowed: unowed,
            news: isOwn ? [] : taken.news(of: branch, in: conversation, to: author, logs, erasures),
            bytes: bytes, unreached: frame.unreached)
        add(run)
        return .new(run, taken.timestamps)
    }

    /// Whether own entries of a conversation wait.
    func containsOwn(in conversationID: ConversationID) -> Bool {
        waiting.contains { $0.isOwn && $0.log.conversationID == conversationID }
    }

    func contains(where isMeant: (ReceivedRun) -> Bool) -> Bool { waiting.contains(where: isMeant) }

    /// Whether entries of a conversation wait.
    func contains(_ conversationID: ConversationID) -> Bool {
        waiting.indices.contains { waiting[$0].branch.description.conversationID == conversationID }
    }

    /// The conversations of which own entries came back, and wait.
    var ownConversations: Set<ConversationID> {
        waiting.indices.reduce(into: []) { if waiting[$1].isOwn { $0.insert(waiting[$1].log.conversationID) } }
    }

    /// A device has one window, however many links it makes: what it sends again on another link is already known.
    /// There is also a limit for everything that waits for the disk, and strangers have half of it.
    /// - Parameter isGiven: whether the device passes on what another has written: that is not in its window.
    func checkRoom(
        for more: Int, of deviceID: DeviceID, isGiven: Bool = false, isStranger: Bool
    ) throws(ProtocolError) {
        let ofDevice = Limits.windowBytes + Limits.frameBytes
        guard isGiven || windows[deviceID] + more <= ofDevice else {
            throw ProtocolError(.violation, "the peer sends more than its window of \(Limits.windowBytes) bytes")
        }
        let limit = isStranger ? Limits.receivedBytes / 2 : Limits.receivedBytes
        guard bytes[deviceID] + more <= ofDevice, bytes.total + more <= limit else {
            throw ProtocolError(
                .overloaded, "more comes than the disk takes in time; it is sent again",
                closeReason: .storageFailure)
        }
    }

    mutating func add(_ run: ReceivedRun) {
        bytes.add(run.bytes, of: run.deviceID)
        if run.isInWindow { windows.add(run.bytes, of: run.deviceID) }
        waiting.append(run)
    }

    private mutating func remove(_ run: ReceivedRun) {
        bytes.remove(run.bytes, of: run.deviceID)
        if run.isInWindow { windows.remove(run.bytes, of: run.deviceID) }
    }

    /// What the next commit takes.
    var next: some Sequence<ReceivedRun> {
        var (count, bytes) = (0, 0)
        return waiting.prefix { run in
            guard count < Limits.commitEntries, bytes < Limits.commitBytes else { return false }
            count += run.entries.count
            bytes += run.bytes
            return true
        }
    }

    mutating func takeForCommit() -> [ReceivedRun] {
        let taken = Array(next)
        waiting.removeFirst(taken.count)
        return taken
    }

    /// Adds runs to a commit, and the receipts for them.
    /// - Returns: the heads that the logs of peers have with this commit.
    mutating func move(
        into next: inout CommitInFlight, logs: Logs, deliveries: inout Deliveries, author: LogAuthor
    ) -> [LogID: LogHead] {
        next.received = takeForCommit()
        var heads: [LogID: LogHead] = [:]
        for run in next.received {
            heads[run.logID] = run.head
            next.commit.entries.append(LogEntries(logID: run.logID, entries: run.entries))
        }
        var (last, first): ([LogID: ReceivedRun], [LogID: UInt64]) = ([:], [:])
        for run in next.received {
            last[run.logID] = run
            first[run.logID] = first[run.logID] ?? run.entries.first?.sequence
        }
        for run in next.received where run.isOwn {
            deliveries.returnedMarked(run.entries, of: run.logID, to: run.record(in: logs).recipientID)
        }
        for (logID, run) in last.sorted(by: { $0.key < $1.key }) {
            let record = run.record(in: logs)
            next.commit.logs.append(record)
            if run.isOwn {
                let end = run.head.sequence
                deliveries.returned(
                    DeliveryKey(logID: logID, recipientID: record.recipientID), (first[logID] ?? end)...end,
                    after: record.start.sequence, isSent: !run.isFromOwnUser)
            } else {
                deliveries.keep(DeliveryKey(logID: logID, recipientID: author.userID), through: run.head.sequence)
            }
        }
        return heads
    }

    /// Whether entries of a branch wait for a commit.
    func isWaiting(_ logID: LogID) -> Bool { waiting.contains { $0.logID == logID } }

    mutating func written(_ run: ReceivedRun) { remove(run) }

    /// Drops everything that waits, and what was in a commit that failed.
    /// - Returns: all of it, in order.
    mutating func drop(with failed: [ReceivedRun]) -> [ReceivedRun] {
        let dropped = failed + waiting
        for run in dropped { remove(run) }
        waiting.removeAll()
        return dropped
    }

    /// The bytes of the log that has the most, of the device that has the most, and of all.
    func load(with inFlight: [ReceivedRun]) -> (log: Int, device: Int, all: Int) {
        var logs: [LogID: Int] = [:]
        var devices: [DeviceID: Int] = [:]
        var all = 0
        for run in inFlight + waiting {
            logs[run.logID, default: 0] += run.bytes
            devices[run.deviceID, default: 0] += run.bytes
            all += run.bytes
        }
        return (logs.values.max() ?? 0, devices.values.max() ?? 0, all)
    }
}
