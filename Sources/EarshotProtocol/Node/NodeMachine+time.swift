package import EarshotModel

extension NodeMachine {
    /// Time has passed. To be called at `deadline`, and harmless at any other time.
    package mutating func tick(now: Moment) -> [NodeAction] {
        noticeClocks(now: now)
        closeExpired(now: now)
        for connectionID in openConnections { run(peers.tick(connectionID, now: now), on: connectionID, now: now) }
        run(reachability.tick(now: now.uptime))
        findExpired(now: now)
        // Sending again is how a node finds out that the disk takes writes again.
        if hasStorageFailed { linksToPump.formUnion(openConnections) }
        clocks.restartDeadline()
        for link in links.values { clocks.wake(by: link.machine.deadline) }
        clocks.wake(by: reachability.deadline)
        readPostponed(now: now)
        for connectionID in links.keys { noteCredential(on: connectionID, now: now) }
        for log in ownLogs.values { noteExpiry(log.record, now: now) }
        return finish(now: now)
    }

    /// When `tick` has something to do, at the latest.
    package func deadline(now: Moment) -> Int64 { max(now.uptime, nextDeadline) }

    var nextDeadline: Int64 { min(queue.deadline, clocks.deadline, holdsDue, peers.dialDeadline) }

    /// Messages of this log may expire then. The wall clock may jump, so it is looked at once an hour at least.
    mutating func noteExpiry(_ record: LogRecord, now: Moment) {
        guard record.nextExpiry != .max, expirySearches[record.logID] == nil else { return }
        let wait = min(max(0, record.nextExpiry - now.wallClock), Timing.expiryCheck)
        wake(by: now.uptime + wait)
    }

    /// Looks for messages whose time is over in the logs where there may be some.
    private mutating func findExpired(now: Moment) {
        for (logID, log) in ownLogs.sorted(by: { $0.key < $1.key }) where log.record.nextExpiry <= now.wallClock {
            guard expirySearches[logID] == nil else { continue }
            expirySearches[logID] = log.head.sequence
            let key = ProgressKey(logID: logID, recipientID: log.record.peerID)
            let delivered = progress[key]?.target.delivered ?? 0
            emit(.findExpired(logID: logID, after: delivered, now: now.wallClock))
        }
    }

    /// The answer to `findExpired`: these entries' time is over, and the next one's will be then.
    package mutating func expiredFound(
        in logID: LogID, sequences: [UInt64], nextExpiry: Int64, now: Moment
    ) -> [NodeAction] {
        guard let end = expirySearches.removeValue(forKey: logID), let log = ownLogs[logID] else { return [] }
        let key = ProgressKey(logID: logID, recipientID: log.record.peerID)
        let current = progress[key]?.target ?? DeliveryProgress()
        for sequence in sequences where sequence > current.delivered && failures[logID]?[sequence] == nil {
            // What may have left already may still turn out to be delivered; what has not is kept back for good.
            let failure = DeliveryFailure(
                messageID: MessageID(log: logID, sequence: sequence), reason: .expired,
                isWithheld: sequence > current.offered)
            queueFailure(failure, requestID: nil)
        }
        // A log that has grown meanwhile is searched again: the search may not have seen its new end.
        if log.head.sequence == end {
            ownLogs[logID]?.record.nextExpiry = nextExpiry
            queue.changedExpiry.insert(logID)
        }
        if let record = ownLogs[logID]?.record { noteExpiry(record, now: now) }
        markLazily(now: now)
        return finish(now: now)
    }

    /// The store could not answer `findExpired`: it is asked again after a while.
    package mutating func findExpiredFailed(in logID: LogID, now: Moment) -> [NodeAction] {
        expirySearches[logID] = nil
        wake(by: now.uptime + Timing.expiryRetry)
        return finish(now: now)
    }

    /// A change that is true already waits a moment for company in a commit.
    mutating func markLazily(now: Moment) {
        queue.lazyDeadline = min(queue.lazyDeadline, now.uptime + Timing.lazyCommit)
    }
}
