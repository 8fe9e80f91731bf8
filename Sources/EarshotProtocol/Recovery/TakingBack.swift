import EarshotModel

/// Takes this node's own logs back from peers that hold more of them than this node.
///
/// It decides whose turn it is, which messages and requests wait meanwhile, and who is let go because it takes too long.
/// In which order a link's logs come back is the matter of `Recoveries`, and how one does that of a `Recovery`. It has no
/// links: it says what is to be done with them.
struct TakingBack: Sendable {
    /// What it wants done, in this order.
    enum Effect: Sendable {
        case send(Frame, ConnectionID)
        case read(EntriesRead)
        case close(ConnectionID, CloseReason, ProtocolError)
        /// What is being read of these logs, to be sent to the user, is outdated.
        case discardReading([LogID], of: UserID)
        /// Messages to the user wait from now on.
        case hold(UserID)
        /// One log is what the peer holds, or that and what this node has written since.
        case end(Recovery, OwnLog)
    }

    private var recoveries = Recoveries()
    private var holds = SendHolds()
    private var cancels = HeldCancels()

    // MARK: - Who waits

    /// Links that bring logs back, ascending.
    var connections: [ConnectionID] { recoveries.connections }

    func isActive(on connectionID: ConnectionID) -> Bool { recoveries.isActive(on: connectionID) }

    func contains(_ logID: LogID, on connectionID: ConnectionID) -> Bool {
        recoveries.contains(logID, on: connectionID)
    }

    /// The recovery whose turn it is on a link.
    func first(on connectionID: ConnectionID) -> Recovery? { recoveries.first(on: connectionID) }

    private func isRecovering(_ userID: UserID, over sessions: ReplicationSessions) -> Bool {
        sessions[userID].contains { recoveries.isActive(on: $0) }
    }

    /// Whether messages to a user are held. Where they are not, nothing is being taken back from that user.
    func isHolding(_ userID: UserID, over sessions: ReplicationSessions) -> Bool {
        !holds.isPaused(userID) && isRecovering(userID, over: sessions)
    }

    /// Whether logs are being taken back, from anybody.
    func isHolding(over sessions: ReplicationSessions) -> Bool {
        recoveries.connections.contains { sessions[$0].map { isHolding($0.userID, over: sessions) } == true }
    }

    /// When a hold may be over: an uptime.
    var due: Int64 { holds.due }

    // MARK: - Claims

    /// A peer says that it holds what this node does not have, or has otherwise. Nothing is written to the peer's user
    /// until that is settled, or has taken too long.
    /// - Parameter claim: is authentic.
    mutating func begin(
        _ claim: Receipt, from userID: UserID, on connectionID: ConnectionID, logs: Logs, sessions: ReplicationSessions,
        now: Moment
    ) throws(ProtocolError) {
        try recoveries.add(Recovery(claim: claim, userID: userID, connectionID: connectionID), logs: logs)
        let recoveries = recoveries
        holds.begin(userID, now: now) { user in sessions[user].contains { recoveries.isActive(on: $0) } }
    }

    /// A receipt for a log that is being taken back already.
    mutating func raise(_ claim: Receipt, on connectionID: ConnectionID) throws(ProtocolError) {
        try recoveries.raise(claim, on: connectionID)
    }

    /// A request to take a message back waits for the recipient's logs.
    mutating func hold(
        cancelOf messageID: MessageID, to recipientID: UserID, requestID: RequestID
    ) throws(ProtocolError) {
        try cancels.add(messageID, to: recipientID, requestID: requestID)
    }

    /// The requests that wait no longer, in the order in which they came.
    mutating func releaseCancels(where isHeld: (UserID) -> Bool) -> [HeldCancels.Cancel] {
        cancels.isEmpty ? [] : cancels.release(where: isHeld)
    }

    // MARK: - The one whose turn it is

