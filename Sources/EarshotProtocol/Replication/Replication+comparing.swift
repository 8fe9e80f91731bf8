import EarshotCrypto
import EarshotModel

extension Replication {
    func isOfMany(_ conversationID: ConversationID) -> Bool { conversations.isOfMany(conversationID) }

    /// What of a conversation goes over a link.
    func access(to conversationID: ConversationID, of session: ReplicationSession) -> ConversationAccess {
        conversations.access(
            with: session.userID, saysJoined: session.sharing.saysJoined(conversationID), in: conversationID)
    }

    /// What this node holds of a conversation, of what may go over a link, as a hash.
    mutating func headsHash(
        of conversationID: ConversationID, for session: ReplicationSession
    ) -> HeadsHash {
        let access = access(to: conversationID, of: session)
        guard access != .everything else { return headsHash(of: conversationID) }
        let hash = HeadsHash.of(access.heads(among: logs.heads(of: conversationID)))
        // Logs that nobody is given change nothing else.
        return access.extent == .everything ? lacking(hash, of: conversationID) : hash
    }

    /// The same for a peer. The name of an open conversation goes only to where it is advertised, and to devices of this
    /// node's user.
    mutating func digest(
        of conversation: ConversationRecord, for session: ReplicationSession
    ) -> ConversationDigest {
        var digest = ConversationDigest(
            conversationID: conversation.conversationID,
            heads: headsHash(of: conversation.conversationID, for: session),
            isPrivate: conversation.kind == .private,
            hasJoined: conversations.privates.status(in: conversation.conversationID) == .joined)
        let isTold = isOwn(session) && conversation.kind != .private
        if isTold || conversations[conversation.conversationID]?.isAdvertised == true {
            digest.uniqueName = conversation.uniqueName
        }
        guard isOwn(session) else { return digest }
        if conversation.kind == .direct {
            digest.peerID = conversation.peerID(of: author.userID) ?? author.userID
        }
        digest.progress = progressHash(of: conversation.conversationID)
        return digest
    }

    /// The same, unless it is an open conversation that is not advertised, and the peer is not known to know of it: then what
    /// stands for it.
    mutating func told(_ conversation: ConversationRecord, to session: ReplicationSession) -> ConversationDigest {
        let conversationID = conversation.conversationID
        guard isHidden(conversation, from: session) else {
            sessions[session.connectionID]?.revealed(conversationID)
            return digest(of: conversation, for: session)
        }
        let hiddenID = conversationID.hidden(by: author.deviceID, on: session.sharing.handshakeHash)
        return ConversationDigest(conversationID: hiddenID, heads: .of([]), isHidden: true)
    }

    private func isHidden(_ conversation: ConversationRecord, from session: ReplicationSession) -> Bool {
        let conversationID = conversation.conversationID
        guard conversation.kind == .open, !isOwn(session) else { return false }
        return conversations[conversationID]?.isAdvertised != true
            && !conversations.isParticipant(session.userID, in: conversationID)
            && !session.sharing.contains(conversationID) && !session.sharing.isRevealed(conversationID)
    }

    /// A peer belongs to open conversations that are not advertised. Of those to which this node belongs, too, both are told so.
    private mutating func receivedHidden(_ hiddenIDs: Set<ConversationID>, on connectionID: ConnectionID) {
        guard !hiddenIDs.isEmpty, let session = sessions[connectionID], !isOwn(session) else { return }
        for record in conversations.joined.map(\.record) where !session.sharing.isRevealed(record.conversationID) {
            let hiddenID = record.conversationID.hidden(by: session.deviceID, on: session.sharing.handshakeHash)
            guard hiddenIDs.contains(hiddenID) else { continue }
            sessions[connectionID]?.revealed(record.conversationID)
            tell(record, on: connectionID)
        }
    }

    /// How far the messages of a conversation have come, as a hash: which of those of this node's user the others have,
    /// and which of the others' this node's user has read. On all devices of one user it comes to be the same.
    private func progressHash(of conversationID: ConversationID) -> ProgressHash {
        let others = recipientIDs(in: conversationID).sorted()
        let mine = logs.own(in: conversationID).map { ($0.description.logID, $0.record.logID) }
        let theirs = logs.incoming(of: conversationID).map { ($0.description.logID, $0.logID) }
        var progress: [LogProgress] = []
        // Of a log with branches nobody can say how far it has come.
        for (logID, branch) in (mine + theirs).sorted(by: { $0.0 < $1.0 }) where logs.branches(of: logID).count == 1 {
            for userID in logs.isByOwnUser(branch) ? others : [author.userID] {
                guard let known = deliveries.committed(DeliveryKey(logID: branch, recipientID: userID)) else {
                    continue
                }
                if userID != author.userID, known.delivered > 0 {
                    progress.append(
                        LogProgress(
                            logID: logID, userID: userID, delivered: known.delivered, read: known.read,
                            handled: known.handled, missing: known.missing))
                } else if known.read > 0, userID == author.userID {
                    progress.append(LogProgress(logID: logID, userID: userID, read: known.read))
                }
            }
        }
        return .of(progress)
    }

