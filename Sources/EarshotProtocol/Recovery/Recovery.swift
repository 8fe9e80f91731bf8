import EarshotModel

/// The way back to a log of this node's own, of which a peer holds more than this node, or something else.
///
/// A database that was restored from an older copy makes that so. The peer's receipt is its claim; what proves it are the
/// entries, which this device has signed. This decides what to ask the peer and the store for, what came back, and where
/// this node's own entries go if the logs part. It writes nothing, and knows nothing of other logs and links.
struct Recovery: Sendable {
    /// What a recovery wants done next.
    enum Step {
        /// Ask the peer for the log from this entry on.
        case ask(from: UInt64)
        /// Read entries of one of this node's own logs.
        case read(LogID, from: UInt64, countLimit: Int)
        /// Write what came back.
        case write(RecoveredPiece)
        /// The log is what the peer holds.
        case end(OwnLog)
    }

    /// What is known once the place is found from which the peer is asked.
    fileprivate struct Ground {
        /// Proves what comes; `nil` for a log that is not known here, until the first run says what it is.
        var log: IncomingLog?
        /// Up to here this node had the log before the recovery began.
        var common: UInt64 = 0
        /// The last entry that both hold, and when this node wrote it: a peer that has only its hash does not know that.
        var compared: LogHead
        /// Messages that are called withheld here, and that the peer has.
        var withdrawn: [UInt64] = []
    }

    /// The run that came last, and how many of its entries were compared with this node's own.
    fileprivate struct Run {
        var entries: [EntryRecord]
        var compared = 0
    }

    private enum State {
        case waiting
        /// The last entry that both ends are known to hold is being read.
        case placing(common: UInt64)
        /// The peer was asked for the next run.
        case asking(Ground)
        /// This node's own entries in the places of the run are being read.
        case comparing(Ground, Run)
        /// The logs part: what this node has written from there on is being read.
        case measuring(Ground, Run, Fork)
        /// An earlier successor of the log is being read, because it may hold what was written already.
        case following(Ground, Run, Fork, candidate: LogID, matching: Int)
        /// The end that this node has written is being moved to a successor.
        case cutting(Ground, Run)
        case committing(Ground)
    }

    let connectionID: ConnectionID
    let userID: UserID
    /// What the peer says that it holds.
    private(set) var claim: Receipt
    private var state = State.waiting

    init(claim: Receipt, userID: UserID, connectionID: ConnectionID) {
        self.claim = claim
        self.userID = userID
        self.connectionID = connectionID
    }

    var logID: LogID { claim.logID }

    var isWaiting: Bool {
        if case .waiting = state { true } else { false }
    }

    var isCommitting: Bool {
        switch state {
        case .cutting, .committing: true
        default: false
        }
    }

    private var ground: Ground? {
        switch state {
        case .waiting, .placing: nil
        case .asking(let ground), .comparing(let ground, _), .measuring(let ground, _, _),
            .following(let ground, _, _, _, _), .cutting(let ground, _), .committing(let ground):
            ground
        }
    }

    /// Up to here the peer's log is proved.
    var proved: UInt64 { ground?.log?.proved.sequence ?? 0 }

    /// Up to here the peer's log goes: proved or claimed.
    var end: UInt64 { max(proved, claim.sequence) }

    /// The peer claims the same log again.
    mutating func raise(_ claim: Receipt) throws(ProtocolError) {
        // Before its signature is looked at, which is most of the work.
        guard (claim.sequence, claim.readSequence) > (self.claim.sequence, self.claim.readSequence) else { return }
        try claim.authenticate()
        self.claim = claim
    }

    // MARK: - Asking

    /// Its turn has come.
    mutating func begin(logs: Logs, deliveries: Deliveries) -> Step {
        guard let own = logs.own(logID) else { return ask(Ground(compared: .origin(of: logID))) }
        let delivered = deliveries.committed(own.deliveryKey)?.delivered ?? 0
        guard claim.sequence > delivered else { return .end(own) }
        guard delivered > 0 else { return place(.origin(of: logID), of: own, common: own.head.sequence) }
        state = .placing(common: own.head.sequence)
        return .read(logID, from: delivered, countLimit: 1)
    }

    /// From this entry on the peer is asked: it is known to be the same on both ends.
    private mutating func place(_ head: LogHead, of own: OwnLog, common: UInt64) -> Step {
        ask(
            Ground(
                log: IncomingLog(description: own.description, authorID: own.record.authorID, head: head),
                common: common, compared: head))
    }

    private mutating func ask(_ ground: Ground) -> Step {
        var ground = ground
        if let proved = ground.log?.proved, proved.sequence > ground.compared.sequence { ground.compared = proved }
        state = .asking(ground)
        return .ask(from: proved + 1)
    }

    /// What came is on the disk, or what stood in its place is elsewhere now.
    mutating func written(_ own: OwnLog, logs: Logs, author: LogAuthor) -> Step? {
        if case .cutting(let ground, let run) = state {
            state = .comparing(ground, run)
            return compareNext(logs: logs, author: author)
        }
        guard let ground, claim.sequence > proved else { return .end(own) }
        return ask(ground)
    }

