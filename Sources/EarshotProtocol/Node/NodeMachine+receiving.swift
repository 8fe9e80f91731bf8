import EarshotCrypto
package import EarshotModel

extension NodeMachine {
    /// A frame of a linked peer.
    mutating func received(_ frame: Frame, on connectionID: ConnectionID, now: Moment) throws(ProtocolError) {
        guard let peer = peer(on: connectionID) else { return }
        noteUse(of: connectionID, now: now)
        switch frame {
        case .entries(let run): try received(run, from: peer, on: connectionID, now: now)
        case .receipts(let receipts):
            for receipt in receipts {
                try checkBudget(of: peer, on: connectionID, now: now)
                notes.receiptsReceived += 1
                try received(receipt, from: peer, on: connectionID, now: now)
            }
        case .heads(let receipts, let isComplete):
            try received(heads: receipts, isComplete: isComplete, from: peer, on: connectionID, now: now)
        case .dialBack(let port, let nonce): askedToDialBack(port: port, nonce: nonce, on: connectionID, now: now)
        case .dialBackResult(let nonce, let isReachable):
            run(reachability.answered(nonce: nonce, isReachable: isReachable, on: connectionID))
        case .wanted(let logID, let sequence):
            try giveBack(logID, from: sequence, to: peer, on: connectionID, now: now)
        case .ping, .pong, .rekey, .close: break  // The link has dealt with these.
        }
    }

    // MARK: - Entries

    private mutating func received(
        _ run: EntriesFrame, from peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        guard run.log.deviceID != local.deviceID else {
            try recovered(run, from: peer, on: connectionID, now: now)
            return
        }
        let conversationID = ConversationID.direct(local.userID, peer.userID)
        guard run.log.conversationID == conversationID, run.log.deviceID == peer.deviceID else {
            throw ProtocolError(.violation, "the peer sent entries of a log that is not its own")
        }
        let logID = run.log.logID
        var log = try incomingLog(run.log, of: peer)
        let taken = try log.receive(run)
        guard !taken.isEmpty else {
            if log.isSettled { sendReceipt(for: logID, on: connectionID) } else { excuse(run, on: connectionID) }
            return
        }
        let bytes = taken.reduce(0) { $0 + $1.record.windowBytes }
        try checkRoom(for: bytes, of: peer)
        // Not before: what is not queued for the disk is not proved, or a hole would follow.
        incomingLogs[logID] = log
        var messages: [Message] = []
        messages.reserveCapacity(taken.count)
        for (record, body) in taken {
            if let body, let skew = clocks.hear(body.timestamp, of: peer.userID, now: now) { post(.clockSkewed(skew)) }
            guard let message = message(record, body, of: run.log, by: peer.userID) else { continue }
            messages.append(message)
        }
        queue.receivedBytes.add(bytes, of: peer.deviceID)
        links[connectionID]?.progress += 2 + bytes / Limits.requestBytes
        if !messages.isEmpty { use(peer.userID, now: now) }
        queue.received.append(
            ReceivedRun(
                connectionID: connectionID, deviceID: peer.deviceID, logID: logID, head: log.proved,
                entries: taken.map(\.record),
                messages: messages, bytes: bytes))
    }

    /// A peer cannot know what came over its last link and is not on the disk yet: it sends that again, and is not charged
    /// for it, up to a window.
    private mutating func excuse(_ run: EntriesFrame, on connectionID: ConnectionID) {
        let bytes = run.contents.reduce(0) { $0 + $1.windowBytes }
        guard let repeated = links[connectionID]?.repeatedBytes, repeated + bytes <= Limits.windowBytes else { return }
        links[connectionID]?.repeatedBytes = repeated + bytes
        links[connectionID]?.progress += 1 + bytes / Limits.requestBytes
    }

    /// A device has one window, however many links it makes: what it sends again on another is known already. Beside
    /// that there is a bound for all that waits for the disk, of which strangers have a half.
    private func checkRoom(for bytes: Int, of peer: LinkPeer) throws(ProtocolError) {
        guard queue.receivedBytes[peer.deviceID] + bytes <= Limits.windowBytes + Limits.frameBytes else {
            throw ProtocolError(.violation, "the peer sends more than its window of \(Limits.windowBytes) bytes")
        }
        let limit = isStranger(peer.userID) ? Limits.receivedBytes / 2 : Limits.receivedBytes
        guard queue.receivedBytes.total + bytes <= limit else {
            throw ProtocolError(
                .overloaded, "more comes from all peers together than the disk takes in time; it is sent again",
                closeReason: .storageFailure)
        }
    }

