import EarshotCrypto
import EarshotModel

/// What a peer gives back, held against what this node has.
extension NodeMachine {
    /// Entries of this node's own.
    mutating func recovered(
        _ run: EntriesFrame, from peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        guard run.log.conversationID == .direct(local.userID, peer.userID),
            let recovery = links[connectionID]?.recoveries.first, recovery.isAsking, recovery.logID == run.log.logID
        else { throw ProtocolError(.violation, "the peer gives back entries that it was not asked for") }
        var log =
            recovery.log
            ?? IncomingLog(description: run.log, authorID: local.userID, head: .origin(of: run.log.logID))
        // No peer's word makes it later than it is.
        let latest = HybridTimestamp(milliseconds: now.wallClock + Timing.clockTolerance)
        let taken = try log.receive(run, deleted: run.deleted.mapValues { min($0, latest) }).map(\.record)
        guard !taken.isEmpty else {
            throw ProtocolError(.violation, "the peer gives back entries that this node has, in the place of others")
        }
        let claimed = taken.first { $0.sequence == recovery.claim.sequence }
        guard claimed.map({ $0.chain == recovery.claim.chain }) ?? true else {
            throw ProtocolError(
                .violation, "the peer claims another entry \(recovery.claim.sequence) than it gives back")
        }
        let bytes = taken.reduce(0) { $0 + $1.windowBytes }
        links[connectionID]?.progress += 2 + bytes / Limits.requestBytes
        holds[peer.userID]?.prolong(by: taken, of: run.log.logID)
        links[connectionID]?.recoveries[0].log = log
        links[connectionID]?.recoveries[0].run = taken
        links[connectionID]?.recoveries[0].compared = 0
        links[connectionID]?.recoveries[0].phase = .comparing
        compareNext(on: connectionID, now: now)
    }

    /// Compares what is in both, then goes on with what is new.
    private mutating func compareNext(on connectionID: ConnectionID, now: Moment) {
        guard let recovery = links[connectionID]?.recoveries.first else { return }
        let end = ownLogs[recovery.logID]?.head.sequence ?? 0
        guard recovery.compared < recovery.run.count, recovery.run[recovery.compared].sequence <= end else {
            settleRun(on: connectionID, now: now)
            return
        }
        let next = recovery.run[recovery.compared].sequence
        let count = min(recovery.run.count - recovery.compared, Int(end - next + 1))
        read(recovery.logID, from: next, countLimit: count, on: connectionID)
    }

    /// The answer to a read for a recovery.
    mutating func recoveryRead(_ read: EntriesRead, entries: [EntryRecord], now: Moment) {
        let connectionID = read.connectionID
        guard let recovery = links[connectionID]?.recoveries.first, let first = entries.first,
            first.sequence == read.from
        else {
            guard links[connectionID]?.recoveries.isEmpty == false else { return }
            let error = ProtocolError(.storage, "entry \(read.from) of a log of this node is missing")
            close(connectionID, .storageFailure, error: error, now: now)
            return
        }
        switch recovery.phase {
        case .placing:
            guard let own = ownLogs[recovery.logID] else { return }
            let head = LogHead(sequence: first.sequence, chain: first.chain, timestamp: first.timestamp)
            place(head, of: own, on: connectionID, now: now)
        case .comparing: compare(entries, on: connectionID, now: now)
        case .measuring: measure(entries, on: connectionID, now: now)
        case .following: follow(entries, on: connectionID, now: now)
        case .waiting, .asking, .committing: return
        }
    }

    private mutating func compare(_ entries: [EntryRecord], on connectionID: ConnectionID, now: Moment) {
        for own in entries {
            guard let recovery = links[connectionID]?.recoveries.first, recovery.compared < recovery.run.count
            else { break }
            let theirs = recovery.run[recovery.compared]
            guard own.chain == theirs.chain else {
                fork(after: own.sequence - 1, on: connectionID)
                return
            }
            compareContent(own, theirs, logID: recovery.logID, on: connectionID, now: now)
            links[connectionID]?.recoveries[0].compared += 1
            links[connectionID]?.recoveries[0].comparedTime = own.timestamp
        }
        compareNext(on: connectionID, now: now)
    }

