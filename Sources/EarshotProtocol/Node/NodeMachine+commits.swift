import EarshotCrypto
public import EarshotModel

extension NodeMachine {
    /// Makes the next commit of all that waits, if its time has come.
    mutating func commitIfDue(now: Moment) {
        guard queue.isDue(now: now.uptime) else { return }
        var next = CommitInFlight()
        takeUsers(into: &next)
        let heads = takeReceived(into: &next)
        takeSends(into: &next, now: now)
        takeFailures(into: &next)
        takeExpiries(into: &next)
        takeProgress(into: &next, heads: heads)
        queue.isUrgent = false
        queue.lazyDeadline = .max
        queue.retryAt = nil
        queue.inFlight = next
        emit(.commit(next.commit))
    }

    // MARK: - What goes into a commit

    private mutating func takeUsers(into next: inout CommitInFlight) {
        next.commit.users = queue.users.values.sorted { $0.userID < $1.userID }
        next.commit.devices = queue.devices.values.sorted { $0.deviceID < $1.deviceID }
        next.userEvents = queue.userEvents
        next.markRequests = queue.markRequests
        queue.users = [:]
        queue.devices = [:]
        queue.userEvents = []
        queue.markRequests = []
    }

    /// - Returns: the heads that the logs of peers have with this commit.
    private mutating func takeReceived(into next: inout CommitInFlight) -> [LogID: LogHead] {
        var heads: [LogID: LogHead] = [:]
        var count = 0
        var bytes = 0
        while let run = queue.received.first, count < Limits.commitEntries, bytes < Limits.commitBytes {
            queue.received.removeFirst()
            count += run.entries.count
            bytes += run.bytes
            heads[run.logID] = run.head
            next.commit.entries.append(LogEntries(logID: run.logID, entries: run.entries))
            next.received.append(run)
        }
        for (logID, head) in heads.sorted(by: { $0.key < $1.key }) {
            guard let log = incomingLogs[logID] else { continue }
            next.commit.logs.append(
                LogRecord(description: log.description, authorID: log.authorID, peerID: log.authorID, head: head))
            let key = ProgressKey(logID: logID, recipientID: local.userID)
            var target = progress[key, default: TrackedProgress()].target
            target.offered = head.sequence
            target.sent = head.sequence
            target.delivered = head.sequence
            progress[key, default: TrackedProgress()].target = target
            queue.changedProgress.insert(key)
        }
        return heads
    }

    private mutating func takeSends(into next: inout CommitInFlight, now: Moment) {
        var sends: [PendingSend] = []
        var count = 0
        var bytes = 0
        while let send = queue.sends.first, count < Limits.commitEntries, bytes < Limits.commitBytes {
            queue.sends.removeFirst()
            queue.sendCount -= send.drafts.count
            count += send.drafts.count
            bytes += send.drafts.reduce(0) { $0 + $1.text.utf8.count }
            sends.append(send)
        }
        var logs: [LogID: (log: OwnLog, drafts: [(MessageDraft, HybridTimestamp, Int64)])] = [:]
        var places: [(send: PendingSend, logID: LogID, range: Range<Int>)] = []
        for send in sends {
            let log = ownLog(to: send.recipientID, now: now)
            var (_, drafts) = logs[log.record.logID] ?? (log, [])
            let start = drafts.count
            logs[log.record.logID] = nil
            for draft in send.drafts {
                let expiry = now.wallClock.addingReportingOverflow(draft.timeToLive)
                drafts.append(
                    (draft, clock.tick(wallClock: now.wallClock), expiry.overflow ? .max : expiry.partialValue))
            }
            places.append((send, log.record.logID, start..<drafts.count))
            logs[log.record.logID] = (log, drafts)
        }
        var messages: [LogID: [Message]] = [:]
        for (logID, group) in logs.sorted(by: { $0.key < $1.key }) {
            let (record, entries) = group.log.extended(by: group.drafts, signingKey: local.signingKey)
            messages[logID] = self.messages(of: entries, drafts: group.drafts.map(\.0), record: record)
            next.commit.logs.append(record)
            next.commit.entries.append(LogEntries(logID: logID, entries: entries))
            next.appended.append(.init(record: record, entries: entries, messages: messages[logID] ?? []))
            offerLive(entries, of: record)
        }
        next.completions = places.map { ($0.send.requestID, Array(messages[$0.logID]?[$0.range] ?? [])) }
    }

    private func messages(of entries: [EntryRecord], drafts: [MessageDraft], record: LogRecord) -> [Message] {
        let recipients = [record.peerID]
        let states = [record.peerID: DeliveryState.queued]
        return zip(entries, drafts).map { entry, draft in
            Message(
                messageID: MessageID(log: record.logID, sequence: entry.sequence),
                conversationID: record.description.conversationID, senderID: local.userID, recipientIDs: recipients,
                text: draft.text, headers: draft.headers, timestamp: entry.timestamp, expiry: entry.expiry,
                states: states)
        }
    }

