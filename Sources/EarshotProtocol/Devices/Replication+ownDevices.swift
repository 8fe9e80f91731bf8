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
        let peers = direct.compactMap { $0.peerID(of: author.userID) }.sorted()
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
            if conversation.kind == .direct, let peerID = conversation.peerID(of: author.userID) {
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

    /// What is known of a log of another device of this node's user: how far its recipients have it. A receipt counts for
    /// the branch that has what it is for, which only the disk may know.
    mutating func acknowledgedElsewhere(
        _ receipt: Receipt, by userID: UserID, of branches: [LogID], on connectionID: ConnectionID, now: Moment
    ) {
        guard userID != author.userID else { return }
        let branches = branches.compactMap { logs.incoming($0) }
            .filter { $0.authorID == author.userID && $0.committed.sequence >= receipt.sequence }
        if let log = branches.first(where: { $0.committed.place == receipt.place }) {
            acknowledgedElsewhere(receipt, by: userID, of: log.logID, now: now)
        } else if !branches.isEmpty {
            check(receipt, of: branches.map(\.logID), on: connectionID)
        }
    }

    mutating func acknowledgedElsewhere(_ receipt: Receipt, by userID: UserID, of branch: LogID, now: Moment) {
        guard userID != author.userID, logs.isByOwnUser(branch) else { return }
        if deliveries.acknowledge(receipt, DeliveryKey(logID: branch, recipientID: userID)) {
            commits.mayWait(now: now)
        }
    }

    /// Entries of another device of this node's user are on the disk: receipts for them may have been first.
    mutating func acknowledgeCarried(for run: ReceivedRun, trust: TrustMachine, now: Moment) {
        let receipts = deliveries.carried.receipts(for: run.log.logID)
        guard !receipts.isEmpty else { return }
        let chains = Set(run.entries.map(\.chain))
        for receipt in receipts where chains.contains(receipt.chain) {
            guard let userID = trust.owner(of: receipt.deviceID) else { continue }
            acknowledgedElsewhere(receipt, by: userID, of: run.logID, now: now)
        }
    }
}
