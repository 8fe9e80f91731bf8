import EarshotCrypto
import EarshotModel

extension NodeMachine {
    /// Makes the next commit of all that waits, if its time has come.
    mutating func commitIfDue(now: Moment) {
        guard queue.isDue(now: now.uptime) else { return }
        var next = CommitInFlight()
        takeUsers(into: &next)
        let heads = takeReceived(into: &next)
        takeRecovered(into: &next)
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
        next.commit.forgottenUsers = queue.forgottenUsers
        next.commit.forgottenDevices = queue.forgottenDevices.sorted()
        next.commit.devices = queue.devices.values.sorted { $0.deviceID < $1.deviceID }
        next.userEvents = queue.userEvents
        next.markRequests = queue.markRequests
        queue.users = [:]
        queue.forgottenUsers = []
        queue.devices = [:]
        queue.forgottenDevices = []
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
        // What one call sends stays together, so a large one may be larger than a commit should be.
        while let send = queue.sends.first,
            sends.isEmpty
                || (count + send.drafts.count <= Limits.commitEntries && bytes + send.bytes <= Limits.commitBytes)
        {
            queue.sends.removeFirst()
            queue.sendCount -= send.drafts.count
            queue.sendBytes -= send.bytes
            count += send.drafts.count
            bytes += send.bytes
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
                let expiry = now.wallClock.addingReportingOverflow(draft.timeToLive.milliseconds)
                drafts.append(
                    (draft, clocks.tick(now: now), expiry.overflow ? .max : expiry.partialValue))
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
        for connectionID in connections(to: record.peerID) {
            guard let link = links[connectionID], link.hasHeads, !isRecovering(record.logID, on: connectionID)
            else { continue }
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

    private mutating func takeExpiries(into next: inout CommitInFlight) {
        let extended = Set(next.commit.logs.map(\.logID))
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
}