    /// The log that this device writes to a user; a new one if it has written none.
    private func ownLog(to recipientID: UserID, now: Moment) -> OwnLog {
        if let log = currentLog[recipientID].flatMap({ ownLogs[$0] }) { return log }
        let description = LogDescription(
            conversationID: .direct(local.userID, recipientID), deviceID: local.deviceID,
            epoch: UInt64(max(1, now.wallClock)))
        return OwnLog(
            record: LogRecord(
                description: description, authorID: local.userID, peerID: recipientID,
                head: .origin(of: description.logID)))
    }

    /// Where a link has sent all that came before, new entries may go out as soon as this commit is done.
    private mutating func offerLive(_ entries: [EntryRecord], of record: LogRecord) {
        guard let first = entries.first, let last = entries.last, !isStopping else { return }
        let bytes = entries.reduce(0) { $0 + $1.windowBytes }
        var isOffered = false
        for (connectionID, link) in linksByNumber where link.peer?.userID == record.peerID && link.hasHeads {
            let outgoing = link.outgoing[record.logID] ?? Outgoing(next: 1)
            guard outgoing.canContinue(at: first.sequence), link.windowRoom >= bytes else { continue }
            links[connectionID]?.outgoing[record.logID, default: outgoing].offer(entries)
            isOffered = true
        }
        guard isOffered else { return }
        let key = ProgressKey(logID: record.logID, recipientID: record.peerID)
        progress[key, default: TrackedProgress()].target.offered = last.sequence
        queue.changedProgress.insert(key)
    }

    private mutating func takeFailures(into next: inout CommitInFlight) {
        next.failures = queue.failures
        next.commit.failures = queue.failures.map(\.failure)
        queue.failures = []
    }

    private mutating func takeExpiries(into next: inout CommitInFlight) {
        let extended = Set(next.appended.map(\.record.logID))
        for logID in queue.changedExpiry.sorted() where !extended.contains(logID) {
            if let log = ownLogs[logID] { next.commit.logs.append(log.record) }
        }
        queue.changedExpiry = []
    }

    private mutating func takeProgress(into next: inout CommitInFlight, heads: [LogID: LogHead]) {
        for key in queue.changedProgress.sorted() {
            guard var target = progress[key]?.target else { continue }
            if key.recipientID == local.userID,
                let chain = (heads[key.logID] ?? incomingLogs[key.logID]?.committed)?.chain
            {
                target.receipt = Receipt.sign(
                    logID: key.logID, sequence: target.delivered, chain: chain, readSequence: target.read,
                    deviceID: local.deviceID, with: local.signingKey)
                progress[key]?.target.receipt = target.receipt
            }
            next.progress.append((key, target))
            next.commit.deliveries.append(
                DeliveryRecord(logID: key.logID, recipientID: key.recipientID, progress: target))
        }
        queue.changedProgress.removeAll(keepingCapacity: true)
    }

    // MARK: - What follows from a commit

    /// The commit is on the disk: all that waited for it may go out now.
    public mutating func committed(now: Moment) -> [NodeAction] {
        guard let done = queue.inFlight else {
            preconditionFailure("a shell says that a commit is done only after it was given one")
        }
        queue.inFlight = nil
        if hasStorageFailed {
            hasStorageFailed = false
            post(.storageRecovered)
            linksToPump.formUnion(links.keys)
        }
        for event in done.userEvents { post(event) }
        for appended in done.appended { apply(appended) }
        for (requestID, messages) in done.completions { emit(.complete(requestID, .success(messages))) }
        for run in done.received { apply(run) }
        for (key, new) in done.progress { apply(new, for: key, now: now) }
        for pending in done.failures { apply(pending) }
        for requestID in done.markRequests { emit(.complete(requestID, .success([]))) }
        return finish(now: now)
    }

    private mutating func apply(_ appended: CommitInFlight.Appended) {
        ownLogs[appended.record.logID] = OwnLog(record: appended.record)
        currentLog[appended.record.peerID] = appended.record.logID
        for message in appended.messages { post(.messageQueued(message)) }
        for (connectionID, link) in linksByNumber where link.peer?.userID == appended.record.peerID && link.hasHeads {
            if links[connectionID]?.outgoing[appended.record.logID] == nil {
                links[connectionID]?.outgoing[appended.record.logID] = Outgoing(next: 1)
            }
            linksToPump.insert(connectionID)
        }
    }

    private mutating func apply(_ run: ReceivedRun) {
        incomingLogs[run.logID]?.commit(through: run.head)
        links[run.connectionID]?.uncommittedBytes -= run.bytes
        for message in run.messages { post(.messageReceived(message)) }
    }

