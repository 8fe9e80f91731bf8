import DequeModule
import EarshotModel

/// Messages that wait while a log is taken back from their recipient: nothing may be appended to it meanwhile.
extension NodeMachine {
    func isRecovering(_ userID: UserID) -> Bool {
        connections(to: userID).contains { links[$0]?.recoveries.isEmpty == false }
    }

    /// Whether messages to a user wait. Where they do not, nothing is being taken back from that user.
    func isHolding(_ userID: UserID) -> Bool { isRecovering(userID) && holds[userID]?.isPaused != true }

    /// A device of a user claims a log. Whoever claimed one before, in vain, gets no more time for it.
    mutating func hold(_ userID: UserID, now: Moment) {
        if holds[userID] == nil {
            if holds.count >= Limits.recoveryHolds { forgetOldestHold() }
            holds[userID] = SendHold(now: now.uptime)
            holdsDue = min(holdsDue, now.uptime + Timing.recovery)
        }
        if isHolding(userID) { holdSends(to: userID) }
    }

    /// This node's own disk has ended what was under way: that is held against nobody.
    mutating func forgetEndedHolds() { holds = holds.filter { isRecovering($0.key) } }

    private mutating func forgetOldestHold() {
        let oldest = holds.filter { !isRecovering($0.key) }.min {
            ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key)
        }
        if let oldest { holds[oldest.key] = nil }
    }

    private mutating func holdSends(to userID: UserID) {
        guard queue.sends.contains(where: { $0.recipientID == userID }) else { return }
        var total = queue.heldTotal
        var hasRoom = queue.held[userID]?.isFirstQueued != true
        // They come before those that still waited when the last hold ended.
        for send in queue.sends.reversed() where send.recipientID == userID {
            hasRoom = hasRoom && total.hasRoom(for: send)
            queue.held[userID, default: HeldSends()].prepend(send, isQueued: !hasRoom)
            // It was accepted, so it waits in any case, and where there is no more room it keeps its place.
            guard hasRoom else { continue }
            total.add(send)
            queue.sendCount -= send.drafts.count
            queue.sendBytes -= send.bytes
        }
        queue.sends.removeAll { $0.recipientID == userID }
    }

    // MARK: - The end of the wait

    /// Ends what has taken too long, and begins anew what has paused.
    mutating func updateHolds(now: Moment) {
        guard holdsDue <= now.uptime else { return }
        for userID in holds.keys.sorted() {
            if let hold = holds[userID], !hold.isPaused, hold.deadline <= now.uptime {
                holds[userID]?.pause()
                if isRecovering(userID) { endRecoveries(from: userID, hold, now: now) }
            }
            guard let hold = holds[userID], hold.isPaused, hold.deadline <= now.uptime else { continue }
            holds[userID] = isRecovering(userID) ? SendHold(now: now.uptime) : nil
            if isRecovering(userID) { holdSends(to: userID) }
        }
        holdsDue = holds.values.reduce(.max) { min($0, $1.deadline) }
    }

    /// A peer that claims what it does not give is let go. What only waits for its turn may wait on.
    private mutating func endRecoveries(from userID: UserID, _ hold: SendHold, now: Moment) {
        for connectionID in connections(to: userID) {
            guard let link = links[connectionID], let recovery = link.recoveries.first,
                !recovery.isWaiting || !link.hasHeads
            else { continue }
            let message =
                hold.hasBroughtEntries
                ? "the peer has not given back a log of this node within the time for that; the rest is asked for again "
                    + "in \(Timing.recoveryPause / 1000) s"
                : "the peer says that it holds \(recovery.claim.sequence) entries of a log of this node, and does not give "
                    + "them back"
            close(
                connectionID, .timeout, error: ProtocolError(.timeout, message, closeReason: .timeout), now: now)
        }
    }

    /// Lets the messages go that wait no longer, as far as the others leave room.
    mutating func releaseSends() {
        for userID in queue.held.keys.sorted() where !isHolding(userID) {
            while let send = queue.held[userID]?.first {
                let isQueued = queue.held[userID]?.isFirstQueued == true
                guard isQueued || queue.hasRoom(for: send) else { break }
                queue.held[userID]?.removeFirst()
                if isQueued { queue.sends.append(send) } else { queue.append(send) }
            }
            if queue.held[userID]?.first == nil { queue.held[userID] = nil }
        }
    }
}
