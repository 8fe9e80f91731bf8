import EarshotCrypto
package import EarshotModel

extension NodeMachine {
    /// A user of this node wants messages sent. They are accepted together or not at all, and keep their order.
    package mutating func send(
        _ drafts: [MessageDraft], to recipientID: UserID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        do throws(ProtocolError) {
            try check(drafts, to: recipientID)
            let send = PendingSend(requestID: requestID, recipientID: recipientID, drafts: drafts)
            try enqueue(send)
            use(recipientID, now: now)
        } catch {
            emit(.complete(requestID, .failure(error)))
        }
        return finish(now: now)
    }

    private func check(_ drafts: [MessageDraft], to recipientID: UserID) throws(ProtocolError) {
        guard !isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
        guard recipientID != local.userID else {
            throw ProtocolError(.invalidMessage, "a message to oneself goes nowhere")
        }
        try trust.checkRecipient(recipientID)
        guard !drafts.isEmpty, drafts.count <= Limits.messagesPerSend else {
            throw ProtocolError(
                .invalidMessage, "one call sends 1 to \(Limits.messagesPerSend) messages, not \(drafts.count)")
        }
        for draft in drafts {
            do { try draft.validate() } catch { throw ProtocolError(.invalidMessage, error.description) }
        }
    }

    /// Behind those that wait for the recipient, so that the order stays.
    private mutating func enqueue(_ send: PendingSend) throws(ProtocolError) {
        let recipientID = send.recipientID
        guard isHolding(recipientID) || queue.held[recipientID] != nil else {
            guard queue.hasRoom(for: send) else {
                throw ProtocolError(
                    .overloaded, "\(queue.sendCount) messages wait for the disk already; send again in a moment")
            }
            queue.append(send)
            return
        }
        let held = queue.held[recipientID, default: HeldSends()]
        guard
            held.count == 0
                || (held.count + send.drafts.count <= Limits.heldSends
                    && held.bytes + send.bytes <= Limits.heldSendBytes)
        else {
            let name = trust.directory.users[recipientID]?.name.description ?? recipientID.fingerprint
            throw ProtocolError(
                .overloaded,
                "\(held.count) messages to \(name) wait already, until \(name) has given back earlier ones of this node; "
                    + "send again in a moment")
        }
        let total = queue.heldTotal
        guard total.hasRoom(for: send) else {
            throw ProtocolError(
                .overloaded,
                "\(total.count) messages wait already until users have given back earlier ones of this node; send again in "
                    + "a moment")
        }
        queue.held[recipientID, default: HeldSends()].append(send)
    }

    /// The sender takes a message back.
    package mutating func cancel(_ messageID: MessageID, requestID: RequestID, now: Moment) -> [NodeAction] {
        do {
            try checkCancel(messageID)
            let failure = DeliveryFailure(messageID: messageID, reason: .cancelled, isWithheld: true)
            queueFailure(failure, requestID: requestID)
        } catch {
            emit(.complete(requestID, .failure(error)))
        }
        return finish(now: now)
    }

    private func checkCancel(_ messageID: MessageID) throws(ProtocolError) {
        guard let log = ownLogs[messageID.log], messageID.sequence <= log.head.sequence else {
            throw ProtocolError(.unknownMessage, "this node has sent no message \(messageID)")
        }
        guard failures[messageID.log]?[messageID.sequence] == nil else {
            throw ProtocolError(.alreadySent, "the message has failed already")
        }
        let key = ProgressKey(logID: messageID.log, recipientID: log.record.peerID)
        guard messageID.sequence > (progress[key]?.target.offered ?? 0) else {
            throw ProtocolError(
                .alreadySent, "the message is on its way or delivered already, and cannot be taken back")
        }
    }

    mutating func queueFailure(_ failure: DeliveryFailure, requestID: RequestID?) {
        failures[failure.messageID.log, default: [:]][failure.messageID.sequence] = failure
        queue.failures.append(PendingFailure(failure: failure, requestID: requestID))
    }

    // MARK: - Onto the links

    mutating func pumpLinks(of logID: LogID) {
        guard let recipientID = ownLogs[logID]?.record.peerID else { return }
        linksToPump.formUnion(connections(to: recipientID))
    }

    /// Sends what can be sent of this node's logs on one link: asks the store for what comes next.
    mutating func pump(_ connectionID: ConnectionID, now: Moment) {
        guard let link = links[connectionID], link.hasHeads, link.windowRoom > 0, (queue.retryAt ?? .min) <= now.uptime
        else { return }
        // One log at a time, so that what is read for one is not room that another counts on.
        guard link.outgoing.values.allSatisfy(\.isIdle) else { return }
        for logID in link.outgoing.keys.sorted() {
            guard let outgoing = link.outgoing[logID], !queue.failures.hold(logID),
                outgoing.receiptInQuestion == nil, let log = ownLogs[logID], outgoing.next <= log.head.sequence
            else { continue }
            links[connectionID]?.outgoing[logID]?.phase = .reading
            emit(
                .read(
                    EntriesRead(
                        connectionID: connectionID, purpose: .sending, logID: logID, from: outgoing.next,
                        countLimit: Limits.entriesPerFrame, byteLimit: min(link.windowRoom, Limits.entriesFrameBytes))))
            return
        }
    }