    private func incomingLog(_ description: LogDescription, of peer: LinkPeer) throws(ProtocolError) -> IncomingLog {
        if let known = incomingLogs[description.logID] { return known }
        guard incomingLogs.count(of: peer.userID) < Limits.logsPerUser else {
            throw ProtocolError(.violation, "the peer has begun more than \(Limits.logsPerUser) logs")
        }
        return IncomingLog(
            description: description, authorID: peer.userID, head: .origin(of: description.logID))
    }

    private func message(
        _ record: EntryRecord, _ body: EntryBody?, of log: LogDescription, by authorID: UserID
    ) -> Message? {
        guard case .text(let text, let headers) = body?.content else { return nil }
        return Message(
            messageID: MessageID(log: log.logID, sequence: record.sequence), conversationID: log.conversationID,
            senderID: authorID, recipientIDs: [local.userID], text: text, headers: headers,
            timestamp: record.timestamp, expiry: record.expiry, states: [local.userID: .delivered])
    }

    // MARK: - Receipts

    /// The receipt for what this node holds of a log, as the disk has it.
    func ownReceipt(for logID: LogID) -> Receipt? {
        progress[ProgressKey(logID: logID, recipientID: local.userID)]?.committed.receipt
    }

    mutating func sendReceipt(for logID: LogID, on connectionID: ConnectionID) {
        guard let receipt = ownReceipt(for: logID) else { return }
        send(.receipts([receipt]), on: connectionID)
        notes.receiptsSent += 1
    }

    /// What a peer holds of this node's logs, when the link is new.
    private mutating func received(
        heads receipts: [Receipt], isComplete: Bool, from peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        guard links[connectionID]?.hasHeads == false,
            receipts.allSatisfy({ links[connectionID]?.outgoing[$0.logID] == nil })
        else {
            throw ProtocolError(.violation, "the peer said twice what it holds")
        }
        for receipt in receipts {
            try checkBudget(of: peer, on: connectionID, now: now)
            try received(head: receipt, from: peer, on: connectionID, now: now)
        }
        guard isComplete else { return }
        links[connectionID]?.hasHeads = true
        for (logID, log) in ownLogs.sorted(by: { $0.key < $1.key }) where log.record.peerID == peer.userID {
            if links[connectionID]?.outgoing[logID] == nil, !isRecovering(logID, on: connectionID) {
                links[connectionID]?.outgoing[logID] = Outgoing(next: 1)
            }
        }
        linksToPump.insert(connectionID)
    }

    /// What a peer holds of one log. It is more than this node has let out if the database here was restored from an
    /// older copy.
    private mutating func received(
        head receipt: Receipt, from peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        let log = ownLogs[receipt.logID]
        guard receipt.sequence > 0, log.map({ $0.record.peerID == peer.userID }) ?? true,
            !isRecovering(receipt.logID, on: connectionID)
        else { return }
        guard log != nil, receipt.sequence <= offered(receipt.logID, to: peer.userID) else {
            try recover(receipt, from: peer, on: connectionID, now: now)
            return
        }
        links[connectionID]?.outgoing[receipt.logID] = Outgoing(next: receipt.sequence + 1)
        try received(receipt, from: peer, on: connectionID, now: now)
    }

    /// Up to here entries of a log may have left this node, as the disk has it.
    private func offered(_ logID: LogID, to recipientID: UserID) -> UInt64 {
        progress[ProgressKey(logID: logID, recipientID: recipientID)]?.committed.offered ?? 0
    }

