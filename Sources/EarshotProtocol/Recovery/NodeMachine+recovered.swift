import EarshotModel

/// What was taken back, on its way to the disk.
extension NodeMachine {
    /// Puts what came back into a commit: all that belongs together is written at once.
    mutating func takeRecovered(into next: inout CommitInFlight) {
        for var piece in queue.recovered {
            piece.progress = progressed(by: piece)
            progress[piece.key, default: TrackedProgress()].target = piece.progress
            queue.changedProgress.insert(piece.key)
            next.commit.logs.append(piece.record)
            if let successor = piece.successor { next.commit.logs.append(successor) }
            if let cut = piece.cut { next.commit.cuts.append(cut) }
            if !piece.entries.isEmpty {
                next.commit.entries.append(LogEntries(logID: piece.record.logID, entries: piece.entries))
            }
            next.commit.withdrawnFailures += piece.withdrawn.map {
                MessageID(log: piece.record.logID, sequence: $0)
            }
            next.recovered.append(piece)
        }
        queue.recovered = []
    }

    /// What the peer gave back has left this node once; what it has signed for is delivered.
    private func progressed(by piece: RecoveredPiece) -> DeliveryProgress {
        var result = progress[piece.key]?.target ?? DeliveryProgress()
        result.offered = piece.cut == nil ? max(result.offered, piece.proved) : piece.proved
        result.sent = piece.cut == nil ? max(result.sent, piece.proved) : piece.proved
        if let receipt = piece.receipt { result.acknowledge(receipt) }
        return result
    }

    /// A failure that was decided on before its message got another name.
    mutating func takeFailures(into next: inout CommitInFlight) {
        let cuts = next.commit.cuts
        // Thousands may fail at once, when somebody is blocked.
        for _ in 0..<Limits.commitEntries {
            guard let pending = queue.failures.popFirst() else { return }
            guard let placed = pending.placed(after: cuts) else {
                answerSettled(pending)
                continue
            }
            next.failures.append(pending)
            next.commit.failures.append(placed.failure)
        }
    }

    /// The message is in another log already, where it has gone its way.
    private mutating func answerSettled(_ pending: PendingFailure) {
        let messageID = pending.failure.messageID
        failures[messageID.log]?[messageID.sequence] = nil
        pumpLinks(of: messageID.log)
        guard let requestID = pending.requestID else { return }
        emit(.complete(requestID, .failure(ProtocolError(.alreadySent, "the message was sent already"))))
    }

    // MARK: - On the disk

    mutating func apply(_ piece: RecoveredPiece, now: Moment) {
        let old = progress[piece.key, default: TrackedProgress()].committed
        progress[piece.key, default: TrackedProgress()].committed = piece.progress
        // No longer withheld, and forgotten when the receipt is told: it went from failed to delivered.
        for sequence in piece.withdrawn { failures[piece.record.logID]?[sequence]?.isWithheld = false }
        if let cut = piece.cut {
            apply(cut)
            doubtOtherLinks(piece, cut, now: now)
        }
        for record in [piece.record, piece.successor].compactMap({ $0 }) { adopt(record, now: now) }
        postChanges(from: old, to: piece.progress.capped(at: piece.common, from: old), key: piece.key)
        forgetSettledFailures(in: piece.record.logID, through: piece.progress.delivered)
        openSuccessor(piece.successor)
        proceed(after: piece, now: now)
    }

    private mutating func apply(_ cut: LogCut) {
        expirySearches[cut.logID] = nil
        let moved = (failures[cut.logID] ?? [:]).filter { $0.key > cut.after }
        for (sequence, failure) in moved {
            failures[cut.logID]?[sequence] = nil
            guard let place = cut.place(of: failure.messageID) else { continue }
            failures[place.log, default: [:]][place.sequence] = failure.moved(to: place)
        }
        var waiting = queue.failures
        queue.failures = PendingFailures()
        while let pending = waiting.popFirst() {
            if let placed = pending.placed(after: [cut]) {
                queue.failures.append(placed)
            } else {
                answerSettled(pending)
            }
        }
    }

    /// What other devices of the user were sent, or have acknowledged, while that was written is in doubt: the entries
    /// are elsewhere now. What they have acknowledged meanwhile they say again when they link.
    private mutating func doubtOtherLinks(_ piece: RecoveredPiece, _ cut: LogCut, now: Moment) {
        let isAcknowledged = progress[piece.key]?.target != piece.progress
        progress[piece.key, default: TrackedProgress()].target = piece.progress
        for connectionID in connections(to: piece.record.peerID) where connectionID != piece.connectionID {
            guard let outgoing = links[connectionID]?.outgoing[cut.logID],
                isAcknowledged || outgoing.next > cut.after + 1 || !outgoing.isUntouched
            else { continue }
            close(connectionID, .logDiffers, error: nil, now: now)
        }
    }