    // MARK: - What comes back

    /// The peer gives entries back.
    /// - Parameters:
    ///   - authorID: this node's user.
    ///   - latest: no peer's word makes an entry later than it is.
    /// - Returns: the entries that are proved by them. `compareNext` goes on with these.
    mutating func take(
        _ run: EntriesFrame, authorID: UserID, latest: HybridTimestamp
    ) throws(ProtocolError) -> [EntryRecord] {
        guard case .asking(var ground) = state, logID == run.log.logID else {
            throw ProtocolError(.violation, "the peer gives back entries that it was not asked for")
        }
        var log =
            ground.log ?? IncomingLog(description: run.log, authorID: authorID, head: .origin(of: run.log.logID))
        let taken = try log.receive(run, deleted: run.deleted.mapValues { min($0, latest) }).map { record, body in
            record.withKey(body?.key)
        }
        guard !taken.isEmpty else {
            throw ProtocolError(.violation, "the peer gives back entries that this node has, in the place of others")
        }
        let claimed = taken.first { $0.sequence == claim.sequence }
        guard claimed.map({ $0.chain == claim.chain }) ?? true else {
            throw ProtocolError(
                .violation, "the peer claims another entry \(claim.sequence) than it gives back")
        }
        ground.log = log
        state = .comparing(ground, Run(entries: taken))
        return taken
    }

    /// Compares what is in both, then goes on with what is new.
    mutating func compareNext(logs: Logs, author: LogAuthor) -> Step? {
        guard case .comparing(let ground, let run) = state else { return nil }
        let end = logs.own(logID)?.head.sequence ?? 0
        guard run.compared < run.entries.count, run.entries[run.compared].sequence <= end else {
            return settle(ground, run, logs: logs, author: author)
        }
        let next = run.entries[run.compared].sequence
        let count = min(run.entries.count - run.compared, Int(end - next + 1))
        return .read(logID, from: next, countLimit: count)
    }

    /// The store's answer, which begins with the entry that was asked for.
    mutating func read(
        _ entries: [EntryRecord], logs: Logs, deliveries: inout Deliveries, author: LogAuthor, now: Moment
    ) -> Step? {
        switch state {
        case .placing(let common):
            guard let own = logs.own(logID), let first = entries.first else { return nil }
            let head = LogHead(sequence: first.sequence, chain: first.chain, timestamp: first.timestamp)
            return place(head, of: own, common: common)
        case .comparing(let ground, let run):
            return compare(entries, ground, run, logs: logs, deliveries: &deliveries, author: author, now: now)
        case .measuring(let ground, let run, var fork):
            state = .waiting
            fork.append(entries)
            state = .measuring(ground, run, fork)
            guard let own = logs.own(logID) else { return nil }
            guard fork.measured >= own.head.sequence else {
                return .read(logID, from: fork.measured + 1, countLimit: Limits.entriesPerFrame)
            }
            return findSuccessor(ground, run, fork, logs: logs, author: author)
        case .following(let ground, let run, let fork, let candidate, let matching):
            return follow(
                entries, ground, run, fork, candidate: candidate, matching: matching, logs: logs,
                deliveries: &deliveries, author: author, now: now)
        case .waiting, .asking, .cutting, .committing: return nil
        }
    }

    private mutating func compare(
        _ entries: [EntryRecord], _ ground: Ground, _ run: Run, logs: Logs, deliveries: inout Deliveries,
        author: LogAuthor, now: Moment
    ) -> Step? {
        var (ground, run) = (ground, run)
        for own in entries {
            guard run.compared < run.entries.count else { break }
            let theirs = run.entries[run.compared]
            guard own.chain == theirs.chain else {
                ground.common = min(ground.common, own.sequence - 1)
                state = .measuring(ground, run, Fork(after: own.sequence - 1))
                return .read(logID, from: own.sequence, countLimit: Limits.entriesPerFrame)
            }
            if isWithdrawn(own, theirs, deliveries: &deliveries, now: now) { ground.withdrawn.append(own.sequence) }
            run.compared += 1
            ground.compared = LogHead(sequence: own.sequence, chain: own.chain, timestamp: own.timestamp)
        }
        state = .comparing(ground, run)
        return compareNext(logs: logs, author: author)
    }

    /// The chain does not tell a body from its hash: whoever has only the hash does not have the message, unless they
    /// have deleted it. That is their word, and does not make anything delivered that was withheld.
    /// - Returns: whether a message is called withheld here that the peer has.
    private func isWithdrawn(
        _ own: EntryRecord, _ theirs: EntryRecord, deliveries: inout Deliveries, now: Moment
    ) -> Bool {
        let messageID = MessageID(log: logID, sequence: own.sequence)
        let isWithheldHere = deliveries.isWithheld(messageID)
        switch (own.content, theirs.content) {
        case (.body, .withheld) where !isWithheldHere && !theirs.isDeleted:
            deliveries.withhold(messageID, for: userID, expiry: own.expiry, now: now)
            return false
        case (_, .body): return isWithheldHere
        default: return false
        }
    }