    /// The answer to `read`.
    package mutating func entriesRead(_ read: EntriesRead, entries: [EntryRecord], now: Moment) -> [NodeAction] {
        switch read.purpose {
        case .sending: sendingRead(read, entries: entries, now: now)
        case .checking(let receipt): checkingRead(read, receipt, chain: entries.first?.chain, now: now)
        case .recovering: recoveryRead(read, entries: entries, now: now)
        case .givingBack: givingBackRead(read, entries: entries, now: now)
        }
        return finish(now: now)
    }

    private mutating func sendingRead(_ read: EntriesRead, entries: [EntryRecord], now: Moment) {
        guard let outgoing = links[read.connectionID]?.outgoing[read.logID] else { return }
        if case .reading = outgoing.phase, read.from == outgoing.next, let last = entries.last {
            offer(entries, through: last.sequence, logID: read.logID, on: read.connectionID, now: now)
        } else {
            links[read.connectionID]?.outgoing[read.logID]?.phase = .idle
        }
    }

    private mutating func checkingRead(
        _ read: EntriesRead, _ receipt: Receipt, chain: ChainHash?, now: Moment
    ) {
        guard links[read.connectionID]?.outgoing[read.logID] != nil else { return }
        resolve(receipt, on: read.connectionID, chain: chain, now: now)
        if let later = links[read.connectionID]?.outgoing[read.logID]?.receiptInQuestion {
            askForChain(of: later, on: read.connectionID)
        }
    }

    /// The store could not answer `read`: the link is closed, and the next one asks again.
    package mutating func readFailed(_ read: EntriesRead, _ error: String, now: Moment) -> [NodeAction] {
        close(read.connectionID, .storageFailure, error: ProtocolError(.storage, error), now: now)
        return finish(now: now)
    }

    /// Entries may go out once it is on the disk that they may, and which of them may not; they are not taken back after
    /// that.
    private mutating func offer(
        _ entries: [EntryRecord], through sequence: UInt64, logID: LogID, on connectionID: ConnectionID, now: Moment
    ) {
        guard let log = ownLogs[logID] else { return }
        let key = ProgressKey(logID: logID, recipientID: log.record.peerID)
        links[connectionID]?.outgoing[logID]?.phase = .idle
        guard !queue.failures.hold(logID) else { return }
        links[connectionID]?.outgoing[logID]?.offer(entries)
        if progress[key, default: TrackedProgress()].committed.offered >= sequence {
            sendOffered(logID, on: connectionID, now: now)
            return
        }
        let target = progress[key, default: TrackedProgress()].target.offered
        progress[key, default: TrackedProgress()].target.offered = max(target, sequence)
        queue.changedProgress.insert(key)
        queue.isUrgent = true
    }

    /// It is on the disk that these entries may go out: sends them, in frames of bounded size.
    mutating func sendOffered(_ logID: LogID, on connectionID: ConnectionID, now: Moment) {
        guard let log = ownLogs[logID], case .offering(let entries) = links[connectionID]?.outgoing[logID]?.phase,
            let last = entries.last
        else { return }
        let key = ProgressKey(logID: logID, recipientID: log.record.peerID)
        // The disk may say so of the first of them only: the commit that says it of the rest is yet to come.
        guard last.sequence <= progress[key, default: TrackedProgress()].committed.offered else { return }
        links[connectionID]?.outgoing[logID]?.phase = .idle
        noteUse(of: connectionID, now: now)
        var start = 0
        while start < entries.count {
            var end = start
            var bytes = 0
            repeat {
                bytes += entries[end].windowBytes
                end += 1
            } while end < entries.count && end - start < Limits.entriesPerFrame
                && bytes + entries[end].windowBytes <= Limits.entriesFrameBytes
            sendFrame(entries[start..<end], bytes: bytes, of: log, on: connectionID)
            start = end
        }
        if last.sequence > progress[key, default: TrackedProgress()].target.sent {
            progress[key, default: TrackedProgress()].target.sent = last.sequence
            queue.changedProgress.insert(key)
            markLazily(now: now)
        }
        linksToPump.insert(connectionID)
    }

    private mutating func sendFrame(
        _ entries: ArraySlice<EntryRecord>, bytes: Int, of log: OwnLog, on connectionID: ConnectionID
    ) {
        guard let first = entries.first, let last = entries.last else { return }
        let failed = failures[log.record.logID]
        let contents = entries.map { entry in
            failed?[entry.sequence]?.isWithheld == true ? .withheld(entry.content.hash) : entry.content
        }
        let checkpoint =
            last.checkpoint
            ?? Checkpoint.sign(
                logID: log.record.logID, sequence: last.sequence, chain: last.chain, with: local.signingKey)
        let frame = EntriesFrame(
            log: log.description, firstSequence: first.sequence, contents: contents, checkpoint: checkpoint)
        send(.entries(frame), on: connectionID)
        links[connectionID]?.outgoing[log.record.logID]?.sent(
            through: last.sequence, chain: last.chain, bytes: bytes)
        links[connectionID]?.windowUsed += bytes
    }
}
