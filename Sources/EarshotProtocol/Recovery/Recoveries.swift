import EarshotModel

/// The logs of this node's own that are being taken back, link by link, and what of them waits for the disk.
///
/// It decides in which order a link's logs come back: one at a time. How one comes back is a `Recovery`'s matter, and for
/// how long messages wait meanwhile that of `SendHolds`.
struct Recoveries: Sendable {
    private struct OnLink {
        let userID: UserID
        /// The first is being taken back.
        var queue: [Recovery] = []
        /// The last piece of the first one waits until other logs have got new times.
        var retiming: (piece: RecoveredPiece, retiming: Retiming)?
        var tally = RecoveryTally()
        /// The keys that came back, and whose they are.
        var keys: [EntryKey: MessageID] = [:]
    }

    private var links: [ConnectionID: OnLink] = [:]
    private var pieces: [RecoveredPiece] = []
    /// What links have brought that are over, until it is told.
    private var untold: [ConnectionID: Event] = [:]
    /// Whether this run has found the database to be an older copy, and the disk has that.
    private var isKnownOlder = false

    /// Links that bring logs back, ascending.
    var connections: [ConnectionID] { links.keys.sorted() }

    func isActive(on connectionID: ConnectionID) -> Bool { links[connectionID]?.queue.isEmpty == false }

    func contains(_ logID: LogID, on connectionID: ConnectionID) -> Bool {
        links[connectionID]?.queue.contains { $0.logID == logID } == true
    }

    /// The recovery whose turn it is on a link.
    func first(on connectionID: ConnectionID) -> Recovery? { links[connectionID]?.queue.first }

    /// Whether a log is being taken back on a link, and does not only wait for its turn.
    func isBusy(on connectionID: ConnectionID) -> Bool { first(on: connectionID)?.isWaiting == false }

    // MARK: - Claims

    /// A peer says that it holds what this node does not have, or has otherwise.
    mutating func add(_ recovery: Recovery, logs: Logs) throws(ProtocolError) {
        var link = links[recovery.connectionID] ?? OnLink(userID: recovery.userID)
        guard link.queue.count < Limits.logsPerHeads else {
            throw ProtocolError(.violation, "the peer claims more than \(Limits.logsPerHeads) logs")
        }
        // Logs that are not known here come first: what was written after the copy may be in one of them.
        let isUnknown = logs.own(recovery.logID) == nil
        let place = link.queue.firstIndex { $0.isWaiting && isUnknown && logs.own($0.logID) != nil }
        link.queue.insert(recovery, at: place ?? link.queue.count)
        links[recovery.connectionID] = link
    }

    /// A receipt for a log that is being taken back already.
    mutating func raise(_ claim: Receipt, on connectionID: ConnectionID) throws(ProtocolError) {
        guard let index = links[connectionID]?.queue.firstIndex(where: { $0.logID == claim.logID }) else { return }
        try links[connectionID]?.queue[index].raise(claim)
    }

    // MARK: - The one whose turn it is

    mutating func begin(on connectionID: ConnectionID, logs: Logs, deliveries: Deliveries) -> Recovery.Step? {
        withFirst(on: connectionID) { $0.begin(logs: logs, deliveries: deliveries) }
    }

    mutating func take(
        _ run: EntriesFrame, on connectionID: ConnectionID, authorID: UserID, latest: HybridTimestamp
    ) throws(ProtocolError) -> [EntryRecord] {
        guard isActive(on: connectionID),
            let taken = try links[connectionID]?.queue[0].take(run, authorID: authorID, latest: latest)
        else { throw ProtocolError(.violation, "the peer gives back entries that it was not asked for") }
        for entry in taken {
            guard let key = entry.key, links[connectionID]?.keys.count ?? 0 < Limits.returnedKeys else { continue }
            links[connectionID]?.keys[key] = MessageID(log: run.log.logID, sequence: entry.sequence)
        }
        return taken
    }

    mutating func compareNext(on connectionID: ConnectionID, logs: Logs, author: LogAuthor) -> Recovery.Step? {
        withFirst(on: connectionID) { $0.compareNext(logs: logs, author: author) }
    }

    mutating func read(
        _ entries: [EntryRecord], on connectionID: ConnectionID, logs: Logs, deliveries: inout Deliveries,
        author: LogAuthor, now: Moment
    ) -> Recovery.Step? {
        withFirst(on: connectionID) {
            $0.read(entries, logs: logs, deliveries: &deliveries, author: author, now: now)
        }
    }

    /// A piece is on the disk, and is told when the link has brought all.
    /// - Returns: what is next; `nil` if the link is over that brought it.
    mutating func written(_ piece: RecoveredPiece, logs: Logs, author: LogAuthor) -> Recovery.Step? {
        isKnownOlder = true
        guard let recovery = first(on: piece.connectionID), recovery.logID == piece.record.logID,
            recovery.isCommitting, let own = logs.own(recovery.logID)
        else { return nil }
        links[piece.connectionID]?.tally.add(piece)
        return withFirst(on: piece.connectionID) { $0.written(own, logs: logs, author: author) }
    }