    // MARK: - Where the logs part

    /// Looks whether the entries went to a successor once before.
    private mutating func findSuccessor(
        _ ground: Ground, _ run: Run, _ fork: Fork, logs: Logs, author: LogAuthor
    ) -> Step? {
        guard let own = logs.own(logID), let candidate = fork.successor(of: own.description)?.logID,
            logs.own(candidate) != nil
        else { return cut(ground, run, fork, logs: logs, author: author) }
        state = .following(ground, run, fork, candidate: candidate, matching: 0)
        return .read(candidate, from: 1, countLimit: Limits.entriesPerFrame)
    }

    private mutating func follow(
        _ entries: [EntryRecord], _ ground: Ground, _ run: Run, _ fork: Fork, candidate: LogID, matching: Int,
        logs: Logs, deliveries: inout Deliveries, author: LogAuthor, now: Moment
    ) -> Step? {
        guard let end = logs.own(candidate)?.head.sequence else { return nil }
        var matching = matching
        var isSame = true
        for entry in entries {
            guard let own = fork.entry(matching), own.isSame(as: Fork.Entry(entry)) else {
                isSame = false
                break
            }
            noteWithheld(entry, own: own, in: candidate, deliveries: &deliveries, now: now)
            matching += 1
        }
        if isSame, UInt64(matching) < end {
            state = .following(ground, run, fork, candidate: candidate, matching: matching)
            return .read(candidate, from: UInt64(matching) + 1, countLimit: Limits.entriesPerFrame)
        }
        var fork = fork
        fork.leave(candidate, of: logID, matching: matching)
        return findSuccessor(ground, run, fork, logs: logs, author: author)
    }

    /// The peer was given the hash alone, so the message was taken back after the copy was made.
    private func noteWithheld(
        _ entry: EntryRecord, own: Fork.Entry, in logID: LogID, deliveries: inout Deliveries, now: Moment
    ) {
        let messageID = MessageID(log: logID, sequence: entry.sequence)
        guard case .withheld = entry.content, !entry.isDeleted, let expiry = own.expiry,
            !deliveries.isWithheld(messageID)
        else { return }
        deliveries.withhold(messageID, for: userID, expiry: expiry, now: now)
    }

    // MARK: - What becomes of it

    /// The end that this node has written goes to a successor, before the peer's takes its place.
    private mutating func cut(
        _ ground: Ground, _ run: Run, _ fork: Fork, logs: Logs, author: LogAuthor
    ) -> Step? {
        guard let own = logs.own(logID) else { return nil }
        var ground = ground
        let (cut, successor, renamed) = fork.cut(of: own, author: author)
        var record = own.record
        record.head = ground.compared
        let piece = RecoveredPiece(
            connectionID: connectionID, record: record, entries: [], cut: cut, successor: successor, renamed: renamed,
            common: ground.common, withdrawn: ground.withdrawn, proved: fork.after, receipt: nil)
        ground.withdrawn = []
        state = .cutting(ground, run)
        return .write(piece)
    }

    /// The run is compared: what is new in it is to be written.
    private mutating func settle(_ ground: Ground, _ run: Run, logs: Logs, author: LogAuthor) -> Step? {
        var (ground, run) = (ground, run)
        ground.raiseTimes(of: &run)
        guard let log = ground.log else { return nil }
        let own = logs.own(logID)
        let known = own?.head.sequence ?? 0
        let entries = Array(run.entries.drop { $0.sequence <= known })
        let isComplete = claim.sequence <= log.proved.sequence
        guard isComplete || !entries.isEmpty else { return ask(ground) }
        var record =
            own?.record
            ?? LogRecord(
                description: log.description, authorID: author.userID,
                conversation: .direct(author.userID, userID), head: log.proved)
        if !entries.isEmpty { record.head = log.proved }
        let piece = RecoveredPiece(
            connectionID: connectionID, record: record, entries: entries, cut: nil, successor: nil, renamed: [],
            common: ground.common, withdrawn: ground.withdrawn, proved: log.proved.sequence,
            receipt: isComplete ? claim : nil)
        ground.withdrawn = []
        state = .committing(ground)
        return .write(piece)
    }
}

extension Recovery.Ground {
    /// An entry that came back without its content does not say when it was written, and counts from the one before it:
    /// this node may know better when that was.
    fileprivate mutating func raiseTimes(of run: inout Recovery.Run) {
        let place = run.compared
        var last = max(compared.timestamp, run.entries[..<place].last?.timestamp ?? compared.timestamp)
        for (index, entry) in run.entries.enumerated().dropFirst(place) {
            guard case .withheld = entry.content, entry.timestamp <= last, last < .maximum else { return }
            last = last.next
            run.entries[index] = EntryRecord(
                sequence: entry.sequence, timestamp: last, expiry: entry.expiry, kind: entry.kind,
                content: entry.content, chain: entry.chain, checkpoint: entry.checkpoint, isDeleted: entry.isDeleted,
                key: entry.key)
        }
        log?.raise(to: last)
    }
}