    private mutating func apply(_ new: DeliveryProgress, for key: ProgressKey, now: Moment) {
        let old = progress[key, default: TrackedProgress()].committed
        progress[key, default: TrackedProgress()].committed = new
        if key.recipientID == local.userID {
            guard let deviceID = incomingLogs[key.logID]?.description.deviceID,
                let connectionID = linkOfDevice[deviceID]
            else { return }
            sendReceipt(for: key.logID, on: connectionID)
            return
        }
        if new.offered > old.offered {
            for (connectionID, link) in linksByNumber where link.peer?.userID == key.recipientID {
                sendOffered(key.logID, on: connectionID, now: now)
            }
        }
        postChanges(from: old, to: new, key: key)
    }

    private mutating func postChanges(from old: DeliveryProgress, to new: DeliveryProgress, key: ProgressKey) {
        guard let conversationID = ownLogs[key.logID]?.description.conversationID else { return }
        func change(_ sequence: UInt64, _ state: DeliveryState) -> MessageStateChange {
            MessageStateChange(
                messageID: MessageID(log: key.logID, sequence: sequence), conversationID: conversationID,
                recipientID: key.recipientID, state: state)
        }
        let failed = failures[key.logID] ?? [:]
        if new.sent > old.sent {
            for sequence in old.sent + 1...new.sent where failed[sequence] == nil {
                post(.messageSent(change(sequence, .sent)))
            }
        }
        if new.delivered > old.delivered {
            for sequence in old.delivered + 1...new.delivered where failed[sequence]?.isWithheld != true {
                post(.messageDelivered(change(sequence, .delivered)))
            }
        }
        if new.read > old.read {
            for sequence in old.read + 1...new.read where failed[sequence]?.isWithheld != true {
                post(.messageRead(change(sequence, .read)))
            }
        }
        forgetSettledFailures(in: key.logID, through: new.delivered, read: new.read)
    }

    /// A failure that a receipt has overtaken needs no place in memory; a withheld one keeps its until it is past `read`.
    private mutating func forgetSettledFailures(in logID: LogID, through delivered: UInt64, read: UInt64) {
        guard let failed = failures[logID] else { return }
        let left = failed.filter { $0.value.isWithheld ? $0.key > read : $0.key > delivered }
        failures[logID] = left.isEmpty ? nil : left
    }

    private mutating func apply(_ pending: PendingFailure) {
        let messageID = pending.failure.messageID
        if let requestID = pending.requestID { emit(.complete(requestID, .success([]))) }
        guard let log = ownLogs[messageID.log] else { return }
        let key = ProgressKey(logID: messageID.log, recipientID: log.record.peerID)
        let state = progress[key, default: TrackedProgress()].committed.state(
            of: messageID.sequence, failure: pending.failure)
        guard case .failed = state else { return }
        post(
            .messageFailed(
                MessageStateChange(
                    messageID: messageID, conversationID: log.description.conversationID,
                    recipientID: log.record.peerID, state: state)))
    }

    // MARK: - When the disk does not take it

    /// Nothing of the commit is on the disk. What was asked for fails; what is true anyway is tried again.
    public mutating func commitFailed(_ error: String, now: Moment) -> [NodeAction] {
        guard let failed = queue.inFlight else {
            preconditionFailure("a shell says that a commit failed only after it was given one")
        }
        queue.inFlight = nil
        for (requestID, _) in failed.completions {
            emit(.complete(requestID, .failure(ProtocolError(.storage, error))))
        }
        for user in failed.commit.users where queue.users[user.userID] == nil { queue.users[user.userID] = user }
        for device in failed.commit.devices where queue.devices[device.deviceID] == nil {
            queue.devices[device.deviceID] = device
        }
        queue.userEvents.insert(contentsOf: failed.userEvents, at: 0)
        queue.markRequests.insert(contentsOf: failed.markRequests, at: 0)
        queue.failures.insert(contentsOf: failed.failures, at: 0)
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
        takeBackOffers()
        dropReceived(failed.received, now: now)
        storageFailed(error, now: now)
        return finish(now: now)
    }

    /// Entries that may not go out yet are forgotten; the store is asked for them again later.
    private mutating func takeBackOffers() {
        for connectionID in links.keys.sorted() {
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
            guard let log = incomingLogs[run.logID], let current = linkOfDevice[log.description.deviceID] else {
                continue
            }
            linksToClose.insert(current)
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
        for connectionID in linksToClose.sorted() where links[connectionID] != nil {
            close(connectionID, .storageFailure, error: nil, now: now)
        }
    }

    mutating func storageFailed(_ error: String, now: Moment) {
        queue.retryAt = now.uptime + Timing.commitRetry
        guard !hasStorageFailed else { return }
        hasStorageFailed = true
        queue.isUrgent = true
        post(.storageFailed(error))
    }
}
