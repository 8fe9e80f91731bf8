package import EarshotModel

extension NodeMachine {
    /// Nothing of the commit is on the disk. What was asked for fails; what is true anyway is tried again.
    ///
    /// - Parameter isDiskFull: whether that is so because there is no space left.
    package mutating func commitFailed(_ error: String, isDiskFull: Bool = false, now: Moment) -> [NodeAction] {
        guard let failed = queue.inFlight else {
            preconditionFailure("a shell says that a commit failed only after it was given one")
        }
        queue.inFlight = nil
        let reason = ProtocolError(isDiskFull ? .storageFull : .storage, error)
        for (requestID, _) in failed.completions {
            emit(.complete(requestID, .failure(reason)))
        }
        // Who was forgotten meanwhile stays so.
        for user in failed.commit.users
        where queue.users[user.userID] == nil && trust.directory.users[user.userID] != nil {
            queue.users[user.userID] = user
        }
        for device in failed.commit.devices
        where queue.devices[device.deviceID] == nil && trust.directory.devices[device.deviceID] != nil {
            queue.devices[device.deviceID] = device
        }
        queue.forgottenDevices.formUnion(failed.commit.forgottenDevices.filter { trust.directory.devices[$0] == nil })
        queue.forgottenUsers += failed.commit.forgottenUsers.filter { trust.directory.users[$0] == nil }
        for requestID in failed.markRequests {
            emit(.complete(requestID, .failure(reason)))
        }
        takeBackFailures(failed.failures, reason: reason)
        for (key, _) in failed.progress {
            // A log that this commit would have begun has not begun: the next try begins another.
            if ownLogs[key.logID] == nil && incomingLogs[key.logID] == nil {
                progress[key] = nil
                queue.changedProgress.remove(key)
            } else {
                queue.changedProgress.insert(key)
            }
        }
        queue.changedExpiry.formUnion(failed.commit.logs.map(\.logID).filter { ownLogs[$0] != nil })
        dropRecovered(failed.recovered, now: now)
        takeBackOffers()
        dropReceived(failed.received, now: now)
        forgetEndedHolds()
        let events = failed.userEvents + queue.userEvents
        queue.userEvents = []
        for event in events { queue.add(event, isMerged: true) }
        storageFailed(error, now: now)
        return finish(now: now)
    }

    /// What somebody asked for has not happened; a message whose time is over has failed all the same.
    private mutating func takeBackFailures(_ pending: [PendingFailure], reason: ProtocolError) {
        for item in pending {
            guard let requestID = item.requestID else {
                queue.failures.append(item)
                continue
            }
            let messageID = item.failure.messageID
            failures[messageID.log]?[messageID.sequence] = nil
            if let recipientID = ownLogs[messageID.log]?.record.peerID { failUndelivered(to: recipientID) }
            emit(.complete(requestID, .failure(reason)))
        }
    }

    /// Entries that may not go out yet are forgotten; the store is asked for them again later.
    private mutating func takeBackOffers() {
        for connectionID in openConnections {
            for logID in Array(links[connectionID]?.outgoing.keys ?? [:].keys) {
                if case .offering = links[connectionID]?.outgoing[logID]?.phase {
                    links[connectionID]?.outgoing[logID]?.phase = .idle
                }
            }
        }
        for key in progress.keys where key.recipientID != local.userID {
            guard let committed = progress[key]?.committed, let delivered = progress[key]?.target.delivered else {
                continue
            }
            progress[key]?.target.offered = max(committed.offered, delivered)
        }
    }

    /// What peers sent is not known, so they must send it again, on another link and later.
    private mutating func dropReceived(_ runs: [ReceivedRun], now: Moment) {
        let dropped = runs + queue.received
        // Also the links that stand now: over them the peer may have sent the same again, and gone on from there.
        var linksToClose = Set(dropped.map(\.connectionID))
        for run in dropped {
            queue.receivedBytes.remove(run.bytes, of: run.deviceID)
            if let current = connection(to: run.deviceID) { linksToClose.insert(current) }
        }
        queue.received.removeAll()
        for run in dropped {
            incomingLogs[run.logID]?.forgetUncommitted()
            let key = ProgressKey(logID: run.logID, recipientID: local.userID)
            guard let tracked = progress[key] else { continue }
            let read = max(tracked.committed.read, min(tracked.target.read, tracked.committed.delivered))
            progress[key]?.target = tracked.committed
            progress[key]?.target.read = read
            if read == tracked.committed.read { queue.changedProgress.remove(key) }
        }
        for connectionID in linksToClose.sorted() where isOpen(connectionID) {
            close(connectionID, .storageFailure, error: nil, now: now)
        }
    }

    mutating func storageFailed(_ error: String, now: Moment) {
        let retryAt = now.uptime + Timing.commitRetry
        queue.retryAt = retryAt
        queue.isUrgent = true
        wake(by: retryAt)
        guard !hasStorageFailed else { return }
        hasStorageFailed = true
        post(.storageFailed(error))
    }
}