    /// Begins with the log whose turn it is on a link, if its time has come.
    ///
    /// Not while this node writes to that user, or takes a log back from another device of theirs; nor soon after that
    /// was tried in vain.
    /// - Returns: `nil` if none has begun.
    mutating func beginNext(
        on connectionID: ConnectionID, logs: Logs, deliveries: Deliveries, author: LogAuthor,
        sessions: ReplicationSessions, commit: CommitInFlight?
    ) -> [Effect]? {
        guard let recovery = recoveries.first(on: connectionID), recovery.isWaiting,
            sessions[connectionID]?.hasHeads == true, isHolding(recovery.userID, over: sessions),
            commit?.writes(to: recovery.userID) != true,
            !sessions[recovery.userID].contains(where: { $0 != connectionID && recoveries.isBusy(on: $0) })
        else { return nil }
        let step = recoveries.begin(on: connectionID, logs: logs, deliveries: deliveries)
        return follow(step, on: connectionID, logs: logs, deliveries: deliveries, author: author)
    }

    /// A peer gives back entries of this node's own.
    mutating func take(
        _ frame: EntriesFrame, from userID: UserID, on connectionID: ConnectionID, author: LogAuthor, now: Moment
    ) throws(ProtocolError) -> [EntryRecord] {
        // No peer's word makes it later than it is.
        let latest = HybridTimestamp(milliseconds: now.wallClock + Timing.clockTolerance)
        let taken = try recoveries.take(frame, on: connectionID, authorID: author.userID, latest: latest)
        holds.prolong(userID, by: taken, of: frame.log.logID)
        return taken
    }

    /// Goes on with what was taken.
    mutating func compareNext(
        on connectionID: ConnectionID, logs: Logs, deliveries: Deliveries, author: LogAuthor
    ) -> [Effect] {
        let step = recoveries.compareNext(on: connectionID, logs: logs, author: author)
        return follow(step, on: connectionID, logs: logs, deliveries: deliveries, author: author)
    }

    /// The store's answer to a read.
    mutating func read(
        _ read: EntriesRead, _ entries: [EntryRecord], logs: Logs, deliveries: inout Deliveries, author: LogAuthor,
        now: Moment
    ) -> [Effect] {
        let connectionID = read.connectionID
        guard recoveries.isActive(on: connectionID) else { return [] }
        guard entries.first?.sequence == read.from else {
            let error = ProtocolError(.storage, "entry \(read.from) of a log of this node is missing")
            return [.close(connectionID, .storageFailure, error)]
        }
        guard !recoveries.retime(entries, on: connectionID) else { return readToRetime(on: connectionID) }
        let step = recoveries.read(
            entries, on: connectionID, logs: logs, deliveries: &deliveries, author: author, now: now)
        return follow(step, on: connectionID, logs: logs, deliveries: deliveries, author: author)
    }

    private mutating func follow(
        _ step: Recovery.Step?, on connectionID: ConnectionID, logs: Logs, deliveries: Deliveries, author: LogAuthor
    ) -> [Effect] {
        switch step {
        case .ask(let sequence):
            guard let logID = recoveries.first(on: connectionID)?.logID else { return [] }
            return [.send(.wanted(logID, from: sequence), connectionID)]
        case .read(let logID, let sequence, let countLimit):
            return [.read(.recovering(logID, from: sequence, countLimit: countLimit, on: connectionID))]
        case .write(let piece): return write(piece, logs: logs, deliveries: deliveries, author: author)
        case .end(let own):
            guard let recovery = recoveries.removeFirst(on: connectionID) else { return [] }
            return [.end(recovery, own)]
        case nil: return []
        }
    }

    /// With the last piece of a log, what this node has written meanwhile gets its place behind it.
    private mutating func write(
        _ piece: RecoveredPiece, logs: Logs, deliveries: Deliveries, author: LogAuthor
    ) -> [Effect] {
        guard piece.receipt != nil else {
            recoveries.write(piece)
            return []
        }
        let logIDs = recoveries.beginRetiming(piece, logs: logs, deliveries: deliveries, author: author)
        guard !logIDs.isEmpty else {
            recoveries.write(piece)
            return []
        }
        return [.discardReading(logIDs, of: piece.record.recipientID)] + readToRetime(on: piece.connectionID)
    }

    private func readToRetime(on connectionID: ConnectionID) -> [Effect] {
        guard let (logID, sequence) = recoveries.nextToRetime(on: connectionID) else { return [] }
        return [.read(.recovering(logID, from: sequence, countLimit: Limits.entriesPerFrame, on: connectionID))]
    }

