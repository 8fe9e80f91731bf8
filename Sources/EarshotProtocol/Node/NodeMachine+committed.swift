package import EarshotModel

extension NodeMachine {
    /// The commit is on the disk: all that waited for it may go out now.
    package mutating func committed(now: Moment) -> [NodeAction] {
        guard let done = queue.inFlight else {
            preconditionFailure("a shell says that a commit is done only after it was given one")
        }
        queue.inFlight = nil
        if hasStorageFailed {
            hasStorageFailed = false
            post(.storageRecovered)
            linksToPump.formUnion(openConnections)
        }
        for event in done.userEvents { post(event) }
        for appended in done.appended { apply(appended, now: now) }
        for (requestID, messages) in done.completions { emit(.complete(requestID, .success(messages))) }
        for run in done.received { apply(run) }
        for piece in done.recovered { apply(piece, now: now) }
        for (key, new) in done.progress { apply(new, for: key, now: now) }
        for pending in done.failures { apply(pending, after: done.commit.cuts) }
        for requestID in done.markRequests { emit(.complete(requestID, .success([]))) }
        return finish(now: now)
    }

    private mutating func apply(_ appended: CommitInFlight.Appended, now: Moment) {
        ownLogs[appended.record.logID] = OwnLog(record: appended.record)
        currentLog[appended.record.peerID] = appended.record.logID
        noteExpiry(appended.record, now: now)
        for message in appended.messages { post(.messageQueued(message)) }
        // The user may have been barred while this was written.
        failUndelivered(to: appended.record.peerID)
        for connectionID in connections(to: appended.record.peerID) {
            guard links[connectionID]?.hasHeads == true,
                !isRecovering(appended.record.logID, on: connectionID)
            else { continue }
            if links[connectionID]?.outgoing[appended.record.logID] == nil {
                links[connectionID]?.outgoing[appended.record.logID] = Outgoing(next: 1)
            }
            linksToPump.insert(connectionID)
        }
    }

    private mutating func apply(_ run: ReceivedRun) {
        incomingLogs[run.logID]?.commit(through: run.head)
        queue.receivedBytes.remove(run.bytes, of: run.deviceID)
        for message in run.messages { post(.messageReceived(message)) }
    }

    private mutating func apply(_ new: DeliveryProgress, for key: ProgressKey, now: Moment) {
        let old = progress[key, default: TrackedProgress()].committed
        progress[key, default: TrackedProgress()].committed = new
        if key.recipientID == local.userID {
            guard let deviceID = incomingLogs[key.logID]?.description.deviceID,
                let connectionID = connection(to: deviceID)
            else { return }
            sendReceipt(for: key.logID, on: connectionID)
            return
        }
        if new.offered > old.offered {
            for connectionID in connections(to: key.recipientID) {
                sendOffered(key.logID, on: connectionID, now: now)
            }
        }
        postChanges(from: old, to: new, key: key)
    }

    mutating func postChanges(from old: DeliveryProgress, to new: DeliveryProgress, key: ProgressKey) {
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
        if new.delivered > old.delivered { forgetSettledFailures(in: key.logID, through: new.delivered) }
    }

    /// A failure that a receipt has overtaken needs no place in memory. A withheld one keeps its place for ever: whoever
    /// asks for the log again, from however far back, must not be given what was held back.
    mutating func forgetSettledFailures(in logID: LogID, through delivered: UInt64) {
        guard let failed = failures[logID] else { return }
        let left = failed.filter { $0.value.isWithheld || $0.key > delivered }
        failures[logID] = left.isEmpty ? nil : left
    }

    private mutating func apply(_ pending: PendingFailure, after cuts: [LogCut]) {
        guard let pending = pending.placed(after: cuts) else { return }
        let messageID = pending.failure.messageID
        pumpLinks(of: messageID.log)
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
}
