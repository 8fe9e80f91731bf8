import EarshotCrypto
import EarshotModel

/// Taking this node's own entries back from a peer.
extension NodeMachine {
    /// A peer says that it holds what this node does not have, or has otherwise. Nothing is written to the peer's user
    /// until that is settled, or has taken too long.
    mutating func recover(
        _ claim: Receipt, from peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        links[connectionID]?.progress -= 1
        guard claim.isAuthentic else {
            throw ProtocolError(.unauthentic, "a receipt is not signed by the peer's device")
        }
        guard let link = links[connectionID], link.recoveries.count < Limits.logsPerHeads else {
            throw ProtocolError(.violation, "the peer claims more than \(Limits.logsPerHeads) logs")
        }
        links[connectionID]?.outgoing[claim.logID] = nil
        // Logs that are not known here come first: what was written after the copy may be in one of them.
        let place = link.recoveries.firstIndex { recovery in
            recovery.isWaiting && ownLogs[claim.logID] == nil && ownLogs[recovery.logID] != nil
        }
        links[connectionID]?.recoveries.insert(Recovery(claim: claim), at: place ?? link.recoveries.count)
        recoveringLinks.insert(connectionID)
        hold(peer.userID, now: now)
    }

    /// A receipt for a log that is being recovered.
    mutating func update(_ claim: Receipt, at index: Int, on connectionID: ConnectionID) throws(ProtocolError) {
        links[connectionID]?.progress -= 1
        // Before its signature is looked at, which is most of the work.
        guard let old = links[connectionID]?.recoveries[index].claim,
            (claim.sequence, claim.readSequence) > (old.sequence, old.readSequence)
        else { return }
        guard claim.isAuthentic else {
            throw ProtocolError(.unauthentic, "a receipt is not signed by the peer's device")
        }
        links[connectionID]?.recoveries[index].claim = claim
    }

    func isRecovering(_ logID: LogID, on connectionID: ConnectionID) -> Bool {
        links[connectionID]?.recoveries.contains { $0.logID == logID } == true
    }

    /// Goes on with what had to wait.
    mutating func advanceRecoveries(now: Moment) {
        dropContradicted(now: now)
        updateHolds(now: now)
        defer { releaseSends() }
        for connectionID in recoveringLinks.sorted() {
            while let link = links[connectionID], let peer = link.peer, link.hasHeads,
                let recovery = link.recoveries.first, recovery.isWaiting, mayRecover(peer, on: connectionID)
            {
                begin(recovery, from: peer, on: connectionID, now: now)
            }
        }
    }

    /// Another device of the user has acknowledged meanwhile what would be cut off.
    private mutating func dropContradicted(now: Moment) {
        for piece in queue.recovered {
            guard let cut = piece.cut, progress[piece.key, default: TrackedProgress()].target.delivered > cut.after
            else { continue }
            let error = ProtocolError(
                .violation,
                "the peer holds other entries after \(cut.after) of a log of this node than another device of its user")
            close(piece.connectionID, .violation, error: error, now: now)
        }
    }

    /// Not while this node writes to that user, or takes a log back from another device of theirs; nor soon after that
    /// was tried in vain.
    private func mayRecover(_ peer: LinkPeer, on connectionID: ConnectionID) -> Bool {
        guard isHolding(peer.userID),
            queue.inFlight?.appended.contains(where: { $0.record.peerID == peer.userID }) != true,
            queue.inFlight?.recovered.contains(where: { $0.record.peerID == peer.userID }) != true
        else { return false }
        return !connections(to: peer.userID).contains { other in
            other != connectionID && links[other]?.recoveries.first?.isWaiting == false
        }
    }

    private mutating func begin(
        _ recovery: Recovery, from peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) {
        guard let own = ownLogs[recovery.logID] else {
            ask(on: connectionID, now: now)
            return
        }
        let key = ProgressKey(logID: recovery.logID, recipientID: own.record.peerID)
        let delivered = progress[key]?.committed.delivered ?? 0
        guard recovery.claim.sequence > delivered else {
            endRecovery(of: own, on: connectionID, now: now)
            return
        }
        links[connectionID]?.recoveries[0].common = own.head.sequence
        guard delivered > 0 else {
            place(.origin(of: recovery.logID), of: own, on: connectionID, now: now)
            return
        }
        links[connectionID]?.recoveries[0].phase = .placing
        read(own.record.logID, from: delivered, countLimit: 1, on: connectionID)
    }

    /// From this entry on the peer is asked: it is known to be the same on both ends.
    mutating func place(_ head: LogHead, of own: OwnLog, on connectionID: ConnectionID, now: Moment) {
        let log = IncomingLog(description: own.description, authorID: local.userID, head: head)
        links[connectionID]?.recoveries[0].log = log
        ask(on: connectionID, now: now)
    }

    mutating func ask(on connectionID: ConnectionID, now: Moment) {
        guard let recovery = links[connectionID]?.recoveries.first else { return }
        links[connectionID]?.recoveries[0].phase = .asking
        send(.wanted(recovery.logID, from: recovery.proved + 1), on: connectionID)
    }

    mutating func read(_ logID: LogID, from sequence: UInt64, countLimit: Int, on connectionID: ConnectionID) {
        emit(
            .read(
                EntriesRead(
                    connectionID: connectionID, purpose: .recovering, logID: logID, from: sequence,
                    countLimit: countLimit, byteLimit: Limits.frameBytes)))
    }

    // MARK: - The end

    /// One log is what the peer holds, or that and what this node has written since.
    mutating func endRecovery(of own: OwnLog, on connectionID: ConnectionID, now: Moment) {
        guard let recovery = links[connectionID]?.recoveries.removeFirst() else { return }
        let end = max(recovery.proved, recovery.claim.sequence)
        links[connectionID]?.outgoing[own.record.logID] = Outgoing(next: end + 1)
        linksToPump.insert(connectionID)
        // A receipt that came while the last piece was written, or one that another device of the user has proved.
        if let peer = peer(on: connectionID) {
            do { try received(recovery.claim, from: peer, on: connectionID, now: now) } catch {
                close(connectionID, .violation, error: error, now: now)
                return
            }
        }
        if links[connectionID]?.recoveries.isEmpty == true { endRecoveries(on: connectionID) }
    }

    private mutating func endRecoveries(on connectionID: ConnectionID) {
        guard let link = links[connectionID], let peer = link.peer else { return }
        links[connectionID]?.recovered = RecoveryTally()
        forgetRecoveries(of: link, connectionID, peer)
    }

    /// A link has no recovery any more, or is gone: tells what it brought.
    mutating func forgetRecoveries(of link: Link, _ connectionID: ConnectionID, _ peer: LinkPeer) {
        guard recoveringLinks.remove(connectionID) != nil else { return }
        queue.recovered.removeAll { $0.connectionID == connectionID }
        if !link.recovered.isEmpty {
            post(
                .historyRecovered(
                    HistoryRecovery(
                        userID: peer.userID, count: link.recovered.count, renamed: link.recovered.renamed)))
        }
        // Who has given back what they claimed may claim again.
        if link.recoveries.isEmpty, !isRecovering(peer.userID) { holds[peer.userID] = nil }
    }
}