    mutating func received(
        _ receipt: Receipt, from peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        if let index = links[connectionID]?.recoveries.firstIndex(where: { $0.logID == receipt.logID }) {
            try update(receipt, at: index, on: connectionID)
            return
        }
        if ownLogs[receipt.logID] == nil, receipt.sequence > 0, links[connectionID]?.hasHeads == true {
            // The peer has only now written what this node forgot that it sent.
            try recover(receipt, from: peer, on: connectionID, now: now)
            return
        }
        guard let log = ownLogs[receipt.logID], log.record.peerID == peer.userID,
            let outgoing = links[connectionID]?.outgoing[receipt.logID]
        else { throw ProtocolError(.violation, "a receipt for a log that is not for this peer") }
        // Before its signature is looked at, which is most of the work.
        let known = progress[ProgressKey(logID: receipt.logID, recipientID: peer.userID)]?.target ?? DeliveryProgress()
        let isNews = links[connectionID]?.outgoing[receipt.logID]?.hear(receipt, known: known) == true
        links[connectionID]?.progress += isNews ? 1 : -1
        guard receipt.sequence > 0 else { return }
        guard receipt.isAuthentic else {
            throw ProtocolError(.unauthentic, "a receipt is not signed by the peer's device")
        }
        guard receipt.sequence <= offered(receipt.logID, to: peer.userID) else {
            try differs(receipt, from: peer, on: connectionID, now: now)
            return
        }
        let chain = receipt.sequence == log.head.sequence ? log.head.chain : outgoing.chain(at: receipt.sequence)
        if let chain {
            resolve(receipt, on: connectionID, chain: chain, now: now)
        } else if outgoing.receiptInQuestion.map({ $0.sequence <= receipt.sequence }) ?? true {
            links[connectionID]?.outgoing[receipt.logID]?.receiptInQuestion = receipt
            guard outgoing.receiptInQuestion == nil else { return }
            askForChain(of: receipt, on: connectionID)
        }
    }

    mutating func askForChain(of receipt: Receipt, on connectionID: ConnectionID) {
        emit(
            .read(
                EntriesRead(
                    connectionID: connectionID, purpose: .checking(receipt), logID: receipt.logID,
                    from: receipt.sequence, countLimit: 1, byteLimit: 0)))
    }

    /// A receipt is held against the chain of this node's own log at that place.
    mutating func resolve(_ receipt: Receipt, on connectionID: ConnectionID, chain: ChainHash?, now: Moment) {
        let question = links[connectionID]?.outgoing[receipt.logID]?.receiptInQuestion
        if question == receipt {
            links[connectionID]?.outgoing[receipt.logID]?.receiptInQuestion = nil
        }
        guard chain == receipt.chain else {
            guard let peer = peer(on: connectionID) else { return }
            do { try differs(receipt, from: peer, on: connectionID, now: now) } catch {
                close(connectionID, .violation, error: error, now: now)
            }
            return
        }
        let freed = links[connectionID]?.outgoing[receipt.logID]?.acknowledged(through: receipt.sequence) ?? 0
        links[connectionID]?.windowUsed -= freed
        linksToPump.insert(connectionID)
        guard let log = ownLogs[receipt.logID] else { return }
        acknowledge(receipt, key: ProgressKey(logID: receipt.logID, recipientID: log.record.peerID))
    }

    /// A peer acknowledges what this node has not sent. It holds other entries than this node, who can only have lost
    /// them; but what it has signed for once it does not exchange for something else.
    private mutating func differs(
        _ receipt: Receipt, from peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        let key = ProgressKey(logID: receipt.logID, recipientID: peer.userID)
        guard receipt.sequence > (progress[key]?.committed.delivered ?? 0) else {
            throw ProtocolError(
                .violation, "the peer acknowledges entry \(receipt.sequence) of a log that is not this node's")
        }
        if links[connectionID]?.outgoing[receipt.logID]?.isUntouched == true {
            try recover(receipt, from: peer, on: connectionID, now: now)
            return
        }
        // What was sent on this link is in doubt with it. The next begins with what the peer holds.
        close(connectionID, .logDiffers, error: nil, now: now)
    }

    /// A receipt is the truth: what it covers is delivered, whatever was thought of it before.
    private mutating func acknowledge(_ receipt: Receipt, key: ProgressKey) {
        var target = progress[key, default: TrackedProgress()].target
        guard receipt.sequence > target.delivered || receipt.readSequence > target.read else { return }
        target.acknowledge(receipt)
        progress[key, default: TrackedProgress()].target = target
        queue.changedProgress.insert(key)
        queue.isUrgent = true
    }

    // MARK: - Reading

    /// This node's user has seen a peer's messages up to this one.
    package mutating func markRead(_ messageID: MessageID, requestID: RequestID, now: Moment) -> [NodeAction] {
        let key = ProgressKey(logID: messageID.log, recipientID: local.userID)
        guard incomingLogs[messageID.log] != nil, let current = progress[key]?.target,
            messageID.sequence <= current.delivered
        else {
            emit(
                .complete(
                    requestID,
                    .failure(ProtocolError(.unknownMessage, "this node has received no message \(messageID)"))))
            return finish(now: now)
        }
        if messageID.sequence > current.read {
            progress[key]?.target.read = messageID.sequence
            queue.changedProgress.insert(key)
            queue.isUrgent = true
        }
        queue.markRequests.append(requestID)
        queue.isUrgent = true
        return finish(now: now)
    }
}
