package import EarshotModel

/// Inputs that concern messages, on their way to `Replication`.
extension NodeMachine {
    // MARK: - Requests

    /// A user of this node wants messages sent to a conversation. They are accepted together or not at all, and keep
    /// their order.
    package mutating func send(
        _ drafts: [MessageDraft], to conversationID: ConversationID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        send(
            drafts.map(EntryDraft.message), to: .conversation(conversationID), requestID: requestID, now: now)
    }

    /// The same for anything that an entry can say. What is no message is answered without one.
    /// - Parameter destination: a user need not be known.
    package mutating func send(
        _ drafts: [EntryDraft], to destination: Destination, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        send([SendCall(requestID: requestID, drafts: drafts)], to: destination, now: now)
    }

    /// Calls that send to the same destination, in their order. Each is accepted or refused by itself.
    package mutating func send(_ calls: [SendCall], to destination: Destination, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            do throws(ProtocolError) { try node.accept(calls, to: destination, now: now) } catch {
                for call in calls { node.emit(.complete(call.requestID, .failure(error))) }
            }
        }
    }

    /// - Throws: why nothing is sent there now.
    private mutating func accept(
        _ calls: [SendCall], to destination: Destination, now: Moment
    ) throws(ProtocolError) {
        guard !isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
        let conversation =
            switch destination {
            case .user(let peerID): conversation(with: peerID)
            case .conversation(let conversationID): try conversation(conversationID)
            }
        let recipientID = try checkRecipient(of: conversation)
        // Only the error of a call that would have to wait names them.
        let name = replication.mayHold ? recipientID.flatMap { trust.directory.users[$0]?.name } : nil
        var isUsed = false
        for call in calls {
            do throws(ProtocolError) {
                try check(call.drafts)
                let part = PendingSend.Part(conversation: conversation, drafts: call.drafts)
                try replication.send(PendingSend(requestID: call.requestID, parts: [part]), name: name)
                isUsed = true
            } catch { emit(.complete(call.requestID, .failure(error))) }
        }
        if isUsed, let recipientID { use(recipientID, now: now) }
    }

    /// - Returns: the other user of a direct conversation; `nil` for one of many, and for the user's own.
    private func checkRecipient(of conversation: ConversationRecord) throws(ProtocolError) -> UserID? {
        switch conversation.kind {
        case .direct:
            guard let recipientID = conversation.peerID(of: local.userID) else { return nil }
            try trust.checkRecipient(recipientID)
            return recipientID
        case .open:
            try replication.conversations.checkJoined(conversation.conversationID)
            return nil
        case .private:
            _ = try replication.conversations.privates.check(conversation.conversationID)
            return nil
        }
    }

    func check(_ drafts: [EntryDraft]) throws(ProtocolError) {
        guard !drafts.isEmpty, drafts.count <= Limits.messagesPerSend else {
            throw ProtocolError(
                .invalidMessage, "one call sends 1 to \(Limits.messagesPerSend) messages, not \(drafts.count)")
        }
        for draft in drafts {
            do { try draft.validate() } catch { throw ProtocolError(.invalidMessage, error.description) }
        }
    }

    /// The sender takes a message back.
    package mutating func cancel(_ messageID: MessageID, requestID: RequestID, now: Moment) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.replication.cancel(messageID, requestID: requestID)
        }
    }

    /// This node's user has seen a peer's messages up to this one.
    package mutating func markRead(_ messageID: MessageID, requestID: RequestID, now: Moment) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.replication.markRead(messageID, requestID: requestID)
        }
    }

    /// The contents of messages that had failed, and may have left all the same, were deleted from the disk, where they
    /// are withheld from now on.
    ///
    /// The shell tells it in the order of the commits on the disk.
    package mutating func withholdDeleted(_ messageIDs: [MessageID], now: Moment) -> [NodeAction] {
        handle(now: now) { $0.replication.withholdDeleted(messageIDs) }
    }

    /// How many messages in direct conversations wait for their recipients' receipts, for each recipient for whom some wait.
    package var undelivered: [UserID: UInt64] { replication.undelivered }

    // MARK: - The store's answers

    /// The answer to `read`.
    package mutating func entriesRead(_ read: EntriesRead, entries: [EntryRecord], now: Moment) -> [NodeAction] {
        handle(now: now) { $0.replication.entriesRead(read, entries, trust: $0.trust, now: now) }
    }

    /// The store could not answer `read`: the link is closed, and the next one asks again.
    package mutating func readFailed(_ read: EntriesRead, _ error: String, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.replication.readFailed(read, error) }
    }

    /// The answer to `readChains`: of each log what it has at these places.
    package mutating func chainsRead(
        _ read: ChainsRead, chains: [LogID: [UInt64: ChainHash]], now: Moment
    ) -> [NodeAction] {
        handle(now: now) { $0.replication.chainsRead(read, chains, trust: $0.trust, now: now) }
    }

    /// The store could not answer `readChains`: the link is closed, and the next one asks again.
    package mutating func chainsReadFailed(_ read: ChainsRead, _ error: String, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.replication.chainsReadFailed(read, error) }
    }

    /// The answer to `findExpired`: these entries' time is over, and the next one's will be then.
    package mutating func expiredFound(
        in logID: LogID, sequences: [UInt64], nextExpiry: Int64, now: Moment
    ) -> [NodeAction] {
        handle(now: now) { node in
            _ = node.replication.expiredFound(
                in: logID, sequences: sequences, nextExpiry: nextExpiry, clocks: &node.clocks, now: now)
        }
    }

    /// The store could not answer `findExpired`: it is asked again after a while.
    package mutating func findExpiredFailed(in logID: LogID, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.replication.findExpiredFailed(in: logID, clocks: &$0.clocks, now: now) }
    }

    /// The commit is on the disk: all that waited for it may go out now.
    package mutating func committed(now: Moment) -> [NodeAction] {
        handle(now: now) { $0.replication.commitFinished(trust: $0.trust, clocks: &$0.clocks, now: now) }
    }

    /// Nothing of the commit is on the disk. What was asked for fails; what is true anyway is tried again.
    ///
    /// - Parameter isDiskFull: whether that is so because there is no space left.
    package mutating func commitFailed(_ error: String, isDiskFull: Bool = false, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            node.replication.commitFailed(
                error, isDiskFull: isDiskFull, trust: node.trust, clocks: &node.clocks, now: now)
        }
    }

    // MARK: - What it wants

    /// Does what `Replication` wants, at the end of each step that it takes.
    mutating func performReplication(now: Moment) {
        for action in replication.takeActions() { perform(action, now: now) }
    }

    private mutating func perform(_ action: ReplicationAction, now: Moment) {
        switch action {
        case .send(let frame, let connectionID):
            if case .receipts(let receipts) = frame { note { $0.receiptsSent += receipts.count } }
            send(frame, on: connectionID)
        case .carry(let receipts, let connectionID): carry(receipts, on: connectionID)
        case .give(var frame, let connectionID):
            frame.credential = credential(of: frame.log.deviceID)
            send(.entries(frame), on: connectionID)
        case .vouch(let userIDs, let connectionID): vouch(for: userIDs, on: connectionID)
        case .introduced(let credential): run(trust.introduce(credential, exchange: exchange, now: now), now: now)
        case .used(let connectionID): noteUse(of: connectionID, now: now)
        case .credit(let requests, let connectionID): peers.credit(requests, on: connectionID)
        case .close(let connectionID, let reason, let error): close(connectionID, reason, error: error, now: now)
        case .reach(let userIDs): reach(userIDs, now: now)
        case .exchanged(let userID): use(userID, now: now)
        case .shared(let entries):
            run(trust.adopt(entries, isOwn: true, exchange: exchange, now: now), now: now)
        case .commit(let commit): emit(.commit(commit))
        case .read(let read): emit(.read(read))
        case .readChains(let read): emit(.readChains(read))
        case .findKeys(let conversationID, let keys): emit(.findKeys(.rewriting(conversationID), keys))
        case .findExpired(let logID, let after, let clock):
            emit(.findExpired(logID: logID, after: after, clock))
        case .lookUpAgain(let send): lookUpAgain(send, now: now)
        case .complete(let requestID, let result): complete(requestID, result, now: now)
        case .accepted(let calls): complete(calls, now: now)
        case .renamed(let runs): emit(.renamed(runs))
        case .post(let event): post(event)
        case .postRun(let run): post(run)
        }
    }

    /// Sends receipts of others, with the credentials of the devices that signed them.
    private mutating func carry(_ receipts: [Receipt], on connectionID: ConnectionID) {
        for start in stride(from: 0, to: receipts.count, by: Limits.credentialsPerFrame) {
            let part = Array(receipts[start...].prefix(Limits.credentialsPerFrame))
            let credentials = part.compactMap { credential(of: $0.deviceID) }
            send(.carried(part, credentials), on: connectionID)
        }
    }

    /// Tells another device of this node's user who somebody is: it may have met none of their devices.
    private mutating func vouch(for userIDs: [UserID], on connectionID: ConnectionID) {
        let credentials = userIDs.compactMap { trust.credential(of: $0) }
        for start in stride(from: 0, to: credentials.count, by: Limits.credentialsPerFrame) {
            let part = credentials[start...].prefix(Limits.credentialsPerFrame)
            send(.contacts(part.map(\.wire)), on: connectionID)
        }
    }

    /// The credential of a device that this node has met or heard of, whosever it is.
    private func credential(of deviceID: DeviceID) -> FrameCredential? {
        // What is on the disk was checked when it came.
        storedCredential(of: deviceID).flatMap { try? FrameCredential(stored: $0) }
    }

    private func storedCredential(of deviceID: DeviceID) -> [UInt8]? {
        trust.directory.devices[deviceID]?.credential ?? devices.own[deviceID]?.credential
    }

    // MARK: - Devices of this node's user

    /// What other devices of this node's user have decided changes the records of users in the commit that writes it.
    mutating func adoptHeard(now: Moment) {
        for entries in replication.heard(now: now) {
            run(trust.adopt(entries, isOwn: false, exchange: exchange, now: now), now: now)
        }
    }

    /// Proves a credential in a frame, unless it is one that this node knows.
    func proved(
        _ shown: FrameCredential, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) -> FrameCredential {
        var shown = shown
        if let stored = storedCredential(of: shown.deviceID), shown.isProved(by: stored) { return shown }
        try checkBudget(on: connectionID, now: now)
        try shown.prove()
        return shown
    }

    /// Another device of this node's user says which open conversations it knows.
    mutating func learnConversations(from digests: [ConversationDigest]) {
        for digest in digests where !digest.uniqueName.isEmpty {
            replication.learn(digest.conversationID, uniqueName: digest.uniqueName)
        }
    }

    /// While it is not known where the logs of a revoked device end, what it wrote is taken from devices of this node's
    /// own user alone: others may have got it from a thief. Whoever is invited is not told of ends; to them a takeover says
    /// from which control log another device went on.
    func mayTake(_ run: EntriesFrame, from peer: LinkPeer) -> Bool {
        guard !isOwn(peer), run.log.deviceID != peer.deviceID, run.log.deviceID != local.deviceID else { return true }
        let userID = run.credential?.proved?.userID ?? replication.logs.author(of: run.log.deviceID)
        guard let userID, isRevoked(run.log.deviceID, of: userID) else { return true }
        return replication.conversations.cuts.contains(run.log.deviceID, of: userID, in: run.log.conversationID)
            || replication.conversations.privates.isTakenOver(run.log, of: userID)
    }

    func isRevoked(_ receipt: Receipt, _ credentials: [Credential]) -> Bool {
        let credential = credentials.first { $0.deviceID == receipt.deviceID }
        guard let userID = credential?.userID ?? trust.owner(of: receipt.deviceID) else { return false }
        return isRevoked(receipt.deviceID, of: userID)
    }
}