    /// The first log of a link is back.
    mutating func removeFirst(on connectionID: ConnectionID) -> Recovery? {
        guard isActive(on: connectionID) else { return nil }
        return links[connectionID]?.queue.removeFirst()
    }

    private mutating func withFirst(
        on connectionID: ConnectionID, _ body: (inout Recovery) -> Recovery.Step?
    ) -> Recovery.Step? {
        guard isActive(on: connectionID) else { return nil }
        return links[connectionID].flatMap { _ in body(&links[connectionID]!.queue[0]) }
    }

    // MARK: - The end

    /// A link has no log to bring back any more, or is over. What it brought is told by `takeUntold`.
    /// - Returns: whether all came back that its peer had claimed; `nil` if it had claimed nothing.
    mutating func end(on connectionID: ConnectionID) -> Bool? {
        guard let link = links.removeValue(forKey: connectionID) else { return nil }
        pieces.removeAll { $0.connectionID == connectionID }
        untold[connectionID] = link.tally.event(from: link.userID)
        return link.queue.isEmpty
    }

    mutating func takeUntold(of connectionID: ConnectionID) -> Event? { untold.removeValue(forKey: connectionID) }

    // MARK: - To the disk

    var hasPieces: Bool { !pieces.isEmpty }

    mutating func write(_ piece: RecoveredPiece) { pieces.append(piece) }

    /// The last piece of a log is here. What this node has written meanwhile, and offered to nobody, must come after it.
    /// - Returns: the logs that may get new times, for which the piece waits. If there are none, write it at once.
    mutating func beginRetiming(
        _ piece: RecoveredPiece, logs: Logs, deliveries: Deliveries, author: LogAuthor
    ) -> [LogID] {
        let claimed = Set(
            links.values.lazy.filter { $0.userID == piece.record.recipientID }.flatMap(\.queue).map(\.logID))
        var latest = piece.record.head.timestamp
        var waiting: [Retiming.Log] = []
        for log in logs.own(to: piece.record.recipientID) where !claimed.contains(log.record.logID) {
            let offered = deliveries.target(log.deliveryKey)?.offered ?? 0
            guard offered < log.head.sequence else {
                latest = max(latest, log.head.timestamp)
                continue
            }
            let failed = deliveries.failures(in: log.record.logID)
            waiting.append(
                Retiming.Log(
                    record: log.record, offered: offered, withheld: Set(failed.filter(\.value.isWithheld).keys)))
        }
        guard !waiting.isEmpty else { return [] }
        let retiming = Retiming(
            waiting, after: latest, returned: links[piece.connectionID]?.keys ?? [:], signingKey: author.signingKey)
        links[piece.connectionID]?.retiming = (piece, retiming)
        return waiting.map(\.record.logID)
    }

    /// What the store is to be asked for on a link, so that entries get new times.
    func nextToRetime(on connectionID: ConnectionID) -> (logID: LogID, from: UInt64)? {
        links[connectionID]?.retiming?.retiming.next
    }

    /// The store's answer. When all have their times, the piece is to be written with them.
    /// - Returns: whether it was waited for.
    mutating func retime(_ entries: [EntryRecord], on connectionID: ConnectionID) -> Bool {
        guard links[connectionID]?.retiming != nil else { return false }
        links[connectionID]?.retiming?.retiming.read(entries)
        guard let (waiting, retiming) = links[connectionID]?.retiming, retiming.next == nil else { return true }
        var piece = waiting
        piece.retimed = retiming.retimed
        piece.repeats = retiming.repeats
        piece.renamed += retiming.repeats.flatMap(\.renamed)
        links[connectionID]?.retiming = nil
        write(piece)
        return true
    }

    /// Pieces that would cut off what another device of the user has acknowledged meanwhile.
    func contradicted(by deliveries: Deliveries) -> [RecoveredPiece] {
        pieces.filter { piece in
            piece.cut.map { deliveries.target(piece.key)?.delivered ?? 0 > $0.after } ?? false
        }
    }

    /// Puts what came back into a commit: all that belongs together is written at once.
    mutating func move(into next: inout CommitInFlight, deliveries: inout Deliveries) {
        for var piece in pieces {
            piece.progress = deliveries.restore(piece)
            piece.findSteps(deliveries)
            next.commit.logs.append(piece.record)
            if let successor = piece.successor { next.commit.logs.append(successor) }
            if let cut = piece.cut { next.commit.cuts.append(cut) }
            next.commit.cuts += piece.repeats
            for retimed in piece.retimed {
                next.commit.logs.append(retimed.record)
                next.commit.retimed.append(retimed.entries)
            }
            if !piece.entries.isEmpty {
                next.commit.entries.append(LogEntries(logID: piece.record.logID, entries: piece.entries))
            }
            next.commit.withdrawnFailures += piece.withdrawn.map {
                Addressed(
                    messageID: MessageID(log: piece.record.logID, sequence: $0), recipientID: piece.record.recipientID)
            }
            next.recovered.append(piece)
        }
        next.commit.beginsGeneration = !pieces.isEmpty && (!isKnownOlder || !next.commit.cuts.isEmpty)
        pieces = []
    }
}