    /// A log of this node's own is there, or goes further.
    private mutating func adopt(_ record: LogRecord, now: Moment) {
        ownLogs[record.logID] = OwnLog(record: record)
        clocks.resume(after: record.head.timestamp)
        let current = currentLog[record.peerID].flatMap { ownLogs[$0]?.description.epoch }
        if current.map({ $0 < record.description.epoch }) ?? true { currentLog[record.peerID] = record.logID }
        noteExpiry(record, now: now)
    }

    private mutating func openSuccessor(_ record: LogRecord?) {
        guard let record else { return }
        for connectionID in connections(to: record.peerID) where links[connectionID]?.hasHeads == true {
            links[connectionID]?.outgoing[record.logID] = Outgoing(next: 1)
            linksToPump.insert(connectionID)
        }
    }

    private mutating func proceed(after piece: RecoveredPiece, now: Moment) {
        let connectionID = piece.connectionID
        guard let recovery = links[connectionID]?.recoveries.first, recovery.logID == piece.record.logID,
            case .committing = recovery.phase, let own = ownLogs[recovery.logID]
        else {
            tellLate(piece)
            return
        }
        links[connectionID]?.recovered.count += piece.messageCount
        links[connectionID]?.recovered.renamed += piece.renamed
        if recovery.claim.sequence > recovery.proved {
            ask(on: connectionID, now: now)
        } else {
            endRecovery(of: own, on: connectionID, now: now)
        }
    }

    /// The link that brought it has ended while it was written.
    private mutating func tellLate(_ piece: RecoveredPiece) {
        guard piece.messageCount > 0 || !piece.renamed.isEmpty else { return }
        post(
            .historyRecovered(
                HistoryRecovery(userID: piece.record.peerID, count: piece.messageCount, renamed: piece.renamed)))
    }

    // MARK: - Not on the disk

    /// Nothing has come back: the next link begins anew.
    mutating func dropRecovered(_ pieces: [RecoveredPiece], now: Moment) {
        for piece in pieces {
            let committed = progress[piece.key]?.committed ?? DeliveryProgress()
            progress[piece.key] = ownLogs[piece.record.logID] == nil ? nil : TrackedProgress(committed)
            queue.changedProgress.remove(piece.key)
            guard isOpen(piece.connectionID) else { continue }
            close(piece.connectionID, .storageFailure, error: nil, now: now)
        }
    }
}

extension RecoveredPiece {
    /// Entries whose content came back.
    var messageCount: Int {
        entries.count { entry in
            if case .body = entry.content { true } else { false }
        }
    }
}

extension PendingFailure {
    /// The same of the message's new name; `nil` where the message is in another log already.
    func placed(after cuts: [LogCut]) -> PendingFailure? {
        guard let cut = cuts.first(where: { $0.logID == failure.messageID.log }) else { return self }
        return cut.place(of: failure.messageID).map {
            PendingFailure(failure: failure.moved(to: $0), requestID: requestID)
        }
    }
}

extension DeliveryFailure {
    fileprivate func moved(to messageID: MessageID) -> DeliveryFailure {
        DeliveryFailure(messageID: messageID, reason: reason, isWithheld: isWithheld)
    }
}

extension DeliveryProgress {
    /// Of messages that this node did not know of no step is told.
    fileprivate func capped(at common: UInt64, from old: DeliveryProgress) -> DeliveryProgress {
        var result = self
        result.sent = min(sent, max(common, old.sent))
        result.delivered = min(delivered, max(common, old.delivered))
        result.read = min(read, max(common, old.read))
        return result
    }

    /// Takes a receipt for true. A recipient whose own database is older than its last receipt may have forgotten one of
    /// the two numbers: neither goes back, and a receipt that does not say both is not kept.
    mutating func acknowledge(_ receipt: Receipt) {
        let saysBoth = receipt.sequence >= delivered && receipt.readSequence >= read
        delivered = max(delivered, receipt.sequence)
        read = max(read, receipt.readSequence)
        offered = max(offered, delivered)
        sent = max(sent, delivered)
        self.receipt = saysBoth ? receipt : nil
    }
}
