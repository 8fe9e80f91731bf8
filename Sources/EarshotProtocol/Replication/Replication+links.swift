import EarshotCrypto
import EarshotModel

extension Replication {
    /// A link is established. Nothing goes over it before it is chosen.
    mutating func linkBegan(_ connectionID: ConnectionID, to peer: LinkPeer, handshakeHash: Bytes32) {
        let limit = peer.userID == author.userID ? Limits.sharedWithOwnDevice : Limits.sharedConversations
        sessions.begin(
            ReplicationSession(
                connectionID: connectionID, userID: peer.userID, deviceID: peer.deviceID,
                sharing: Sharing(limit: limit, handshakeHash: handshakeHash)))
    }

    /// Of the links to a device this one stays: tells the peer what this node holds, so that each sends what the other
    /// lacks.
    mutating func linkChosen(_ connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        sessions.choose(connectionID)
        let conversationID = ConversationID.direct(author.userID, session.userID)
        for frame in Frame.heads(of: conversationID, logs.heads(of: conversationID)) {
            actions.append(.send(frame, connectionID))
        }
        guard !isOwn(session) else {
            tellEverything(on: connectionID)
            return
        }
        let receipts = logs.incoming(by: session.userID).compactMap { ownReceipt(for: $0.logID) }
        for frame in Frame.frames(of: receipts) { actions.append(.send(frame, connectionID)) }
        let digests =
            conversations.joined.map { told($0.record, to: session) }
            + conversations.privates.shared(with: session.userID).map { digest(of: $0, for: session) }
        for frame in Frame.digests(digests) { actions.append(.send(frame, connectionID)) }
    }

    /// Whether something is under way over a link.
    func isBusy(_ connectionID: ConnectionID) -> Bool {
        guard let session = sessions[connectionID] else { return false }
        return session.windowUsed > 0 || giving.isGiving(on: connectionID)
            || !fetching.isEmpty && !fetching.asked(over: connectionID).isEmpty
    }

    /// Whether messages wait for a user's receipt.
    func isWaiting(for userID: UserID) -> Bool {
        logs.hasWritten(to: userID) && logs.own(to: userID).contains { deliveries.undelivered(in: $0) > 0 }
    }

    /// The users for whom messages wait, and of whom no device was met.
    func unmetRecipients(_ trust: TrustMachine) -> [UserID] {
        undelivered.keys.filter { trust.directory.devices(of: $0).isEmpty }
    }

    /// Entries of a log are for users who have no link. In a conversation of many those who have one pass them on, unless
    /// few lack them, or all do.
    mutating func reachUnlinked(by record: LogRecord) {
        guard record.conversation.kind != .direct else {
            let userID = record.recipientID
            if userID != author.userID, !sessions.isLinked(userID) { actions.append(.reach([userID])) }
            return
        }
        let unlinked = unreached(by: record)
        let isPassedOn = sessions.isCarried(record.description.conversationID)
        guard !unlinked.isEmpty, !isPassedOn || unlinked.count <= Limits.reachedParticipants else { return }
        actions.append(.reach(Array(unlinked.prefix(Limits.reachedParticipants))))
    }

    /// Whether anything is replicated over a link.
    func hasSession(on connectionID: ConnectionID) -> Bool { sessions[connectionID] != nil }

    /// A link is over.
    mutating func linkEnded(_ connectionID: ConnectionID) { endSession(connectionID) }

    private mutating func endSession(_ connectionID: ConnectionID) {
        guard sessions.end(connectionID) != nil else { return }
        giving.end(on: connectionID)
        fetching.bodies.end(connectionID)
        locating.end(connectionID)
        conversations.privates.waits.end(connectionID)
        perform(fetching.end(connectionID))
    }

    mutating func close(_ connectionID: ConnectionID, _ reason: CloseReason, _ error: ProtocolError? = nil) {
        guard sessions[connectionID] != nil else { return }
        endSession(connectionID)
        actions.append(.close(connectionID, reason, error))
    }
}