    private mutating func headsHash(of conversationID: ConversationID) -> HeadsHash {
        lacking(logs.headsHash(of: conversationID), of: conversationID)
    }

    /// A hash of heads is another one while bodies are missing.
    private func lacking(_ hash: HeadsHash, of conversationID: ConversationID) -> HeadsHash {
        guard !fetching.bodies.isEmpty else { return hash }
        let missing = logs.incoming(of: conversationID)
            .map { (end: $0.committed.chain, bodies: fetching.bodies.lacking($0.logID)) }
            .filter { !$0.bodies.isEmpty }
        return hash.lacking(missing.sorted { $0.end < $1.end })
    }

    /// Whether what both ends of a link hold of a conversation is compared from time to time. A pair's is where another
    /// device than the two has written.
    func isCompared(_ conversation: ConversationRecord, with session: ReplicationSession) -> Bool {
        guard common(conversation.conversationID, with: session) != nil else { return false }
        if session.sharing.contains(conversation.conversationID) { return true }
        return conversation.kind == .direct
            && logs.hasWriters(in: conversation.conversationID, beside: [author.deviceID, session.deviceID])
    }

    mutating func tell(_ conversation: ConversationRecord, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        if isOwn(session) || conversation.kind == .direct {
            sessions[connectionID]?.told(conversation.conversationID)
        }
        actions.append(.send(.digests([told(conversation, to: session)]), connectionID))
    }

    /// The conversation of a log, if both users of a link may read it; `nil` if this node is not to have it.
    func common(_ conversationID: ConversationID, with session: ReplicationSession) -> ConversationRecord? {
        guard !isOwn(session) else {
            guard conversationID != author.ownConversation.conversationID else { return author.ownConversation }
            return conversations.record(conversationID) ?? logs.conversations[conversationID]
                ?? session.sharing.peerID(of: conversationID).map { .direct(author.userID, $0) }
        }
        // Most frames are of one that is known already, and need no hash to find out which it is.
        if let known = logs.conversations[conversationID], known.kind == .direct,
            known.participantIDs.contains(session.userID)
        {
            return known
        }
        let direct = ConversationRecord.direct(author.userID, session.userID)
        if conversationID == direct.conversationID { return direct }
        return conversations.record(conversationID, with: session.userID)
    }

    /// A peer says what it belongs to.
    mutating func receivedDigests(_ digests: [ConversationDigest], on connectionID: ConnectionID) {
        receivedHidden(Set(digests.filter(\.isHidden).map(\.conversationID)), on: connectionID)
        for var digest in digests where !digest.isHidden {
            guard let userID = sessions.peer(on: connectionID)?.userID else { return }
            let isOwn = userID == author.userID
            // What another device of this node's user knows is not advertised.
            if isOwn { digest.uniqueName = "" }
            if let peerID = digest.peerID, !isOwn || digest.conversationID != .direct(author.userID, peerID) {
                digest.peerID = nil
            }
            let isNew =
                !digest.uniqueName.isEmpty && !conversations.isJoined(digest.conversationID)
                && !sessions.all.contains { sessions[$0]?.sharing.advertisedName(digest.conversationID) != nil }
            let saidJoined = sessions[connectionID]?.sharing.saysJoined(digest.conversationID)
            guard sessions[connectionID]?.heard(digest) == true, let session = sessions[connectionID] else { continue }
            if isNew {
                post(
                    .conversationAdvertised(
                        AdvertisedConversation(
                            conversationID: digest.conversationID, uniqueName: digest.uniqueName,
                            userIDs: [session.userID])))
            }
            if digest.isPrivate {
                let isStranger = !isOwn && !logs.hasWritten(to: userID)
                conversations.privates.offered(digest.conversationID, by: userID, isStranger: isStranger)
            }
            guard let conversation = common(digest.conversationID, with: session) else { continue }
            // It was not told before, as the peer might not have known of it.
            if conversation.kind == .open, !isOwn, !session.sharing.isRevealed(digest.conversationID) {
                tell(conversation, on: connectionID)
            }
            if digest.hasJoined != saidJoined, conversations.privates.contains(digest.conversationID) {
                accessChanged(to: digest.conversationID, on: connectionID)
            }
            compare(digest.conversationID, on: connectionID)
            if isOwn { compareProgress(of: conversation, on: connectionID) }
        }
    }

