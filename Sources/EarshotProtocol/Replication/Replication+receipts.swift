import EarshotCrypto
import EarshotModel

extension Replication {
    /// The receipt for what this node holds of a log, as the disk has it.
    func ownReceipt(for logID: LogID) -> Receipt? {
        deliveries.committed(DeliveryKey(logID: logID, recipientID: author.userID))?.receipt
    }

    /// What this node knows of who holds the logs that the peer's user has written, and those of users who are not here:
    /// the peer may meet them. Devices of one user compare what they know of their own.
    mutating func sendCarriedReceipts(of conversationID: ConversationID, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID],
            isOwn(session) || conversations.isIn(session.userID, open: conversationID)
        else { return }
        var receipts: [Receipt] = []
        var logIDs: Set<LogID> = []
        for log in logs.incoming(of: conversationID)
        where log.authorID == session.userID ? !isOwn(session) : !sessions.isLinked(log.authorID) {
            if logIDs.insert(log.description.logID).inserted {
                receipts += deliveries.carried.receipts(for: log.description.logID)
                    .filter { $0.deviceID != session.deviceID }
            }
            if log.authorID != author.userID, let receipt = ownReceipt(for: log.logID) { receipts.append(receipt) }
        }
        guard !receipts.isEmpty else { return }
        let held = headsHash(of: conversationID, for: session)
        receipts = sessions[connectionID]?.takeUngiven(receipts, of: conversationID, mine: held) ?? []
        let carried = receipts.filter { $0.deviceID != author.deviceID }
        for frame in Frame.frames(of: receipts.filter { $0.deviceID == author.deviceID }) {
            actions.append(.send(frame, connectionID))
        }
        if !carried.isEmpty { actions.append(.carry(carried, connectionID)) }
    }

    mutating func sendReceipt(for logID: LogID, on connectionID: ConnectionID) {
        guard let receipt = ownReceipt(for: logID) else { return }
        actions.append(.send(.receipts([receipt]), connectionID))
    }

    /// What a peer has sent is on the disk.
    mutating func acknowledge(_ log: IncomingLog, on connectionID: ConnectionID) {
        guard log.description.deviceID != sessions[connectionID]?.deviceID else {
            sendReceipt(for: log.logID, on: connectionID)
            return
        }
        actions.append(.send(.taken(log.description.logID, through: log.committed.place), connectionID))
    }

    /// A peer passes on what others hold of logs, by this node's user or by others.
    mutating func receivedCarried(
        _ receipt: Receipt, credentials: [Credential], on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        let branches = logs.branches(of: receipt.logID)
        guard let conversationID = branches.first.flatMap({ logs.proved($0) })?.description.conversationID,
            let conversation = common(conversationID, with: session),
            receipt.deviceID != author.deviceID, receipt.sequence > 0
        else { return }
        let credential = credentials.first { $0.deviceID == receipt.deviceID }
        let known = receipt.deviceID == session.deviceID ? session.userID : trust.owner(of: receipt.deviceID)
        // Identities cost nothing: only those of participants leave a trace here.
        guard let userID = credential?.userID ?? known,
            conversations.isParticipant(userID, in: conversationID)
                || conversation.kind == .direct && conversation.participantIDs.contains(userID)
        else { return }
        if userID != author.userID, let credential { actions.append(.introduced(credential)) }
        // Before its signature is looked at, which is most of the work.
        guard isNews(receipt, by: userID, of: branches) else { return }
        if !movesForward(receipt, on: branches) { actions.append(.credit(-1, connectionID)) }
        try receipt.authenticate()
        guard userID != author.userID else {
            readElsewhere(receipt, now: now)
            return
        }
        acknowledgedElsewhere(receipt, by: userID, of: branches, on: connectionID, now: now)
        let own = branches.compactMap { logs.own($0) }
        if let log = own.first(where: { $0.head.place == receipt.place }) {
            acknowledged(receipt, by: userID, of: log)
        } else if own.isEmpty {
            keep(receipt, on: connectionID, now: now)
        } else {
            check(receipt, of: own.map(\.record.logID), on: connectionID)
        }
    }

    /// Whether a receipt that somebody passes on says more of any branch than this node knows.
    private func isNews(_ receipt: Receipt, by userID: UserID, of branches: [LogID]) -> Bool {
        branches.contains { branch in
            let known = deliveries.target(DeliveryKey(logID: branch, recipientID: userID)) ?? DeliveryProgress()
            guard userID != author.userID else { return receipt.readSequence > known.read }
            guard logs.own(branch) == nil else { return receipt.saysMore(than: known) }
            return deliveries.carried.isNews(receipt, ends: logs.ends(of: receipt.logID))
                || logs.proved(branch)?.isOnDisk != true
                || logs.isByOwnUser(branch) && receipt.saysMore(than: known)
        }
    }

    /// Whether news that somebody passes on is kept: a device can say it no more often than the log has entries.
    private func movesForward(_ receipt: Receipt, on branches: [LogID]) -> Bool {
        branches.contains { branch in
            if let log = logs.own(branch) { return log.head.place == receipt.place }
            guard let log = logs.incoming(branch), log.isOnDisk else { return false }
            return receipt.sequence <= log.committed.sequence
                && deliveries.carried.isNews(receipt, ends: logs.ends(of: receipt.logID))
        }
    }

    /// A receipt for a log of somebody else, who is not here, or of another device of this node's user.
    mutating func keep(_ receipt: Receipt, on connectionID: ConnectionID, now: Moment) {
        guard let log = logs.incoming(receipt.logID), log.isOnDisk else {
            // It is looked at again when the first entries of the log are on the disk.
            sessions[connectionID]?.keep(receipt)
            return
        }
        guard deliveries.carry(receipt, ends: logs.ends(of: receipt.logID)) else { return }
        commits.hurry()
        sessions.gossip.changed(log.description.conversationID, now: now)
        for connectionID in sessions[log.authorID] { actions.append(.carry([receipt], connectionID)) }
    }

    /// A peer says what it holds of one of this node's logs, or of a log whose author it does not reach.
    mutating func receivedReceipt(
        _ receipt: Receipt, on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) throws(ProtocolError) {
        // A session that is kept here would be copied by each change to it, with all logs that go out on it.
        guard let userID = sessions[connectionID]?.userID else { return }
        let branches = logs.branches(of: receipt.logID).compactMap { logs.own($0) }
            .filter {
                $0.record.conversation.kind != .direct || userID == author.userID || $0.record.recipientID == userID
            }
        guard receipt.sequence > 0 else { return }
        if branches.isEmpty, let log = logs.incoming(receipt.logID), log.authorID != userID {
            try receivedCarried(receipt, credentials: [], on: connectionID, trust: trust, now: now)
            return
        }
        // Before its signature is looked at, which is most of the work.
        var isNews = false
        for branch in branches {
            let known = deliveries.target(branch.deliveryKey(for: userID)) ?? DeliveryProgress()
            let isHeard = sessions[connectionID]?
                .hear(receipt, for: branch, known: known, isParted: branches.count > 1)
            if isHeard == true { isNews = true }
        }
        actions.append(.credit(isNews ? 1 : -1, connectionID))
        try receipt.authenticate()
        guard let description = branches.first?.description, sessions[connectionID]?.isUndecided(description) == false
        else {
            // It may be about what this node is to get back.
            sessions[connectionID]?.keep(receipt)
            return
        }
        guard isNews else { return }
        for branch in branches
        where sessions[connectionID]?.chain(of: branch, at: receipt.sequence) == receipt.chain {
            acknowledged(receipt, of: branch.record.logID, on: connectionID, trust: trust)
            return
        }
        guard branches.contains(where: { receipt.sequence < $0.head.sequence }) else {
            sessions[connectionID]?.keep(receipt)
            return
        }
        check(receipt, of: branches.map(\.record.logID), on: connectionID)
    }

    /// Has the disk say whether a receipt is for one of some branches of a log.
    mutating func check(_ receipt: Receipt, of branches: [LogID], on connectionID: ConnectionID) {
        let purpose = ChainsRead.Purpose.checking(receipt, ends: logs.ends(of: receipt.logID))
        readChains(purpose, of: branches, at: [receipt.sequence], on: connectionID)
    }

    /// The disk did not know what a receipt is for.
    /// - Parameters:
    ///   - chains: what it has where the receipt says.
    ///   - ends: those of the log when it was asked.
    mutating func notFound(
        _ receipt: Receipt, in chains: [LogID: [UInt64: ChainHash]], whenEndsWere ends: Set<Place>,
        on connectionID: ConnectionID
    ) {
        // A branch that has reached the place meanwhile was not looked through, and nobody would ask again. One that had
        // something else there has it for good, however it grows.
        let grown = logs.branches(of: receipt.logID).filter { branch in
            guard let head = logs.own(branch)?.head else { return false }
            return head.sequence >= receipt.sequence && !ends.contains(head.place)
                && chains[branch]?[receipt.sequence] == nil
        }
        if !grown.isEmpty {
            check(receipt, of: grown, on: connectionID)
        } else if receipt.deviceID == sessions[connectionID]?.deviceID {
            sessions[connectionID]?.keep(receipt)
        }
    }

    /// Entries of a log of somebody else are on the disk: receipts for them may have been first.
    mutating func receivedEarlyReceipts(for log: LogDescription, trust: TrustMachine, now: Moment) {
        for connectionID in sessions.early(of: log.logID) {
            for receipt in sessions[connectionID]?.takeEarlyReceipts(for: log) ?? [] {
                guard let deviceID = sessions[connectionID]?.deviceID else { break }
                do throws(ProtocolError) {
                    if receipt.deviceID == deviceID {
                        try receivedReceipt(receipt, on: connectionID, trust: trust, now: now)
                    } else {
                        try receivedCarried(receipt, credentials: [], on: connectionID, trust: trust, now: now)
                    }
                } catch { close(connectionID, .violation, error) }
            }
        }
    }

    /// Own entries have come back: peers may have said before that they hold them. The disk says of which branch.
    mutating func receivedEarlyReceipts(forOwn log: LogDescription) {
        for connectionID in sessions.early(of: log.logID) {
            for receipt in sessions[connectionID]?.takeEarlyReceipts(for: log) ?? [] {
                check(receipt, of: logs.branches(of: log).filter { logs.own($0) != nil }, on: connectionID)
            }
        }
    }

    mutating func acknowledged(
        _ receipt: Receipt, of branch: LogID, on connectionID: ConnectionID, trust: TrustMachine
    ) {
        guard let log = logs.own(branch), let peer = sessions.peer(on: connectionID) else { return }
        guard receipt.deviceID == peer.deviceID else {
            if let userID = trust.owner(of: receipt.deviceID) { acknowledged(receipt, by: userID, of: log) }
            return
        }
        sessions[connectionID]?.acknowledged(receipt, of: branch)
        sessions.pump(connectionID)
        acknowledged(receipt, by: peer.userID, of: log)
    }

    /// A device of a user holds an own log up to a place. This user's own devices are no recipients.
    mutating func acknowledged(_ receipt: Receipt, by userID: UserID, of log: OwnLog) {
        guard userID != author.userID else { return }
        let conversation = log.record.conversation
        // Identities cost nothing: only those of participants leave a trace here.
        guard conversation.kind == .direct || conversations.isParticipant(userID, in: conversation.conversationID)
        else {
            for connectionID in sessions[userID] where sessions[connectionID]?.deviceID == receipt.deviceID {
                sessions[connectionID]?.keep(receipt, of: log.record.logID)
            }
            return
        }
        guard deliveries.acknowledge(receipt, log.deliveryKey(for: userID)) else { return }
        commits.hurry()
        // Other devices of this node's user are shown the receipts themselves, also those that meet this one later.
        if hasOwnDevices { _ = deliveries.carry(receipt, ends: logs.ends(of: receipt.logID)) }
    }

    /// Somebody is known to belong to a conversation: what their devices have said before counts.
    mutating func acknowledgePremature(by userID: UserID, in conversationID: ConversationID) {
        for connectionID in sessions[userID] {
            for log in logs.own(in: conversationID) {
                guard let receipt = sessions[connectionID]?.takePrematureReceipt(for: log.record.logID) else {
                    continue
                }
                acknowledged(receipt, by: userID, of: log)
            }
        }
    }
}