    /// The chain does not tell a body from its hash: whoever has only the hash does not have the message, unless they
    /// have deleted it. That is their word, and does not make anything delivered that was withheld.
    private mutating func compareContent(
        _ own: EntryRecord, _ theirs: EntryRecord, logID: LogID, on connectionID: ConnectionID, now: Moment
    ) {
        let isWithheldHere = failures[logID]?[own.sequence]?.isWithheld == true
        switch (own.content, theirs.content) {
        case (.body, .withheld) where !isWithheldHere && !theirs.isDeleted:
            withhold(MessageID(log: logID, sequence: own.sequence), expiry: own.expiry, now: now)
        case (_, .body) where isWithheldHere:
            links[connectionID]?.recoveries[0].withdrawn.append(own.sequence)
        default: return
        }
    }

    // MARK: - Where the logs part

    private mutating func fork(after sequence: UInt64, on connectionID: ConnectionID) {
        guard let recovery = links[connectionID]?.recoveries.first else { return }
        links[connectionID]?.recoveries[0].fork = Fork(after: sequence)
        links[connectionID]?.recoveries[0].common = min(recovery.common, sequence)
        links[connectionID]?.recoveries[0].phase = .measuring
        read(recovery.logID, from: sequence + 1, countLimit: Limits.entriesPerFrame, on: connectionID)
    }

    private mutating func measure(_ entries: [EntryRecord], on connectionID: ConnectionID, now: Moment) {
        guard let recovery = links[connectionID]?.recoveries.first, var fork = recovery.fork,
            let own = ownLogs[recovery.logID]
        else { return }
        fork.tail += entries.map(Fork.Entry.init)
        links[connectionID]?.recoveries[0].fork = fork
        let measured = fork.after + UInt64(fork.tail.count)
        guard measured >= own.head.sequence else {
            read(recovery.logID, from: measured + 1, countLimit: Limits.entriesPerFrame, on: connectionID)
            return
        }
        findSuccessor(on: connectionID, now: now)
    }

    /// Looks whether the entries went to a successor once before.
    private mutating func findSuccessor(on connectionID: ConnectionID, now: Moment) {
        guard let recovery = links[connectionID]?.recoveries.first, var fork = recovery.fork else { return }
        guard let candidate = successor(of: recovery, fork), ownLogs[candidate.logID] != nil else {
            settleRun(on: connectionID, now: now)
            return
        }
        fork.candidate = candidate.logID
        fork.matching = 0
        links[connectionID]?.recoveries[0].fork = fork
        links[connectionID]?.recoveries[0].phase = .following
        read(candidate.logID, from: 1, countLimit: Limits.entriesPerFrame, on: connectionID)
    }

    /// The log that the rest of a fork's tail belongs to.
    private func successor(of recovery: Recovery, _ fork: Fork) -> LogDescription? {
        guard let own = ownLogs[recovery.logID], fork.known < fork.tail.count else { return nil }
        return LogDescription(
            conversationID: own.description.conversationID, deviceID: local.deviceID,
            epoch: fork.tail[fork.known].timestamp.rawValue + fork.detour)
    }

    /// The peer was given the hash alone, so the message was taken back after the copy was made.
    private mutating func noteWithheld(_ entry: EntryRecord, own: Fork.Entry, in logID: LogID, now: Moment) {
        guard case .withheld = entry.content, !entry.isDeleted, let expiry = own.expiry,
            failures[logID]?[entry.sequence]?.isWithheld != true
        else { return }
        withhold(MessageID(log: logID, sequence: entry.sequence), expiry: expiry, now: now)
    }

    private mutating func withhold(_ messageID: MessageID, expiry: Int64, now: Moment) {
        let reason = expiry <= now.wallClock ? FailureReason.expired : .cancelled
        queueFailure(DeliveryFailure(messageID: messageID, reason: reason, isWithheld: true), requestID: nil)
    }

    private mutating func follow(_ entries: [EntryRecord], on connectionID: ConnectionID, now: Moment) {
        guard let recovery = links[connectionID]?.recoveries.first, var fork = recovery.fork,
            let candidate = fork.candidate, let end = ownLogs[candidate]?.head.sequence
        else { return }
        var isSame = true
        for entry in entries where isSame {
            let place = fork.known + fork.matching
            isSame = place < fork.tail.count && fork.tail[place].hash == entry.content.hash
            guard isSame else { break }
            noteWithheld(entry, own: fork.tail[place], in: candidate, now: now)
            fork.matching += 1
        }
        if isSame, UInt64(fork.matching) < end {
            links[connectionID]?.recoveries[0].fork = fork
            read(
                candidate, from: UInt64(fork.matching) + 1, countLimit: Limits.entriesPerFrame, on: connectionID)
            return
        }
        fork.leave(candidate, of: recovery.logID)
        links[connectionID]?.recoveries[0].fork = fork
        findSuccessor(on: connectionID, now: now)
    }