    // MARK: - On the disk

    var hasPieces: Bool { recoveries.hasPieces }

    /// Puts what came back into a commit.
    mutating func move(into next: inout CommitInFlight, deliveries: inout Deliveries) {
        recoveries.move(into: &next, deliveries: &deliveries)
    }

    /// Ends the links whose pieces would cut off what another device of the user has acknowledged meanwhile.
    func refuseContradictions(of deliveries: Deliveries) -> [Effect] {
        recoveries.contradicted(by: deliveries).map { piece in
            let error = ProtocolError(
                .violation,
                "the peer holds other entries after \(piece.cut?.after ?? 0) of a log of this node than another device "
                    + "of its user")
            return .close(piece.connectionID, .violation, error)
        }
    }

    /// Messages have other names with what is on the disk.
    mutating func rename(_ runs: [RenamedMessages]) { cancels.rename(runs) }

    /// A piece is on the disk.
    /// - Returns: `nil` if the link is over that brought it.
    mutating func written(
        _ piece: RecoveredPiece, logs: Logs, deliveries: Deliveries, author: LogAuthor
    ) -> [Effect]? {
        guard let step = recoveries.written(piece, logs: logs, author: author) else { return nil }
        return follow(step, on: piece.connectionID, logs: logs, deliveries: deliveries, author: author)
    }

    // MARK: - The end

    /// A link has no log to bring back any more, or is over. What it has brought is told by `takeUntold`.
    mutating func end(on connectionID: ConnectionID, of userID: UserID, sessions: ReplicationSessions) {
        // Who has given back what they claimed may claim again.
        if recoveries.end(on: connectionID) == true, !isRecovering(userID, over: sessions) { holds.end(userID) }
    }

    mutating func takeUntold(of connectionID: ConnectionID) -> Event? { recoveries.takeUntold(of: connectionID) }

    /// This node's own disk has ended what was under way: that is held against nobody.
    mutating func forgetEnded(_ sessions: ReplicationSessions) {
        let recoveries = recoveries
        holds.forgetEnded { userID in sessions[userID].contains { recoveries.isActive(on: $0) } }
    }

    /// Ends what has taken too long, and begins anew what has paused.
    mutating func updateHolds(_ sessions: ReplicationSessions, now: Moment) -> [Effect] {
        guard holds.due <= now.uptime else { return [] }
        var effects: [Effect] = []
        for userID in holds.users {
            if let hold = holds.pauseIfOver(userID, now: now) { effects += giveUp(on: userID, hold, sessions) }
            let isRecovering = isRecovering(userID, over: sessions)
            if holds.renewIfOver(userID, isRecovering: isRecovering, now: now) { effects.append(.hold(userID)) }
        }
        holds.rearm()
        return effects
    }

    /// A peer that claims what it does not give is let go. What only waits for its turn may wait on.
    private mutating func giveUp(on userID: UserID, _ hold: SendHold, _ sessions: ReplicationSessions) -> [Effect] {
        var effects: [Effect] = []
        for connectionID in sessions[userID] {
            guard let recovery = recoveries.first(on: connectionID),
                !recovery.isWaiting || sessions[connectionID]?.hasHeads == false
            else { continue }
            let message =
                hold.hasBroughtEntries
                ? "the peer has not given back a log of this node within the time for that; the rest is asked for again "
                    + "in \(Timing.recoveryPause / 1000) s"
                : "the peer says that it holds \(recovery.claim.sequence) entries of a log of this node, and does not give "
                    + "them back"
            end(on: connectionID, of: userID, sessions: sessions)
            effects.append(
                .close(connectionID, .timeout, ProtocolError(.timeout, message, closeReason: .timeout)))
        }
        return effects
    }
}

extension EntriesRead {
    fileprivate static func recovering(
        _ logID: LogID, from sequence: UInt64, countLimit: Int, on connectionID: ConnectionID
    ) -> EntriesRead {
        EntriesRead(
            connectionID: connectionID, purpose: .recovering, logID: logID, from: sequence, countLimit: countLimit,
            byteLimit: Limits.frameBytes)
    }
}
