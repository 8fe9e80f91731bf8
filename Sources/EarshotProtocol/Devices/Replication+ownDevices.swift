import EarshotCrypto
import EarshotModel

extension Replication {
    func isOwn(_ session: ReplicationSession) -> Bool { session.userID == author.userID }

    /// The chosen links to other devices of this node's user, ascending.
    var ownLinks: [ConnectionID] {
        sessions[author.userID].filter { connectionID in
            sessions[connectionID].map { sessions[$0.deviceID] == connectionID } ?? false
        }
    }

    /// Whether this node has anything to do with other devices of its user.
    var hasOwnDevices: Bool { !sessions[author.userID].isEmpty || logs.hasIncoming(by: author.userID) }

    /// Devices of one user give each other all that they hold: tells another one which conversations there are, and who
    /// is in them.
    mutating func tellEverything(on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        let direct = logs.conversations.values.filter { $0.kind == .direct }
        let many = conversations.all.map(\.record) + conversations.privates.all.map(\.record)
        let records = (direct + many).sorted { $0.conversationID < $1.conversationID }
        let peers = direct.compactMap { $0.recipientIDs(of: author.userID).first }.sorted()
        if !peers.isEmpty { actions.append(.vouch(for: peers, connectionID)) }
        var digests: [ConversationDigest] = []
        for record in records {
            digests.append(digest(of: record, for: session))
            sessions[connectionID]?.told(record.conversationID)
        }
        for frame in Frame.digests(digests) { actions.append(.send(frame, connectionID)) }
    }

    /// Tells other devices of this node's user of a conversation that they may not know.
    mutating func tellOwnDevices(of conversation: ConversationRecord) {
        for connectionID in ownLinks {
            guard let session = sessions[connectionID], !session.sharing.contains(conversation.conversationID) else {
                continue
            }
            if conversation.kind == .direct, let peerID = conversation.recipientIDs(of: author.userID).first {
                actions.append(.vouch(for: [peerID], connectionID))
            }
            tell(conversation, on: connectionID)
        }
    }

    /// Another device of this node's user knows an open conversation.
    mutating func learn(_ conversationID: ConversationID, uniqueName: String) {
        guard conversations[conversationID] == nil else { return }
        conversations.learn(conversationID, uniqueName: uniqueName)
        commits.hurry()
    }

    /// What one device of a user has read, all have.
    mutating func readElsewhere(_ receipt: Receipt, now: Moment) {
        guard receipt.readSequence > 0, logs.branches(of: receipt.logID).count == 1,
            let log = logs.incoming(receipt.logID), log.authorID != author.userID
        else { return }
        let key = DeliveryKey(logID: log.logID, recipientID: author.userID)
        let end = min(receipt.readSequence, deliveries.committed(key)?.delivered ?? 0)
        if deliveries.markRead(key, through: end) { commits.mayWait(now: now) }
    }

    /// What is known of a log of another device of this node's user: how far its recipients have it.
    mutating func acknowledgedElsewhere(_ receipt: Receipt, by userID: UserID, now: Moment) {
        guard userID != author.userID, logs.branches(of: receipt.logID).count == 1,
            let log = logs.incoming(receipt.logID), log.authorID == author.userID, log.committed.sequence > 0
        else { return }
        let key = DeliveryKey(logID: log.logID, recipientID: userID)
        if deliveries.acknowledge(receipt, key, through: log.committed.sequence) { commits.mayWait(now: now) }
    }

    /// Entries of another device of this node's user are on the disk: receipts for them may have been first.
    mutating func acknowledgeCarried(of logID: LogID, trust: TrustMachine, now: Moment) {
        for receipt in deliveries.carried.receipts(for: logID) {
            if let userID = trust.owner(of: receipt.deviceID) { acknowledgedElsewhere(receipt, by: userID, now: now) }
        }
    }
}