    // MARK: - What becomes of it

    /// The run is compared: what is new in it is to be written.
    private mutating func settleRun(on connectionID: ConnectionID, now: Moment) {
        links[connectionID]?.recoveries[0].raiseTimes()
        guard let link = links[connectionID], let peer = link.peer, let recovery = link.recoveries.first,
            let log = recovery.log
        else { return }
        let own = ownLogs[recovery.logID]
        let end = recovery.fork?.after ?? own?.head.sequence ?? 0
        let entries = Array(recovery.run.drop { $0.sequence <= end })
        let isComplete = recovery.claim.sequence <= recovery.proved
        guard isComplete || !entries.isEmpty else {
            ask(on: connectionID, now: now)
            return
        }
        var record =
            own?.record
            ?? LogRecord(
                description: log.description, authorID: local.userID, peerID: peer.userID, head: log.proved)
        if !entries.isEmpty { record.head = log.proved }
        let (cut, successor) = cut(of: recovery) ?? (nil, nil)
        queue.recovered.append(
            RecoveredPiece(
                connectionID: connectionID, record: record, entries: entries, cut: cut, successor: successor,
                renamed: renamed(recovery, cut), common: recovery.common, withdrawn: recovery.withdrawn,
                proved: recovery.proved, receipt: isComplete ? recovery.claim : nil))
        links[connectionID]?.recoveries[0].phase = .committing
        links[connectionID]?.recoveries[0].run = []
        links[connectionID]?.recoveries[0].fork = nil
        links[connectionID]?.recoveries[0].withdrawn = []
    }

    /// The end of the log goes to its successor, chained anew under that one's name.
    private func cut(of recovery: Recovery) -> (LogCut?, LogRecord?)? {
        guard let fork = recovery.fork, let own = ownLogs[recovery.logID] else { return nil }
        guard let description = successor(of: recovery, fork) else {
            let cut = LogCut(
                logID: recovery.logID, after: fork.after, kept: fork.renamed, successor: nil, chains: [],
                checkpoint: nil)
            return (cut, nil)
        }
        var head = LogHead.origin(of: description.logID)
        var chains: [ChainHash] = []
        for entry in fork.tail[fork.known...] {
            head = LogHead(
                sequence: head.sequence + 1, chain: head.chain.appending(entry.hash), timestamp: entry.timestamp)
            chains.append(head.chain)
        }
        let checkpoint = Checkpoint.sign(
            logID: description.logID, sequence: head.sequence, chain: head.chain, with: local.signingKey)
        let cut = LogCut(
            logID: recovery.logID, after: fork.after, kept: fork.renamed, successor: description.logID,
            chains: chains, checkpoint: checkpoint)
        let record = LogRecord(
            description: description, authorID: local.userID, peerID: own.record.peerID, head: head,
            nextExpiry: own.record.nextExpiry)
        return (cut, record)
    }

    private func renamed(_ recovery: Recovery, _ cut: LogCut?) -> [RenamedMessages] {
        guard let cut, let fork = recovery.fork, let successor = cut.successor else {
            return recovery.fork?.renamed ?? []
        }
        let from = MessageID(log: recovery.logID, sequence: cut.knownEnd + 1)
        let to = MessageID(log: successor, sequence: 1)
        return fork.renamed + [RenamedMessages(from: from, to: to, count: UInt64(cut.chains.count))]
    }
}

extension Fork {
    /// The successor that was looked at holds no more of the tail.
    fileprivate mutating func leave(_ successor: LogID, of logID: LogID) {
        candidate = nil
        guard matching > 0 else {
            // Another log has this epoch: as good as none.
            detour += 1
            return
        }
        renamed.append(
            RenamedMessages(
                from: MessageID(log: logID, sequence: after + UInt64(known) + 1),
                to: MessageID(log: successor, sequence: 1), count: UInt64(matching)))
        known += matching
        matching = 0
        detour = 0
    }
}
