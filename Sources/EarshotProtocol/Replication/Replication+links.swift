import EarshotCrypto
import EarshotModel

extension Replication {
    /// A link is established. Nothing goes over it before it is chosen.
    mutating func linkBegan(_ connectionID: ConnectionID, to peer: LinkPeer) {
        let sharing = peer.userID == author.userID ? Sharing(limit: Limits.sharedWithOwnDevice) : Sharing()
        sessions.begin(
            ReplicationSession(
                connectionID: connectionID, userID: peer.userID, deviceID: peer.deviceID, sharing: sharing))
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
            conversations.joined.map { digest(of: $0.record, for: session) }
            + conversations.privates.shared(with: session.userID).map { digest(of: $0, for: session) }
        for frame in Frame.digests(digests) { actions.append(.send(frame, connectionID)) }
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