    /// The other users of a conversation.
    func recipientIDs(in conversationID: ConversationID) -> [UserID] {
        let conversation = conversations.record(conversationID) ?? logs.conversations[conversationID]
        return conversation?.recipientIDs(of: author.userID) ?? []
    }

    /// Compares with another device of this node's user how far the messages of a conversation have come. Where that
    /// differs, each of the two gives the other the receipts that it has.
    private mutating func compareProgress(of conversation: ConversationRecord, on connectionID: ConnectionID) {
        let conversationID = conversation.conversationID
        let (heads, progress) = (headsHash(of: conversationID), progressHash(of: conversationID))
        guard sessions[connectionID]?.differs(conversationID, with: heads, progress) == true else { return }
        sendProgress(of: conversationID, on: connectionID)
        tell(conversation, on: connectionID)
    }

    /// Gives another device of this node's user what proves how far the messages of a conversation have come.
    private mutating func sendProgress(of conversationID: ConversationID, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        var receipts: [Receipt] = []
        for log in logs.incoming(of: conversationID) {
            if log.authorID == author.userID {
                receipts += deliveries.carried.receipts(for: log.description.logID)
            } else if let receipt = ownReceipt(for: log.logID), receipt.readSequence > 0 {
                receipts.append(receipt)
            }
        }
        for log in logs.own(in: conversationID) {
            let carried = deliveries.carried.receipts(for: log.description.logID)
            receipts += carried
            // What a recipient has said itself may go further than what others have brought of it.
            receipts += recipientIDs(in: conversationID)
                .compactMap { deliveries.committed(log.deliveryKey(for: $0))?.receipt }
                .filter { !carried.contains($0) }
        }
        receipts.removeAll { $0.deviceID == session.deviceID }
        // The branches of a log share what is passed on.
        var given: Set<Receipt> = []
        receipts = receipts.filter { given.insert($0).inserted }
        if !receipts.isEmpty { actions.append(.carry(receipts, connectionID)) }
    }

    /// Compares what both ends of a link hold of a conversation.
    mutating func compare(_ conversationID: ConversationID, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        let mine = headsHash(of: conversationID, for: session)
        switch sessions[connectionID]?.compare(conversationID, with: mine) {
        case .same:
            let access = access(to: conversationID, of: session)
            let own = logs.own(in: conversationID).filter { access.end(of: $0.description) == .max }
            // The peer has what this disk says nobody was offered: the disk is an older copy, and the peer may have it as withheld.
            if own.contains(where: { offered($0) < $0.head.sequence }) {
                return sendHeads(of: conversationID, asks: true, on: connectionID)
            }
            allow(conversationID, on: connectionID)
            for log in own where sessions[connectionID]?.log(log.record.logID) == nil {
                sessions[connectionID]?.open(log, after: log.head.place)
            }
            carry(conversationID, on: connectionID)
        case .ask: sendHeads(of: conversationID, asks: true, on: connectionID)
        case .nothing, nil: break
        }
    }

    mutating func sendHeads(of conversationID: ConversationID, asks: Bool, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        let access = access(to: conversationID, of: session)
        let heads = access.heads(among: logs.heads(of: conversationID))
        for frame in Frame.heads(of: conversationID, heads, asks: asks) {
            actions.append(.send(frame, connectionID))
        }
    }

    /// What of a conversation of many may go over a link is what its user may have.
    mutating func allow(_ conversationID: ConversationID, on connectionID: ConnectionID) {
        guard isOfMany(conversationID), let session = sessions[connectionID] else { return }
        let access = access(to: conversationID, of: session)
        _ = sessions[connectionID]?.allow(access, in: conversationID, logs: logs)
    }

    /// It is known what a peer holds of a conversation.
    mutating func carry(_ conversationID: ConversationID, on connectionID: ConnectionID) {
        allow(conversationID, on: connectionID)
        sessions.carry(conversationID, on: connectionID)
        for log in logs.own(in: conversationID) { sessions[connectionID]?.openIfNew(log) }
        sessions.pump(connectionID)
        sendCarriedReceipts(of: conversationID, on: connectionID)
    }

    /// Says on all links what this node holds of a conversation, and compares it with what the peers have said.
    mutating func tellDigest(of conversation: ConversationRecord) {
        for connectionID in sessions.chosen {
            guard let session = sessions[connectionID],
                common(conversation.conversationID, with: session) != nil
            else { continue }
            guard isToBeTold(session.userID, of: conversation.conversationID) else { continue }
            tell(conversation, on: connectionID)
            if session.sharing.contains(conversation.conversationID),
                !session.sharing.isReady(conversation.conversationID)
            {
                compare(conversation.conversationID, on: connectionID)
            }
        }
    }
}
