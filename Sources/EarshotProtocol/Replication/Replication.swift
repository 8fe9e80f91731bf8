import EarshotCrypto
import EarshotModel

/// What is sent to whom, what is kept of what comes, and what goes to the disk for that.
///
/// It leads an input through the machines that it is made of, each of which decides for itself: which logs there are
/// (`Logs`), what has become of each message (`Deliveries`), what goes over each link (`ReplicationSession`), what waits
/// (`Outbox`, `ReceivedRuns`, `DirectoryChanges`), when it is written (`CommitQueue`), how this node's own logs come back
/// (`TakingBack`), and how peers get theirs back (`GivingBack`). It never decides who may be linked or written to.
///
/// What holds at every moment:
/// - an entry leaves the node only after a commit that holds it and says that it may leave;
/// - a receipt leaves only after a commit that holds what it acknowledges;
/// - an event is posted only after the commit that makes it true.
struct Replication: Sendable {
    private let author: LogAuthor
    private(set) var logs: Logs
    private(set) var deliveries: Deliveries
    private(set) var conversations: ConversationTable
    private var sessions: ReplicationSessions
    private var outbox = Outbox()
    private var runs = ReceivedRuns()
    private(set) var changes = DirectoryChanges()
    private var expiries = ExpirySearches()
    private var commits = CommitQueue()
    private var fetching: Fetching
    private var locating = Locating()
    private(set) var takingBack: TakingBack
    private var giving = Giving()
    private var actions: [ReplicationAction] = []

    init(local: LocalDevice, snapshot: Snapshot) {
        author = LogAuthor(local)
        logs = Logs(author: author, records: snapshot.logs, hidden: snapshot.hidden, unknown: snapshot.unknown)
        deliveries = Deliveries(
            deliveries: snapshot.deliveries, failures: snapshot.failures, carried: snapshot.receipts)
        conversations = ConversationTable(
            userID: author.userID, deviceID: author.deviceID, records: snapshot.conversations,
            entries: snapshot.membershipEntries, told: snapshot.privateConversations)
        sessions = ReplicationSessions(deviceID: author.deviceID)
        fetching = Fetching(deviceID: author.deviceID)
        for (logID, missing) in snapshot.missing {
            guard let log = logs.proved(logID) else { continue }
            let unowed = conversations.privates.unowed(missing, of: logID, by: log.authorID, in: log.description)
            fetching.bodies.lacks(missing.subtracting(unowed), of: log.description, in: logID, from: nil)
            fetching.bodies.lacks(unowed: unowed, of: log.description, in: logID)
        }
        takingBack = TakingBack(limbo: logs.allLimbos)
    }

    /// What the inputs since the last call want done, in this order.
    mutating func takeActions() -> [ReplicationAction] {
        guard !actions.isEmpty else { return [] }
        defer { actions = [] }
        return actions
    }

    private mutating func post(_ event: Event) { actions.append(.post(event)) }

    // MARK: - Requests

    /// Takes what a call writes: all of it or nothing. Its messages keep their order.
    /// - Parameter name: the recipient's, or that of the first of several.
    mutating func send(_ send: PendingSend, name: UserName?) throws(ProtocolError) {
        let isHeld = send.parts.contains { isHolding($0.conversation.conversationID) }
        try outbox.add(
            send, isHeld: isHeld,
            to: name?.description ?? send.parts.first?.conversation.label(for: author.userID) ?? "nobody")
    }

    /// The sender takes a message back. While a log is being taken back from the recipient, the answer waits: the message
    /// may be among those that the recipient has.
    mutating func cancel(_ messageID: MessageID, requestID: RequestID) throws(ProtocolError) {
        if let limbo = logs.limbo(messageID.log) {
            let known = MessageID(log: limbo.description.logID, sequence: messageID.sequence)
            try takingBack.hold(cancelOf: known, in: limbo.description.conversationID, requestID: requestID)
            return
        }
        guard let log = logs.own(messageID.log), messageID.sequence <= log.head.sequence else {
            throw ProtocolError(.unknownMessage, "this node has sent no message \(messageID)")
        }
        guard deliveries.failure(of: messageID) == nil else {
            throw ProtocolError(.alreadySent, "the message has failed already")
        }
        guard messageID.sequence > (deliveries.target(log.deliveryKey)?.offered ?? 0) else {
            throw ProtocolError(
                .alreadySent, "the message is on its way or delivered already, and cannot be taken back")
        }
        guard !isHolding(log.description.conversationID) else {
            try takingBack.hold(cancelOf: messageID, in: log.description.conversationID, requestID: requestID)
            return
        }
        deliveries.fail(
            DeliveryFailure(
                messageID: messageID, recipientID: log.record.recipientID, reason: .cancelled, isWithheld: true),
            requestID: requestID)
    }

    /// This node's user has seen a peer's messages up to this one.
    mutating func markRead(_ messageID: MessageID, requestID: RequestID) throws(ProtocolError) {
        let key = DeliveryKey(logID: messageID.log, recipientID: author.userID)
        guard logs.incoming(messageID.log) != nil, deliveries.markRead(key, through: messageID.sequence) else {
            throw ProtocolError(.unknownMessage, "this node has received no message \(messageID)")
        }
        commits.answer(PendingRequest(requestID: requestID, answer: .markedRead(messageID)))
    }

    /// Answers a request when all that waits now is on the disk.
    mutating func answer(_ requestID: RequestID, _ answer: RequestAnswer) {
        commits.answer(PendingRequest(requestID: requestID, answer: answer))
    }

    /// Messages to a user fail, if nothing may be sent to them any more. What may have left already may still turn out to be
    /// delivered; what has not is kept back for good.
    mutating func failUndelivered(to userID: UserID, trust: TrustMachine) {
        guard let reason = trust.bar(to: userID) else { return }
        for log in logs.own(to: userID) { deliveries.failUndelivered(of: log, reason: reason) }
    }

    /// The contents of messages were deleted from the disk.
    mutating func withholdDeleted(_ messageIDs: [MessageID]) { deliveries.withhold(messageIDs) }

    // MARK: - Users and devices on their way to the disk

    mutating func write(_ user: UserRecord) { changes.write(user) }
    mutating func write(_ device: DeviceRecord) { changes.write(device) }
    mutating func forget(_ userID: UserID) { changes.forget(userID, isUntold: commits.hasFailed) }
    mutating func forget(_ deviceID: DeviceID) { changes.forget(deviceID) }
    mutating func write(_ device: OwnDeviceRecord) { changes.write(device) }
    mutating func forgetOwn(_ deviceID: DeviceID) { changes.forgetOwn(deviceID) }
    mutating func write(_ revocation: Revocation) { changes.write(revocation) }

    /// An event to post when the users in it are written.
    mutating func tell(_ event: Event) { changes.tell(event, isMerged: commits.hasFailed) }

    /// What waits does not wait for company in a commit.
    mutating func hurry() { commits.hurry() }

    /// A change that is true already waits a moment for company in a commit.
    mutating func mayWait(now: Moment) { commits.mayWait(now: now) }

    // MARK: - What is known

    func hasLogs(of deviceID: DeviceID) -> Bool { logs.hasIncoming(of: deviceID) }

    /// How many messages wait for their recipients' receipts, for each recipient for whom some wait.
    var undelivered: [UserID: UInt64] {
        logs.allOwn.reduce(into: [:]) { counts, log in
            let count = deliveries.undelivered(in: log)
            if count > 0 { counts[log.record.recipientID, default: 0] += count }
        }
    }

    // MARK: - Links

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

    // MARK: - Devices of this node's user

    private func isOwn(_ session: ReplicationSession) -> Bool { session.userID == author.userID }

    /// The chosen links to other devices of this node's user, ascending.
    private var ownLinks: [ConnectionID] {
        sessions[author.userID].filter { connectionID in
            sessions[connectionID].map { sessions[$0.deviceID] == connectionID } ?? false
        }
    }

    /// Whether this node has anything to do with other devices of its user.
    private var hasOwnDevices: Bool { !sessions[author.userID].isEmpty || logs.hasIncoming(by: author.userID) }

    /// Devices of one user give each other all that they hold: tells another one which conversations there are, and who
    /// is in them.
    private mutating func tellEverything(on connectionID: ConnectionID) {
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
    private mutating func tellOwnDevices(of conversation: ConversationRecord) {
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
    private mutating func readElsewhere(_ receipt: Receipt, now: Moment) {
        guard receipt.readSequence > 0, logs.branches(of: receipt.logID).count == 1,
            let log = logs.incoming(receipt.logID), log.authorID != author.userID
        else { return }
        let key = DeliveryKey(logID: log.logID, recipientID: author.userID)
        let end = min(receipt.readSequence, deliveries.committed(key)?.delivered ?? 0)
        if deliveries.markRead(key, through: end) { commits.mayWait(now: now) }
    }

    /// What is known of a log of another device of this node's user: how far its recipients have it.
    private mutating func acknowledgedElsewhere(_ receipt: Receipt, by userID: UserID, now: Moment) {
        guard userID != author.userID, logs.branches(of: receipt.logID).count == 1,
            let log = logs.incoming(receipt.logID), log.authorID == author.userID, log.committed.sequence > 0
        else { return }
        let key = DeliveryKey(logID: log.logID, recipientID: userID)
        if deliveries.acknowledge(receipt, key, through: log.committed.sequence) { commits.mayWait(now: now) }
    }

    /// Entries of another device of this node's user are on the disk: receipts for them may have been first.
    private mutating func acknowledgeCarried(of logID: LogID, trust: TrustMachine, now: Moment) {
        for receipt in deliveries.carried.receipts(for: logID) {
            if let userID = trust.owner(of: receipt.deviceID) { acknowledgedElsewhere(receipt, by: userID, now: now) }
        }
    }

    // MARK: - Conversations in common

    private func isOfMany(_ conversationID: ConversationID) -> Bool { conversations.isOfMany(conversationID) }

    /// What of a conversation goes over a link.
    private func access(to conversationID: ConversationID, of session: ReplicationSession) -> ConversationAccess {
        conversations.access(
            with: session.userID, saysJoined: session.sharing.saysJoined(conversationID), in: conversationID)
    }

    /// What this node holds of a conversation, of what may go over a link, as a hash.
    private mutating func headsHash(
        of conversationID: ConversationID, for session: ReplicationSession
    ) -> HeadsHash {
        let access = access(to: conversationID, of: session)
        guard access != .everything else { return headsHash(of: conversationID) }
        return .of(access.heads(among: logs.heads(of: conversationID)))
    }

    /// The same for a peer. The name of an open conversation goes only to where it is advertised, and to devices of this
    /// node's user.
    private mutating func digest(
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
        if conversation.kind == .direct { digest.peerID = conversation.recipientIDs(of: author.userID).first }
        digest.progress = progressHash(of: conversation.conversationID)
        return digest
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
        let hash = logs.headsHash(of: conversationID)
        guard !fetching.bodies.isEmpty else { return hash }
        let missing = logs.incoming(of: conversationID)
            .map { (end: $0.committed.chain, bodies: fetching.bodies.lacking($0.logID)) }
            .filter { !$0.bodies.isEmpty }
        return hash.lacking(missing.sorted { $0.end < $1.end })
    }

    /// Whether what both ends of a link hold of a conversation is compared from time to time. A pair's is where another
    /// device than the two has written.
    private func isCompared(_ conversation: ConversationRecord, with session: ReplicationSession) -> Bool {
        guard common(conversation.conversationID, with: session) != nil else { return false }
        if session.sharing.contains(conversation.conversationID) { return true }
        return conversation.kind == .direct
            && logs.hasWriters(in: conversation.conversationID, beside: [author.deviceID, session.deviceID])
    }

    private mutating func tell(_ conversation: ConversationRecord, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        if isOwn(session) || conversation.kind == .direct {
            sessions[connectionID]?.told(conversation.conversationID)
        }
        actions.append(.send(.digests([digest(of: conversation, for: session)]), connectionID))
    }

    /// The conversation of a log, if both users of a link may read it; `nil` if this node is not to have it.
    private func common(_ conversationID: ConversationID, with session: ReplicationSession) -> ConversationRecord? {
        guard !isOwn(session) else {
            return conversations.record(conversationID) ?? logs.conversations[conversationID]
                ?? session.sharing.peerID(of: conversationID).map { .direct(author.userID, $0) }
        }
        let direct = ConversationRecord.direct(author.userID, session.userID)
        if conversationID == direct.conversationID { return direct }
        return conversations.record(conversationID, with: session.userID)
    }

    /// A peer says what it belongs to.
    mutating func receivedDigests(_ digests: [ConversationDigest], on connectionID: ConnectionID) {
        for var digest in digests {
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
            if digest.hasJoined != saidJoined, conversations.privates.contains(digest.conversationID) {
                accessChanged(to: digest.conversationID, on: connectionID)
            }
            compare(digest.conversationID, on: connectionID)
            if isOwn { compareProgress(of: conversation, on: connectionID) }
        }
    }

    /// The other users of a conversation.
    private func recipientIDs(in conversationID: ConversationID) -> [UserID] {
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
            let devices = Set(carried.map(\.deviceID))
            receipts += carried
            receipts += recipientIDs(in: conversationID)
                .compactMap { deliveries.committed(log.deliveryKey(for: $0))?.receipt }
                .filter { !devices.contains($0.deviceID) }
        }
        receipts.removeAll { $0.deviceID == session.deviceID }
        if !receipts.isEmpty { actions.append(.carry(receipts, connectionID)) }
    }

    /// Open conversations whose names linked users tell, and which this node's user does not belong to, ascending by name.
    var advertised: [AdvertisedConversation] {
        var names: [ConversationID: String] = [:]
        var users: [ConversationID: Set<UserID>] = [:]
        for session in sessions.chosen.compactMap({ sessions[$0] }) {
            for (conversationID, name) in session.sharing.advertised where !conversations.isJoined(conversationID) {
                names[conversationID] = name
                users[conversationID, default: []].insert(session.userID)
            }
        }
        return names.map {
            AdvertisedConversation(conversationID: $0, uniqueName: $1, userIDs: Array(users[$0] ?? []))
        }.sorted { ($0.uniqueName, $0.conversationID) < ($1.uniqueName, $1.conversationID) }
    }

    /// Whether a user is told what is here of a conversation.
    private func isToBeTold(_ userID: UserID, of conversationID: ConversationID) -> Bool {
        userID == author.userID || !conversations.privates.contains(conversationID)
            || conversations.isParticipant(userID, in: conversationID)
    }

    /// Whether entries of a log are looked at.
    private func mayTake(_ log: LogDescription, from userID: UserID) -> Bool {
        guard conversations.privates.contains(log.conversationID) else { return log.kind == .messages }
        return log.kind == .control || conversations.privates.takesMessages(from: userID, in: log.conversationID)
    }

    /// Whether a frame of a private conversation cannot be looked at now, or ever.
    private mutating func mustWait(
        _ frame: EntriesFrame, on connectionID: ConnectionID
    ) throws(ProtocolError) -> Bool {
        guard let session = sessions[connectionID] else { return true }
        guard mayTake(frame.log, from: session.userID) else {
            // The author may know more of who is in than this node does.
            let mayCount = conversations.privates.mayYetTakeMessages(in: frame.log.conversationID)
            guard mayCount, frame.log.deviceID == session.deviceID else {
                actions.append(.credit(-1, connectionID))
                return true
            }
            try conversations.privates.waits.add(frame, on: connectionID)
            return true
        }
        let isBehind = conversations.privates.waits.isWaiting(frame.log, on: connectionID)
        guard isBehind || conversations.privates.lacksVersion(of: frame) else { return false }
        try conversations.privates.waits.add(frame, on: connectionID)
        if !isBehind { sendHeads(of: frame.log.conversationID, asks: true, on: connectionID) }
        return true
    }

    /// Entries of a private conversation are on the disk.
    private mutating func absorb(
        _ entries: [EntryRecord], of record: LogRecord, after before: Place, trust: TrustMachine,
        clocks: inout ClockMachine, now: Moment
    ) {
        guard record.conversation.kind == .private else { return }
        conversations.privates.noteOwnVersions(in: entries, of: record)
        guard conversations.privates.take(entries, of: record, after: before) else { return }
        membershipChanged(in: record.description.conversationID, trust: trust, clocks: &clocks, now: now)
    }

    private mutating func membershipChanged(
        in conversationID: ConversationID, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        conversations.privates.noteDuties(in: conversationID)
        conversations.privates.regard(in: conversationID)
        conversations.changed(conversationID)
        for connectionID in sessions.chosen { accessChanged(to: conversationID, on: connectionID) }
        for (connectionID, frame) in conversations.privates.waits.take(of: conversationID) {
            guard sessions[connectionID] != nil else { continue }
            do throws(ProtocolError) {
                guard try !mustWait(frame, on: connectionID) else { continue }
                try place(frame, on: connectionID, isStranger: false, trust: trust, clocks: &clocks, now: now)
            } catch { close(connectionID, error.closeReason ?? .violation, error) }
        }
    }

    /// Who is in may have changed: what goes over a link follows.
    private mutating func accessChanged(to conversationID: ConversationID, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID], isToBeTold(session.userID, of: conversationID) else { return }
        let access = access(to: conversationID, of: session)
        if sessions[connectionID]?.allow(access, in: conversationID, logs: logs) == true {
            // What the peer holds of what it may have now is to be found out.
            sessions[connectionID]?.restart(conversationID)
        }
        giving.keep(in: conversationID, on: connectionID) { access.end(of: $0) != nil }
        tell(conversations.privates.record(conversationID), on: connectionID)
        acknowledgePremature(by: session.userID, in: conversationID)
        sessions.pump(connectionID)
        if sessions[connectionID]?.sharing.contains(conversationID) == true {
            compare(conversationID, on: connectionID)
        }
    }

    /// Founds a private conversation.
    mutating func found(
        _ conversation: ConversationRecord, _ creation: Creation, _ origin: ConversationOrigin, proof: Signature?,
        _ invited: [EntryDraft], requestID: RequestID
    ) throws(ProtocolError) {
        let created = ControlBody(.created(creation), origin: origin, proof: proof)
        try control([.control(created)] + invited, of: conversation, requestID: requestID)
    }

    /// Writes what a call decides about a private conversation.
    mutating func control(
        _ drafts: [EntryDraft], of conversation: ConversationRecord, requestID: RequestID
    ) throws(ProtocolError) {
        try outbox.add(
            PendingSend(
                requestID: requestID, parts: [.init(conversation: conversation, drafts: drafts, kind: .control)]),
            isHeld: isHolding(conversation.conversationID), to: conversation.label(for: author.userID))
    }

    /// Compares what both ends of a link hold of a conversation.
    private mutating func compare(_ conversationID: ConversationID, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        let mine = headsHash(of: conversationID, for: session)
        switch sessions[connectionID]?.compare(conversationID, with: mine) {
        case .same:
            allow(conversationID, on: connectionID)
            for log in logs.own(in: conversationID) where sessions[connectionID]?.log(log.record.logID) == nil {
                sessions[connectionID]?.open(log, after: log.head.place)
            }
            carry(conversationID, on: connectionID)
        case .ask: sendHeads(of: conversationID, asks: true, on: connectionID)
        case .nothing, nil: break
        }
    }

    private mutating func sendHeads(of conversationID: ConversationID, asks: Bool, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        let access = access(to: conversationID, of: session)
        let heads = access.heads(among: logs.heads(of: conversationID))
        for frame in Frame.heads(of: conversationID, heads, asks: asks) {
            actions.append(.send(frame, connectionID))
        }
    }

    /// What of a private conversation may go over a link is what its user may have.
    private mutating func allow(_ conversationID: ConversationID, on connectionID: ConnectionID) {
        guard conversations.privates.contains(conversationID), let session = sessions[connectionID] else { return }
        let access = access(to: conversationID, of: session)
        _ = sessions[connectionID]?.allow(access, in: conversationID, logs: logs)
    }

    /// It is known what a peer holds of a conversation.
    private mutating func carry(_ conversationID: ConversationID, on connectionID: ConnectionID) {
        allow(conversationID, on: connectionID)
        sessions.carry(conversationID, on: connectionID)
        for log in logs.own(in: conversationID) { sessions[connectionID]?.openIfNew(log) }
        sessions.pump(connectionID)
        sendCarriedReceipts(of: conversationID, on: connectionID)
    }

    /// This node's user belongs to an open conversation from now on, which begins with that if nobody else was first.
    mutating func join(
        _ uniqueName: String, _ conversationID: ConversationID, isAdvertised: Bool, requestID: RequestID, now: Moment
    ) throws(ProtocolError) {
        let prepared = try conversations.prepare(conversationID, uniqueName: uniqueName, isAdvertised: isAdvertised)
        guard let conversation = prepared else {
            answer(requestID, .conversation(conversationID))
            return
        }
        try outbox.add(
            PendingSend(requestID: requestID, parts: [.init(conversation: conversation, drafts: [.join])]),
            isHeld: isHolding(conversationID), to: "#\(uniqueName)")
    }

    /// This node's user belongs to it no longer. What is here stays.
    mutating func leave(_ conversationID: ConversationID, requestID: RequestID) throws(ProtocolError) {
        try conversations.checkJoined(conversationID)
        guard let conversation = conversations[conversationID]?.record else { return }
        try outbox.add(
            PendingSend(requestID: requestID, parts: [.init(conversation: conversation, drafts: [.leave])]),
            isHeld: isHolding(conversationID), to: conversation.label(for: author.userID))
    }

    /// Says on all links what this node holds of a conversation, and compares it with what the peers have said.
    private mutating func tellDigest(of conversation: ConversationRecord) {
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

    /// Tells peers what they may lack.
    private mutating func gossip(now: Moment) {
        guard sessions.gossip.deadline <= now.uptime else { return }
        let due = sessions.gossip.takeDue(now: now)
        for conversationID in due.comparisons {
            guard let conversation = conversations.record(conversationID) ?? logs.conversations[conversationID] else {
                continue
            }
            for connectionID in sessions.chosen {
                guard let session = sessions[connectionID], isCompared(conversation, with: session),
                    isToBeTold(session.userID, of: conversationID)
                else { continue }
                tell(conversation, on: connectionID)
            }
            passOn(of: conversationID)
        }
        for announcement in due.announcements {
            guard let log = logs.incoming(announcement.logID), log.committed.sequence > 0 else { continue }
            let conversationID = log.description.conversationID
            let head = BranchHead(log: log.description, place: log.committed.place)
            for connectionID in sessions[announcement.userID] {
                guard let session = sessions[connectionID], session.deviceID != head.log.deviceID,
                    let conversation = common(conversationID, with: session),
                    conversation.kind == .direct || session.sharing.contains(conversationID)
                else { continue }
                let heads = access(to: conversationID, of: session).heads(among: [head])
                guard !heads.isEmpty else { continue }
                let frame = HeadsFrame(conversationID: conversationID, heads: heads, isComplete: false)
                actions.append(.send(.heads(frame), connectionID))
            }
        }
    }

    /// Receipts that are new here go to others, if their authors are not here.
    private mutating func passOn(of conversationID: ConversationID) {
        let (logs, sessions) = (logs, sessions)
        let fresh = deliveries.takeFreshReceipts { logID in
            logs.incoming(logID).map { $0.description.conversationID == conversationID } ?? false
        }
        let receipts = fresh.filter { !(logs.incoming($0.logID).map { sessions.isLinked($0.authorID) } ?? true) }
        for connectionID in receipts.isEmpty ? [] : sessions.carriers(of: conversationID) {
            actions.append(.carry(receipts, connectionID))
        }
    }

    /// Participants whom this node does not reach: those who hear of it from others.
    private func unreached(by record: LogRecord) -> [UserID] {
        let conversation = conversations.record(record.description.conversationID) ?? record.conversation
        return Array(
            conversation.recipientIDs(of: author.userID).lazy.filter { !sessions.isLinked($0) }
                .prefix(Limits.unreachedUsers))
    }

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

    private mutating func close(_ connectionID: ConnectionID, _ reason: CloseReason, _ error: ProtocolError? = nil) {
        guard sessions[connectionID] != nil else { return }
        endSession(connectionID)
        actions.append(.close(connectionID, reason, error))
    }

    // MARK: - Entries out

    private mutating func pumpLinks(of logID: LogID) {
        if let record = logs.own(logID)?.record { sessions.pump(record) }
    }

    /// The store's answer to a read.
    mutating func entriesRead(
        _ read: EntriesRead, _ entries: [EntryRecord], trust: TrustMachine, now: Moment
    ) {
        switch read.purpose {
        case .sending: readToSend(read, entries, now: now)
        case .locating(let logID):
            if let next = locating.read(read, of: logID, entries) { actions.append(.read(next)) }
        case .giving: readToGive(read, entries, now: now)
        case .completing:
            if let wanted = fetching.bodies.read(read, entries), let connectionID = read.connectionID {
                actions.append(.send(.wantedBodies(wanted), connectionID))
            }
        case .givingBodies(let wanted): giveBodies(wanted, entries, read, now: now)
        case .cutting(let conversationID): looked(conversationID, read, entries.first)
        case .rewriting(let conversationID):
            if let keys = takingBack.read(entries, of: conversationID) {
                actions.append(.findKeys(conversationID, keys))
            }
        }
    }

    /// The store could not answer a read: the next link asks again.
    mutating func readFailed(_ read: EntriesRead, _ error: String) {
        switch read.purpose {
        case .rewriting(let conversationID): takingBack.readFailed(conversationID)
        case .cutting(let conversationID): takingBack.looked(conversationID, nil, in: nil)
        case .sending, .locating, .giving, .completing, .givingBodies: break
        }
        if let connectionID = read.connectionID {
            close(connectionID, .storageFailure, ProtocolError(.storage, error))
        }
    }

    /// Own entries with these keys, as far as the store has any.
    mutating func keysFound(_ lookup: KeyLookup, _ entries: [KeyedEntry]) {
        guard case .rewriting(let conversationID) = lookup else { return }
        var messages: [EntryKey: MessageID] = [:]
        for found in entries {
            if let key = found.entry.key { messages[key] = MessageID(log: found.logID, sequence: found.entry.sequence) }
        }
        takingBack.found(messages, in: conversationID)
    }

    /// The store could not look keys up: it is asked again.
    mutating func findKeysFailed(_ lookup: KeyLookup, clocks: inout ClockMachine, now: Moment) {
        if case .rewriting(let conversationID) = lookup { takingBack.readFailed(conversationID) }
        clocks.wake(by: now.uptime + Timing.commitRetry)
    }

    /// Entries may go out once it is on the disk that they may, and which of them may not; they are not taken back after
    /// that.
    private mutating func readToSend(_ read: EntriesRead, _ entries: [EntryRecord], now: Moment) {
        guard let connectionID = read.connectionID, sessions[connectionID]?.endReading(read) == true else {
            if let connectionID = read.connectionID { sessions.pump(connectionID) }
            return
        }
        guard let last = entries.last, let log = logs.own(read.logID),
            !deliveries.hasPendingFailures(in: read.logID)
        else { return }
        sessions[connectionID]?.offer(entries, of: read.logID)
        if let committed = deliveries.committed(log.deliveryKey), committed.offered >= last.sequence {
            sendOffered(log, on: connectionID, now: now)
            return
        }
        deliveries.offer(log.deliveryKey, through: last.sequence)
        commits.hurry()
    }

    /// Whether a user may have the content of an entry of a branch.
    private func owes(_ branch: LogID, to userID: UserID) -> (EntryRecord) -> Bool {
        guard
            let (log, authorID) = logs.own(branch).map({ ($0.description, author.userID) })
                ?? logs.incoming(branch).map({ ($0.description, $0.authorID) }),
            conversations.privates.mayWithhold(in: log.conversationID)
        else { return { _ in true } }
        let privates = conversations.privates
        return { privates.owes($0, of: branch, by: authorID, in: log, to: userID) }
    }

    /// It is on the disk that entries may go out: sends them.
    private mutating func sendOffered(_ log: OwnLog, on connectionID: ConnectionID, now: Moment) {
        let committed = deliveries.committed(log.deliveryKey)?.offered ?? 0
        let failed = deliveries.failures(in: log.record.logID)
        guard let userID = sessions[connectionID]?.userID else { return }
        let (unreached, owes) = (unreached(by: log.record), owes(log.record.logID, to: userID))
        let offered = sessions[connectionID]?
            .takeFrames(
                of: log, committed: committed, failed: failed, author: author, unreached: unreached, owes: owes)
        guard let (frames, end) = offered else { return }
        actions.append(.used(connectionID))
        for frame in frames { actions.append(.send(.entries(frame), connectionID)) }
        // A device of the same user is no recipient.
        if userID != author.userID, deliveries.sent(log.deliveryKey(for: userID), through: end) {
            commits.mayWait(now: now)
        }
        sessions.pump(connectionID)
    }

    // MARK: - Entries in

    /// A peer sends entries of its own logs, or what it was asked for.
    /// - Throws: `ProtocolError`, for which the link is to be closed.
    mutating func receivedEntries(
        _ frame: EntriesFrame, on connectionID: ConnectionID, isStranger: Bool, trust: TrustMachine,
        clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        guard session.hasHeads else {
            throw ProtocolError(.violation, "the peer sent entries before it said what it holds")
        }
        guard common(frame.log.conversationID, with: session) != nil else {
            // The peer need not know yet that this node's user has left.
            guard isOfMany(frame.log.conversationID) || frame.log.kind == .control else {
                throw ProtocolError(.violation, "the peer sent entries of a conversation that it has not in common")
            }
            actions.append(.credit(-1, connectionID))
            return
        }
        guard !frame.contents.isEmpty, frame.firstSequence > 0,
            frame.firstSequence <= UInt64(Int64.max) - UInt64(frame.contents.count)
        else {
            throw ProtocolError(.violation, "a run of entries has no place in a log")
        }
        guard hasRoomForStranger(frame, on: connectionID, trust: trust) else {
            actions.append(.credit(-1, connectionID))
            fetching.forget(frame.log.logID)
            guard sessions[connectionID]?.skip(frame.log.logID) == false else { return }
            throw ProtocolError(.overloaded, "too many logs of strangers have no room", closeReason: .overloaded)
        }
        fetching.moved(frame.log.logID, over: connectionID, now: now)
        guard try !mustWait(frame, on: connectionID) else { return }
        try place(
            frame, on: connectionID, isStranger: isStranger, trust: trust, clocks: &clocks,
            now: now)
    }

    /// Whether the disk takes a frame of a stranger's entries, if they are a stranger's.
    private func hasRoomForStranger(
        _ frame: EntriesFrame, on connectionID: ConnectionID, trust: TrustMachine
    ) -> Bool {
        guard let session = sessions[connectionID], !session.isSkipping(frame.log.logID) else { return false }
        guard let userID = authorID(of: frame, on: connectionID) else { return true }
        return hasRoom(for: frame.windowBytes, of: userID, in: frame.log.conversationID, on: session, trust: trust)
    }

    private func hasRoom(
        for more: Int, of userID: UserID, in conversationID: ConversationID, on session: ReplicationSession,
        trust: TrustMachine
    ) -> Bool {
        let (author, logs) = (author, logs)
        func isStranger(_ userID: UserID) -> Bool {
            userID != author.userID && trust.isStranger(userID, hasWritten: logs.hasWritten(to: userID))
        }
        // Of a private conversation that this node's user has joined, its owner says who may write.
        guard isStranger(userID), let conversation = common(conversationID, with: session),
            conversations.privates.status(in: conversationID) != .joined
        else { return true }
        return logs.hasRoom(for: more, of: userID, in: conversation, isStranger: isStranger)
    }

    /// Finds out which branch of its log a frame belongs to.
    private mutating func place(
        _ frame: EntriesFrame, on connectionID: ConnectionID, isStranger: Bool, trust: TrustMachine,
        clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        let branches = logs.branches(of: frame.log)
        var isUncertain = locating.isParked(frame.log, on: connectionID)
        for branch in isUncertain ? [] : branches.compactMap({ logs.proved($0) }) {
            switch branch.fit(of: frame) {
            case .continues(let known):
                try take(
                    frame, into: branch, known: known, on: connectionID, isStranger: isStranger, trust: trust,
                    clocks: &clocks, now: now)
                return
            case .earlier, .differs: isUncertain = true
            case .gap: break
            }
        }
        guard isUncertain else {
            let origin = LogHead.origin(of: frame.log.logID)
            guard branches.isEmpty, frame.firstSequence == 1, frame.previousChain == origin.chain,
                let userID = authorID(of: frame, on: connectionID)
            else {
                // What another has written is asked for again, if it is still missing.
                guard frame.log.deviceID == sessions[connectionID]?.deviceID else {
                    actions.append(.credit(-1, connectionID))
                    return
                }
                guard !conversations.privates.contains(frame.log.conversationID) else {
                    // What came before was not to be had then, and is sent again on another link.
                    throw ProtocolError(
                        .overloaded, "entries are missing before \(frame.firstSequence)", closeReason: .storageFailure)
                }
                throw ProtocolError(.violation, "entries are missing before \(frame.firstSequence)")
            }
            do throws(ProtocolError) { try logs.checkRoom(for: userID) } catch {
                // Whoever carries it has done nothing wrong.
                guard frame.log.deviceID == sessions[connectionID]?.deviceID else {
                    actions.append(.credit(-1, connectionID))
                    fetching.forget(frame.log.logID)
                    return
                }
                throw error
            }
            let log = IncomingLog(description: frame.log, authorID: userID, head: origin)
            try take(
                frame, into: log, known: 0, on: connectionID, isStranger: isStranger, trust: trust, clocks: &clocks,
                now: now)
            return
        }
        actions.append(.credit(-1, connectionID))
        if let read = try locating.park(frame, on: connectionID, branches: branches) { actions.append(.read(read)) }
    }

    /// The user whose device writes a log.
    private func authorID(of frame: EntriesFrame, on connectionID: ConnectionID) -> UserID? {
        let deviceID = frame.log.deviceID
        guard let session = sessions[connectionID] else { return nil }
        let userID: UserID? =
            if deviceID == session.deviceID {
                session.userID
            } else if let credential = frame.credential, credential.deviceID == deviceID {
                credential.userID
            } else {
                logs.author(of: deviceID)
            }
        // Nobody but the two writes in a direct conversation.
        guard let userID, let conversation = common(frame.log.conversationID, with: session),
            conversation.kind != .direct || conversation.participantIDs.contains(userID)
        else { return nil }
        return userID
    }

    /// A frame's place is known.
    private mutating func take(
        _ frame: EntriesFrame, into log: IncomingLog, known: Int, on connectionID: ConnectionID, isStranger: Bool,
        trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID],
            let conversation = common(frame.log.conversationID, with: session)
        else { return }
        guard hasRoomForMissing(in: frame, of: log, on: connectionID) else {
            // Whoever has more of the bodies is asked next.
            actions.append(.credit(-1, connectionID))
            return
        }
        let intake = try runs.take(
            frame, into: log, known: known, of: conversation, from: session, isStranger: isStranger, logs: &logs,
            privates: &conversations.privates, author: author, now: now)
        if let credential = frame.credential, credential.deviceID == log.description.deviceID,
            log.description.deviceID != session.deviceID, log.authorID != author.userID
        {
            actions.append(.introduced(credential))
        }
        if log.description.deviceID == author.deviceID {
            confirm(frame, of: log, count: min(known, frame.contents.count), on: connectionID, trust: trust, now: now)
        }
        switch intake {
        case .known(isSettled: true): acknowledge(log, on: connectionID)
        case .known(isSettled: false): excuse(frame, on: connectionID)
        case .new(let run, let timestamps):
            actions.append(.credit(2 + run.bytes / Limits.requestBytes, connectionID))
            guard !run.isOwn else {
                takingBack.came(run.entries, of: frame.log)
                return
            }
            guard log.description.deviceID == session.deviceID else { return }
            for timestamp in timestamps {
                if let skew = clocks.hear(timestamp, of: session.userID, now: now) { post(.clockSkewed(skew)) }
            }
            if !run.news.isEmpty, conversation.kind == .direct,
                let userID = conversation.recipientIDs(of: author.userID).first
            {
                actions.append(.exchanged(userID))
            }
        }
    }

    /// Whether a branch may lack all the bodies that a frame lacks.
    private func hasRoomForMissing(in frame: EntriesFrame, of log: IncomingLog, on connectionID: ConnectionID) -> Bool {
        let mayWithhold =
            frame.log.kind == .messages && conversations.privates.mayWithhold(in: frame.log.conversationID)
        guard mayWithhold || frame.log.deviceID != sessions[connectionID]?.deviceID,
            frame.log.deviceID != author.deviceID
        else { return true }
        let missing =
            mayWithhold
            ? conversations.privates.owed(in: frame, of: log)
            : frame.withoutContent
        // Without its control entries nobody can say who is in.
        return missing.isEmpty
            || frame.log.kind == .messages && fetching.bodies.hasRoom(for: missing, in: log.logID)
    }

    /// A peer has own entries that this node has, too: they have left it.
    private mutating func confirm(
        _ frame: EntriesFrame, of log: IncomingLog, count: Int, on connectionID: ConnectionID, trust: TrustMachine,
        now: Moment
    ) {
        guard count > 0, let own = logs.own(log.logID) else { return }
        // Another device of this node's user is no recipient, and what it lacks says nothing.
        let isSent = sessions[connectionID].map { !isOwn($0) } ?? true
        var place = Place(sequence: frame.firstSequence - 1, chain: frame.previousChain)
        for content in frame.contents.prefix(count) {
            place = Place(sequence: place.sequence + 1, chain: place.chain.appending(content.hash))
            deliveries.compare(
                content,
                // Only what this device has marked was withheld; what a third party lacks says nothing.
                isErased: frame.deleted[place.sequence] != nil || !isSent
                    || isOfMany(frame.log.conversationID) && frame.marks[place.sequence] == nil,
                with: MessageID(log: log.logID, sequence: place.sequence), to: own.record.recipientID)
            if !fetching.isEmpty { reached(place, ofOwn: own.record.logID, trust: trust, now: now) }
        }
        deliveries.confirmed(own.deliveryKey, through: place.sequence, isSent: isSent)
        commits.hurry()
    }

    /// Goes on with frames of which the disk has said where they belong.
    private mutating func takeLocated(trust: TrustMachine, clocks: inout ClockMachine, now: Moment) {
        guard !locating.isEmpty else { return }
        for (connectionID, frame, branch, head) in locating.partings {
            guard let log = logs.own(branch), log.head != head, log.isUnsent(after: head, deliveries),
                takingBack[log.description.conversationID]?.cut == nil
            else { continue }
            // Nothing gives way to what this device has not signed.
            do throws(ProtocolError) { try frame.authenticate() } catch {
                close(connectionID, error.closeReason ?? .violation, error)
                continue
            }
            takingBack.cut(log, after: head)
        }
        let (logs, deliveries) = (logs, deliveries)
        let located = locating.takePlaced { _, place in
            switch place {
            case .nowhere: true
            case .known(let branch), .continues(let branch, _): logs.proved(branch)?.isSettled ?? true
            case .parts(let branch, let head, _):
                // An unsent end gives way first.
                logs.proved(branch)?.isSettled ?? true
                    && logs.own(branch).map { !$0.isUnsent(after: head, deliveries) || $0.head == head } ?? true
            }
        }
        for (connectionID, frame, place, rest) in located {
            do throws(ProtocolError) {
                try take(frame, at: place, on: connectionID, trust: trust, clocks: &clocks, now: now)
                for frame in rest where sessions[connectionID] != nil {
                    try self.place(frame, on: connectionID, isStranger: false, trust: trust, clocks: &clocks, now: now)
                }
            } catch { close(connectionID, error.closeReason ?? .violation, error) }
        }
    }

    private mutating func take(
        _ frame: EntriesFrame, at place: Locating.Place, on connectionID: ConnectionID, trust: TrustMachine,
        clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        var (branch, known): (IncomingLog?, Int)
        switch place {
        case .known(let logID): (branch, known) = (logs.proved(logID), frame.contents.count)
        case .continues(let logID, let count):
            (branch, known) = (logs.proved(logID), count)
            // More may have come over another link since the disk was asked.
            guard branch == nil || branch?.proved.place == frame.place(after: count) else {
                try self.place(frame, on: connectionID, isStranger: false, trust: trust, clocks: &clocks, now: now)
                return
            }
        case .parts(let logID, let head, let count):
            (branch, known) = (logs.proved(logID), count)
            guard branch?.proved != head else { break }
            do throws(ProtocolError) { branch = try self.branch(of: frame, after: head, known: count) } catch {
                guard frame.log.deviceID == sessions[connectionID]?.deviceID else {
                    actions.append(.credit(-1, connectionID))
                    fetching.forget(frame.log.logID)
                    return
                }
                throw error
            }
            if let logID = branch?.logID, logs.proved(logID) != nil {
                try self.place(frame, on: connectionID, isStranger: false, trust: trust, clocks: &clocks, now: now)
                return
            }
        case .nowhere: (branch, known) = (nil, 0)
        }
        guard let branch else {
            guard frame.log.deviceID == sessions[connectionID]?.deviceID else { return }
            throw ProtocolError(.violation, "entries are missing before \(frame.firstSequence)")
        }
        try take(
            frame, into: branch, known: known, on: connectionID, isStranger: false, trust: trust, clocks: &clocks,
            now: now)
    }

    /// A new branch of a log.
    private func branch(
        of frame: EntriesFrame, after head: LogHead, known: Int
    ) throws(ProtocolError) -> IncomingLog? {
        let branches = logs.branches(of: frame.log)
        guard let trunk = branches.first.flatMap({ logs.proved($0) }), known < frame.contents.count else { return nil }
        guard branches.count < Limits.branchesPerLog else {
            throw ProtocolError(.violation, "a log has more than \(Limits.branchesPerLog) branches")
        }
        let chain = head.chain.appending(frame.contents[known].hash)
        return IncomingLog(
            logID: .branch(of: frame.log, from: head.sequence + 1, chain), description: frame.log,
            authorID: trunk.authorID, base: head, head: head)
    }

    private mutating func excuse(_ frame: EntriesFrame, on connectionID: ConnectionID) {
        let bytes = frame.windowBytes
        guard sessions[connectionID]?.excuse(bytes) == true else { return }
        actions.append(.credit(1 + bytes / Limits.requestBytes, connectionID))
    }

    // MARK: - Receipts out

    /// The receipt for what this node holds of a log, as the disk has it.
    private func ownReceipt(for logID: LogID) -> Receipt? {
        deliveries.committed(DeliveryKey(logID: logID, recipientID: author.userID))?.receipt
    }

    /// What this node knows of who holds the logs that the peer's user has written, and those of users who are not here:
    /// the peer may meet them. Devices of one user compare what they know of their own.
    private mutating func sendCarriedReceipts(of conversationID: ConversationID, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        var (mine, carried): ([Receipt], [Receipt]) = ([], [])
        for log in logs.incoming(of: conversationID)
        where log.authorID == session.userID ? !isOwn(session) : !sessions.isLinked(log.authorID) {
            carried += deliveries.carried.receipts(for: log.description.logID)
                .filter { $0.deviceID != session.deviceID }
            if log.authorID != author.userID, let receipt = ownReceipt(for: log.logID) { mine.append(receipt) }
        }
        guard !(mine + carried).isEmpty, sessions[connectionID]?.isNew(mine + carried, of: conversationID) == true
        else { return }
        for frame in Frame.frames(of: mine) { actions.append(.send(frame, connectionID)) }
        if !carried.isEmpty { actions.append(.carry(carried, connectionID)) }
    }

    private mutating func sendReceipt(for logID: LogID, on connectionID: ConnectionID) {
        guard let receipt = ownReceipt(for: logID) else { return }
        actions.append(.send(.receipts([receipt]), connectionID))
    }

    /// What a peer has sent is on the disk.
    private mutating func acknowledge(_ log: IncomingLog, on connectionID: ConnectionID) {
        guard log.description.deviceID != sessions[connectionID]?.deviceID else {
            sendReceipt(for: log.logID, on: connectionID)
            return
        }
        actions.append(.send(.taken(log.description.logID, through: log.committed.place), connectionID))
    }

    // MARK: - Heads in

    /// A peer says what it holds of a conversation.
    mutating func receivedHeads(
        _ frame: HeadsFrame, on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) {
        guard let session = sessions[connectionID] else { return }
        // What the two have not in common is skipped.
        if let conversationID = frame.conversationID, common(conversationID, with: session) != nil {
            for head in frame.heads where mayTake(head.log, from: session.userID) {
                if head.log.deviceID == author.deviceID {
                    receivedOwnHead(head, on: connectionID, trust: trust, now: now)
                } else if head.log.deviceID != session.deviceID {
                    if let userID = logs.author(of: head.log.deviceID),
                        !hasRoom(for: 1, of: userID, in: conversationID, on: session, trust: trust)
                    {
                        continue
                    }
                    receivedHead(head, on: connectionID)
                }
            }
        }
        guard frame.isComplete else { return }
        guard session.hasHeads else {
            receivedAllHeads(on: connectionID)
            return
        }
        guard let conversationID = frame.conversationID, common(conversationID, with: session) != nil,
            isOfMany(conversationID) || session.sharing.contains(conversationID)
        else { return }
        if sessions[connectionID]?.heardHeads(of: conversationID, asks: frame.asks) == true {
            sendHeads(of: conversationID, asks: false, on: connectionID)
        }
        fetching.bodies.renew(conversationID, on: connectionID)
        carry(conversationID, on: connectionID)
    }

    /// What a peer holds of a log that neither of the two has written.
    private mutating func receivedHead(_ head: BranchHead, on connectionID: ConnectionID) {
        let branches = logs.branches(of: head.log).compactMap { logs.proved($0) }
        let longer = branches.filter { head.place.sequence <= $0.proved.sequence }
        guard !longer.contains(where: { $0.proved.place == head.place || $0.committed.place == head.place }) else {
            return
        }
        guard longer.isEmpty else {
            actions.append(.credit(-1, connectionID))
            readChains(.comparing(head), of: branches.map(\.logID), at: [head.place.sequence], on: connectionID)
            return
        }
        _ = fetching.want(head, from: connectionID)
    }

    /// What a peer holds of one of this node's own logs. It is more than this node has if the database here was restored
    /// from an older copy.
    private mutating func receivedOwnHead(
        _ head: BranchHead, on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) {
        let branches = logs.branches(of: head.log)
        // Beyond what was offered the two may agree by name only: one may hold as withheld what the other has.
        let own = branches.compactMap { logs.own($0) }.filter { head.place.sequence <= offered($0) }
        if let branch = own.first(where: { $0.head.place == head.place }) {
            decide(head, in: branch, on: connectionID, trust: trust, now: now)
        } else if !own.isEmpty {
            actions.append(.credit(-1, connectionID))
            sessions[connectionID]?.shut(head.log, branches: branches)
            readChains(.comparing(head), of: branches, at: [head.place.sequence], on: connectionID)
        } else {
            claim(head, on: connectionID, now: now)
        }
    }

    /// Up to here entries of a log may have left this node, as the disk has it.
    private func offered(_ log: OwnLog) -> UInt64 { deliveries.committed(log.deliveryKey)?.offered ?? 0 }

    /// The peer's end of a log is in a branch that this node has: the rest of that branch goes to it, and the others.
    private mutating func decide(
        _ head: BranchHead, in branch: OwnLog, on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) {
        // What goes out on the link already goes on.
        guard sessions[connectionID]?.log(branch.record.logID) == nil else { return }
        sessions[connectionID]?.decide(head.log)
        sessions[connectionID]?.open(branch, after: head.place)
        for other in logs.branches(of: head.log) where other != branch.record.logID {
            if let log = logs.own(other) { sessions[connectionID]?.openIfNew(log) }
        }
        sessions.pump(connectionID)
        for receipt in sessions[connectionID]?.takeEarlyReceipts(for: head.log) ?? [] {
            do { try receivedReceipt(receipt, on: connectionID, trust: trust, now: now) } catch {
                close(connectionID, .violation, error)
            }
        }
    }

    /// The peer has said all that it holds.
    private mutating func receivedAllHeads(on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        sessions[connectionID]?.receivedAllHeads()
        // What devices of one user hold is compared conversation by conversation.
        for log in isOwn(session) ? [] : logs.own(to: session.userID) { sessions[connectionID]?.openIfNew(log) }
        sessions.pump(connectionID)
    }

    // MARK: - The disk's chains

    private mutating func readChains(
        _ purpose: ChainsRead.Purpose, of branches: [LogID], at sequences: [UInt64], on connectionID: ConnectionID
    ) {
        actions.append(
            .readChains(
                ChainsRead(connectionID: connectionID, purpose: purpose, logIDs: branches, sequences: sequences)))
    }

    /// The store's answer.
    mutating func chainsRead(
        _ read: ChainsRead, _ chains: [LogID: [UInt64: ChainHash]], trust: TrustMachine, now: Moment
    ) {
        guard sessions[read.connectionID] != nil else { return }
        switch read.purpose {
        case .comparing(let head): compared(head, chains, on: read.connectionID, trust: trust, now: now)
        case .checking(let receipt):
            let branch = chains.keys.sorted().first { chains[$0]?[receipt.sequence] == receipt.chain }
            if let branch {
                acknowledged(receipt, of: branch, on: read.connectionID, trust: trust)
            } else if receipt.deviceID == sessions[read.connectionID]?.deviceID {
                sessions[read.connectionID]?.keep(receipt)
            }
        case .asking(let head):
            let origin = read.sequences.contains(0) ? [LogHead.origin(of: head.log.logID).place] : []
            ask(for: head, knowing: chains, origin: origin, on: read.connectionID)
        case .givingBodies(let wanted): readBodies(wanted, chains, on: read.connectionID)
        case .giving(let wanted):
            do throws(ProtocolError) {
                if try giving.begin(wanted, on: read.connectionID, branches: chains, now: now) == nil {
                    actions.append(.send(.unplaced(wanted.log), read.connectionID))
                }
            } catch { close(read.connectionID, .violation, error) }
        }
    }

    mutating func chainsReadFailed(_ read: ChainsRead, _ error: String) {
        close(read.connectionID, .storageFailure, ProtocolError(.storage, error))
    }

    private mutating func compared(
        _ head: BranchHead, _ chains: [LogID: [UInt64: ChainHash]], on connectionID: ConnectionID,
        trust: TrustMachine, now: Moment
    ) {
        let branch = chains.keys.sorted().first { chains[$0]?[head.place.sequence] == head.place.chain }
        if let own = branch.flatMap({ logs.own($0) }) {
            decide(head, in: own, on: connectionID, trust: trust, now: now)
        } else if head.log.deviceID != author.deviceID {
            if branch == nil { _ = fetching.want(head, from: connectionID) }
        } else {
            claim(head, on: connectionID, now: now)
        }
    }

    // MARK: - Receipts in

    /// A peer passes on what others hold of logs, by this node's user or by others.
    mutating func receivedCarried(
        _ receipt: Receipt, credentials: [Credential], on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        actions.append(.credit(-1, connectionID))
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
        try receipt.authenticate()
        guard userID != author.userID else {
            readElsewhere(receipt, now: now)
            return
        }
        if let credential { actions.append(.introduced(credential)) }
        acknowledgedElsewhere(receipt, by: userID, now: now)
        let own = branches.compactMap { logs.own($0) }
        if let log = own.first(where: { $0.head.place == receipt.place }) {
            acknowledged(receipt, by: userID, of: log)
        } else if own.isEmpty {
            keep(receipt, on: connectionID, now: now)
        } else {
            readChains(.checking(receipt), of: own.map(\.record.logID), at: [receipt.sequence], on: connectionID)
        }
    }

    /// A receipt for a log of somebody else, who is not here, or of another device of this node's user.
    private mutating func keep(_ receipt: Receipt, on connectionID: ConnectionID, now: Moment) {
        guard let log = logs.incoming(receipt.logID), log.isOnDisk else {
            // It is looked at again when the first entries of the log are on the disk.
            sessions[connectionID]?.keep(receipt)
            return
        }
        guard deliveries.carry(receipt) else { return }
        commits.hurry()
        sessions.gossip.changed(log.description.conversationID, now: now)
        for connectionID in sessions[log.authorID] { actions.append(.carry([receipt], connectionID)) }
    }

    /// A peer says what it holds of one of this node's logs, or of a log whose author it does not reach.
    mutating func receivedReceipt(
        _ receipt: Receipt, on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        let branches = logs.branches(of: receipt.logID).compactMap { logs.own($0) }
            .filter {
                $0.record.conversation.kind != .direct || isOwn(session) || $0.record.recipientID == session.userID
            }
        guard receipt.sequence > 0 else { return }
        if branches.isEmpty, let log = logs.incoming(receipt.logID), log.authorID != session.userID {
            try receivedCarried(receipt, credentials: [], on: connectionID, trust: trust, now: now)
            return
        }
        // Before its signature is looked at, which is most of the work.
        var isNews = false
        for branch in branches {
            let known = deliveries.target(branch.deliveryKey(for: session.userID)) ?? DeliveryProgress()
            if sessions[connectionID]?.hear(receipt, for: branch.record.logID, known: known) == true { isNews = true }
        }
        actions.append(.credit(isNews ? 1 : -1, connectionID))
        try receipt.authenticate()
        guard let description = branches.first?.description, !session.isUndecided(description) else {
            // It may be about what this node is to get back.
            sessions[connectionID]?.keep(receipt)
            return
        }
        guard isNews else { return }
        for branch in branches where session.chain(of: branch, at: receipt.sequence) == receipt.chain {
            acknowledged(receipt, of: branch.record.logID, on: connectionID, trust: trust)
            return
        }
        guard branches.contains(where: { receipt.sequence < $0.head.sequence }) else {
            sessions[connectionID]?.keep(receipt)
            return
        }
        readChains(
            .checking(receipt), of: branches.map(\.record.logID), at: [receipt.sequence], on: connectionID)
    }

    /// Entries of a log of somebody else are on the disk: receipts for them may have been first.
    private mutating func receivedEarlyReceipts(for log: LogDescription, trust: TrustMachine, now: Moment) {
        for connectionID in sessions.all {
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

    private mutating func acknowledged(
        _ receipt: Receipt, of branch: LogID, on connectionID: ConnectionID, trust: TrustMachine
    ) {
        guard let log = logs.own(branch), let session = sessions[connectionID] else { return }
        guard receipt.deviceID == session.deviceID else {
            if let userID = trust.owner(of: receipt.deviceID) { acknowledged(receipt, by: userID, of: log) }
            return
        }
        sessions[connectionID]?.acknowledged(receipt, of: branch)
        sessions.pump(connectionID)
        acknowledged(receipt, by: session.userID, of: log)
    }

    /// A device of a user holds an own log up to a place. This user's own devices are no recipients.
    private mutating func acknowledged(_ receipt: Receipt, by userID: UserID, of log: OwnLog) {
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
        if hasOwnDevices { _ = deliveries.carry(receipt) }
    }

    /// Somebody is known to belong to a conversation: what their devices have said before counts.
    private mutating func acknowledgePremature(by userID: UserID, in conversationID: ConversationID) {
        for connectionID in sessions[userID] {
            for log in logs.own(in: conversationID) {
                guard let receipt = sessions[connectionID]?.takePrematureReceipt(for: log.record.logID) else {
                    continue
                }
                acknowledged(receipt, by: userID, of: log)
            }
        }
    }

    // MARK: - Taking back

    /// A peer says that it holds own entries that this node does not have, or others in their places.
    private mutating func claim(_ head: BranchHead, on connectionID: ConnectionID, now: Moment) {
        guard let session = sessions[connectionID] else { return }
        actions.append(.credit(-1, connectionID))
        sessions[connectionID]?.shut(head.log, branches: logs.branches(of: head.log))
        guard let conversation = common(head.log.conversationID, with: session) else { return }
        takingBack.begin(conversation, with: session.userID, now: now)
        // After a pause it is asked for, over the same link.
        guard fetching.want(head, from: connectionID), !takingBack.isPaused(conversation.conversationID) else { return }
        outbox.hold(conversation.conversationID)
    }

    /// A peer finds none of the places that this node has named.
    mutating func receivedUnplaced(_ log: LogDescription, on connectionID: ConnectionID, now: Moment) {
        actions.append(.credit(-1, connectionID))
        perform(fetching.noneKnown(of: log, over: connectionID, now: now))
    }

    private func isHolding(_ conversationID: ConversationID) -> Bool { takingBack.isHolding(conversationID) }

    /// Whether logs of this node's own are being taken back, from anybody.
    var isTakingBack: Bool { takingBack.isHolding }

    private mutating func perform(_ actions: [Fetching.Action]) {
        for action in actions {
            switch action {
            case .ask(let connectionID, let head, let places): ask(for: head, places, on: connectionID)
            case .givenUp: break
            }
        }
    }

    /// Names the ends of what this node has of a log, or also places at distances 1, 2, 4 and so on before them, back to
    /// the log's origin. Of its own logs only what was offered counts: what was not is in nobody's branch.
    private mutating func ask(for head: BranchHead, _ places: Fetching.Places, on connectionID: ConnectionID) {
        let branches = logs.branches(of: head.log)
        var sequences: Set<UInt64> = []
        for branch in branches {
            let end =
                logs.own(branch).map { max(offered($0), $0.record.start.sequence) }
                ?? logs.incoming(branch)?.committed.sequence ?? 0
            guard end > 0 else { continue }
            sequences.insert(end)
            guard case .spaced = places else { continue }
            var distance: UInt64 = 1
            while distance < end {
                sequences.insert(end - distance)
                distance *= 2
            }
        }
        if sequences.isEmpty || places == .spaced { sequences.insert(0) }
        readChains(.asking(head), of: branches, at: sequences.sorted(), on: connectionID)
    }

    private mutating func ask(
        for head: BranchHead, knowing chains: [LogID: [UInt64: ChainHash]], origin: [Place],
        on connectionID: ConnectionID
    ) {
        var known = Set(origin)
        for places in chains.values {
            for (sequence, chain) in places { known.insert(Place(sequence: sequence, chain: chain)) }
        }
        let sorted = known.sorted { ($0.sequence, $0.chain) < ($1.sequence, $1.chain) }
        // Of too many those at the end matter least: whoever has them was found by the heads.
        actions.append(
            .send(
                .wanted(
                    WantedFrame(log: head.log, end: head.place, known: Array(sorted.prefix(Limits.knownPlaces)))),
                connectionID))
    }

    /// Goes on with what had to wait.
    private mutating func advanceTakingBack(now: Moment) {
        let (late, held) = takingBack.updateHolds(now: now)
        for (conversationID, hold) in late { letGo(conversationID, hold) }
        for conversationID in held { outbox.hold(conversationID) }
        let (sessions, holds) = (sessions, takingBack)
        let asked = fetching.advance(
            now: now, mayAsk: { sessions[$0]?.hasHeads == true }, isPaused: { holds.isPaused($0) })
        perform(asked)
        for conversationID in takingBack.conversationIDs { advance(conversationID) }
        releaseHeld()
    }

    private mutating func advance(_ conversationID: ConversationID) {
        let isUnderWay =
            locating.isParked(conversationID) || runs.containsOwn(in: conversationID)
            || commits.inFlight?.received.contains { $0.isOwn && $0.log.conversationID == conversationID } == true
        if !isUnderWay, !fetching.isFetching(conversationID, where: { [author] in $0.log.deviceID == author.deviceID })
        {
            let unsent = logs.own(in: conversationID).lazy
                .map { [deliveries] in
                    (log: $0, offered: max(deliveries.target($0.deliveryKey)?.offered ?? 0, $0.record.start.sequence))
                }
                .first { $0.offered < $0.log.head.sequence }
            let limbo = logs.limbos(of: conversationID).first
            if let event = takingBack.settle(conversationID, unsent: unsent, limbo: limbo) { post(event) }
        }
        for read in takingBack.takeLookups() { actions.append(.read(read)) }
        if let read = takingBack.nextRead(of: conversationID) { actions.append(.read(read)) }
    }

    /// Behind this entry an own log has what nobody was offered, unless it was meanwhile.
    private mutating func looked(_ conversationID: ConversationID, _ read: EntriesRead, _ entry: EntryRecord?) {
        let log = logs.own(read.logID).flatMap { log in
            entry.map { $0.sequence < log.head.sequence && log.isUnsent(after: $0.head, deliveries) } == true
                ? log : nil
        }
        takingBack.looked(conversationID, entry, in: log)
    }

    /// Somebody claims what they do not give: their links that were asked are let go.
    private mutating func letGo(_ conversationID: ConversationID, _ hold: SendHold) {
        let direct = takingBack[conversationID].map { sessions[$0.userID] } ?? []
        for connectionID in sessions.all
        where fetching.asked(over: connectionID).contains(where: {
            $0.log.conversationID == conversationID && $0.log.deviceID == author.deviceID
        }) || direct.contains(connectionID) && sessions[connectionID]?.hasHeads == false {
            let message =
                hold.hasBroughtEntries
                ? "the peer has not given back a log of this node within the time for that; the rest is asked for again "
                    + "in \(Timing.recoveryPause / 1000) s"
                : "the peer says that it holds entries of a log of this node, and does not give them back"
            close(connectionID, .timeout, ProtocolError(.timeout, message, closeReason: .timeout))
        }
    }

    private mutating func releaseHeld() {
        let takingBack = takingBack
        if outbox.hasHeld {
            for send in outbox.release(where: { takingBack.isHolding($0) }) { actions.append(.lookUpAgain(send)) }
        }
        for held in self.takingBack.releaseCancels() {
            do throws(ProtocolError) { try cancel(held.messageID, requestID: held.requestID) } catch {
                actions.append(.complete(held.requestID, .failure(error)))
            }
        }
    }

    // MARK: - Giving

    /// A peer wants a branch of a log.
    mutating func receivedWanted(_ wanted: WantedFrame, on connectionID: ConnectionID) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        let branches = logs.branches(of: wanted.log).filter { logs.incoming($0) != nil }
        let access = access(to: wanted.log.conversationID, of: session)
        guard let end = access.end(of: wanted.log), wanted.end.sequence <= end else {
            // The peer need not know yet that they are not to have it.
            actions.append(.credit(-1, connectionID))
            return
        }
        guard common(wanted.log.conversationID, with: session) != nil, !branches.isEmpty else {
            throw ProtocolError(.violation, "the peer wants entries that this node does not hold")
        }
        readChains(
            .giving(wanted), of: branches, at: Set(wanted.known.map { $0.sequence } + [wanted.end.sequence]).sorted(),
            on: connectionID)
    }

    /// A peer has on its disk what it was given.
    mutating func receivedTaken(_ logID: LogID, through place: Place, on connectionID: ConnectionID, now: Moment) {
        if !giving.isGiving(on: connectionID) { actions.append(.credit(-1, connectionID)) }
        giving.taken(logID, through: place, on: connectionID, now: now)
    }

    // MARK: - Bodies

    /// A peer wants bodies of entries that it holds without them.
    mutating func receivedWantedBodies(
        _ wanted: WantedBodiesFrame, on connectionID: ConnectionID
    ) {
        actions.append(.credit(-1, connectionID))
        guard let session = sessions[connectionID], common(wanted.log.conversationID, with: session) != nil,
            access(to: wanted.log.conversationID, of: session).end(of: wanted.log) == .max
        else { return }
        giving.begin(wanted, on: connectionID)
    }

    /// Of the branches of the log one has the place that the peer has named.
    private mutating func readBodies(
        _ wanted: WantedBodiesFrame, _ chains: [LogID: [UInt64: ChainHash]], on connectionID: ConnectionID
    ) {
        let branch = chains.keys.sorted().first { logID in
            chains[logID]?[wanted.first.sequence] == wanted.first.chain
                && logs.own(logID).map { wanted.last <= offered($0) } ?? true
        }
        guard let branch else {
            let none = BodiesFrame(logID: wanted.log.logID, first: wanted.first, contents: [], marks: [:])
            actions.append(.send(.bodies(none), connectionID))
            return
        }
        actions.append(
            .read(
                EntriesRead(
                    connectionID: connectionID, purpose: .givingBodies(wanted), logID: branch,
                    from: wanted.first.sequence, countLimit: Limits.bodiesPerQuestion,
                    byteLimit: Limits.entriesFrameBytes)))
    }

    private mutating func giveBodies(
        _ wanted: WantedBodiesFrame, _ entries: [EntryRecord], _ read: EntriesRead, now: Moment
    ) {
        guard let connectionID = read.connectionID, let (userID, _) = sessions.peer(on: connectionID) else { return }
        let isOwn = logs.own(read.logID) != nil
        let (author, failed) = (author, deliveries.failures(in: read.logID))
        let owes = owes(read.logID, to: userID)
        let frame = giving.answer(wanted, with: entries, to: userID, now: now) { entry in
            if case .body = entry.content, failed[entry.sequence]?.isWithheld != true {
                return owes(entry) ? (entry.content, nil) : (.withheld(entry.content.hash), nil)
            }
            let hash = entry.content.hash
            guard isOwn else { return (.withheld(hash), entry.mark) }
            let mark = WithheldMark.sign(
                logID: wanted.log.logID, sequence: entry.sequence, hash: hash, with: author.signingKey)
            return (.withheld(hash), mark)
        }
        actions.append(.send(.bodies(frame), connectionID))
    }

    /// A peer gives bodies that this node has asked for.
    mutating func receivedBodies(_ frame: BodiesFrame, on connectionID: ConnectionID, trust: TrustMachine) {
        guard let session = sessions[connectionID],
            case (let logID, var entries)? = fetching.bodies.take(frame, on: connectionID),
            let log = logs.proved(logID),
            let conversation = conversations.record(log.description.conversationID)
                ?? logs.conversations[log.description.conversationID]
        else {
            actions.append(.credit(-1, connectionID))
            return
        }
        let bytes = entries.reduce(0) { $0 + $1.record.windowBytes }
        guard !entries.isEmpty,
            hasRoom(for: bytes, of: log.authorID, in: conversation.conversationID, on: session, trust: trust)
        else { return }
        actions.append(.credit(1 + bytes / Limits.requestBytes, connectionID))
        logs.grew(logID, by: bytes)
        if conversation.kind == .private { conversations.privates.judgeFound(&entries, of: log) }
        for (record, body) in entries where body != nil {
            logs.note(record.timestamp, of: record.sequence, in: logID)
        }
        fetching.bodies.add(
            MissingBodies.Found(logID: logID, conversation: conversation, authorID: log.authorID, entries: entries))
    }

    private mutating func advanceBodies(now: Moment) {
        guard !fetching.bodies.isEmpty else { return }
        let sessions = sessions
        let reads = fetching.bodies.advance(now: now) { log in
            // The author has what nobody else may have: the mark of what it withholds.
            let carriers = sessions.carriers(of: log.conversationID)
            let author = sessions[log.deviceID].map { [$0] } ?? []
            return author.filter(carriers.contains) + carriers.filter { !author.contains($0) }
        }
        for read in reads { actions.append(.read(read)) }
    }

    /// Bodies that came go into a commit, and count in its receipts.
    private mutating func takeBodies(into next: inout CommitInFlight) {
        let runs = runs
        next.bodies = fetching.bodies.takeFound(where: runs.isWaiting)
        for found in next.bodies {
            let isOwn = logs.own(found.logID) != nil
            let records = found.entries.map { isOwn ? $0.record.withKey($0.body?.key) : $0.record }
            next.commit.bodies.append(LogEntries(logID: found.logID, entries: records))
            guard let log = logs.incoming(found.logID) else { continue }
            // The receipts of other branches cover what they have in common with this one.
            for branch in logs.branches(of: log.description) {
                deliveries.writeAgain(DeliveryKey(logID: branch, recipientID: author.userID))
            }
            for (record, body) in found.entries {
                guard let news = EntryNews(record, body, of: log, in: found.conversation, author, logs) else {
                    continue
                }
                next.lateNews.append((found.logID, news, logs.isByOwnUser(found.logID)))
            }
        }
    }

    private mutating func written(
        _ found: MissingBodies.Found, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        fetching.bodies.written(found)
        if logs.own(found.logID) != nil {
            let records = found.entries.map(\.record)
            logs.note(records, of: found.logID)
            for record in records { clocks.resume(after: record.timestamp) }
        }
        changed(found.conversation, now: now)
        guard found.conversation.kind == .private, let log = logs.incoming(found.logID) else { return }
        conversations.privates.regard(in: log.description.conversationID)
        let privates = conversations.privates
        fetching.bodies.reconsider(log.logID) { unowed in
            unowed.subtracting(
                privates.unowed(unowed, of: log.logID, by: log.authorID, in: log.description))
        }
        if conversations.privates.takeAnswers(in: found.entries.map(\.record), of: log) {
            membershipChanged(in: log.description.conversationID, trust: trust, clocks: &clocks, now: now)
        }
    }

    private mutating func advanceGiving(clocks: inout ClockMachine, now: Moment) {
        for connectionID in giving.connections {
            guard let (userID, _) = sessions.peer(on: connectionID) else { continue }
            for wanted in giving.takeWantedBodies(on: connectionID, to: userID, now: now) {
                readChains(
                    .givingBodies(wanted), of: logs.branches(of: wanted.log), at: [wanted.first.sequence],
                    on: connectionID)
            }
            for read in giving.takeReads(on: connectionID, to: userID, now: now) { actions.append(.read(read)) }
            if giving.isPostponed(on: connectionID, to: userID, now: now) {
                clocks.wake(by: now.uptime + Timing.returnPause)
            }
        }
    }

    private mutating func readToGive(_ read: EntriesRead, _ entries: [EntryRecord], now: Moment) {
        guard let connectionID = read.connectionID, let (userID, _) = sessions.peer(on: connectionID) else { return }
        do throws(ProtocolError) {
            guard
                let frame = try giving.frame(
                    of: entries, read, to: userID, now: now, owes: owes(read.logID, to: userID))
            else { return }
            actions.append(.give(frame, connectionID))
        } catch {
            close(connectionID, .storageFailure, error)
        }
    }

    // MARK: - Time

    /// Time has passed: looks for messages whose time is over, and tries the disk again if it took no writes.
    mutating func tick(clocks: inout ClockMachine, now: Moment) {
        for log in expiries.begin(among: logs.allOwn, now: now) {
            let delivered = deliveries.target(log.deliveryKey)?.delivered ?? 0
            actions.append(.findExpired(logID: log.record.logID, after: delivered, now: now.wallClock))
        }
        // Sending again is how a node finds out that the disk takes writes again.
        if commits.hasFailed { sessions.pumpAll() }
        for log in logs.allOwn { expiries.wake(for: log.record, clocks: &clocks, now: now) }
    }

    /// The answer to `findExpired`: these entries' time is over, and the next one's will be then.
    mutating func expiredFound(
        in logID: LogID, sequences: [UInt64], nextExpiry: Int64, clocks: inout ClockMachine, now: Moment
    ) -> Bool {
        let counts = expiries.found(
            sequences, in: logID, nextExpiry: nextExpiry, logs: &logs, deliveries: &deliveries)
        guard counts, let log = logs.own(logID) else { return false }
        expiries.wake(for: log.record, clocks: &clocks, now: now)
        commits.mayWait(now: now)
        return true
    }

    /// The store could not answer `findExpired`: it is asked again after a while.
    mutating func findExpiredFailed(in logID: LogID, clocks: inout ClockMachine, now: Moment) {
        _ = expiries.end(logID)
        clocks.wake(by: now.uptime + Timing.expiryRetry)
    }

    /// When a commit or a held message needs a tick.
    var deadline: Int64 {
        min(
            commits.deadline(work), takingBack.due, fetching.deadline, fetching.bodies.deadline,
            sessions.gossip.deadline)
    }

    /// What has become possible with an input.
    mutating func advance(trust: TrustMachine, clocks: inout ClockMachine, now: Moment) {
        takeLocated(trust: trust, clocks: &clocks, now: now)
        gossip(now: now)
        advanceTakingBack(now: now)
        advanceGiving(clocks: &clocks, now: now)
        advanceBodies(now: now)
        let takingBack = takingBack
        let reads = sessions.takeReads(
            mayRead: commits.mayTry(now: now), logs: logs, deliveries: deliveries, isHolding: takingBack.isHolding,
            isHeld: { takingBack.isHolding($0) })
        for read in reads { actions.append(.read(read)) }
    }

    /// The node stops: all that waits is written now.
    mutating func stop() { commits.stop() }

    /// Whether everything that waited is on the disk, or cannot be written.
    var isSettled: Bool {
        guard commits.inFlight == nil else { return false }
        if case .none = work { return true }
        return commits.hasFailed
    }

    // MARK: - To the disk

    private var work: CommitQueue.Work {
        if !outbox.isEmpty || !runs.isEmpty || fetching.bodies.hasFound || takingBack.hasCommits
            || deliveries.hasPendingFailures
        {
            return .pressing
        }
        let isPatient =
            !changes.isEmpty || conversations.hasUnwritten || deliveries.hasUnwritten || expiries.hasUnwritten
            || commits.hasRequests
        if conversations.privates.hasDuties { return .pressing }
        return isPatient ? .patient : .none
    }

    /// Makes the next commit of all that waits, if its time has come.
    mutating func commitIfDue(clocks: inout ClockMachine, now: Moment) {
        guard commits.isDue(work, now: now) else { return }
        var next = CommitInFlight()
        next.commit.time = now.wallClock
        changes.move(into: &next)
        next.requests = commits.takeRequests()
        let heads = runs.move(into: &next, logs: logs, deliveries: &deliveries, author: author)
        takeBodies(into: &next)
        if next.received.contains(where: \.isOwn) { next.commit.beginsGeneration = !takingBack.isKnownOlder }
        takeSends(into: &next, heads: heads, clocks: &clocks, now: now)
        takeConversations(into: &next)
        takingBack.move(into: &next, logs: logs, deliveries: deliveries)
        // What the journal says of messages that move would be about others, or nobody.
        if !next.cuts.isEmpty { next.commit.beginsGeneration = true }
        takeRewritten(into: &next, clocks: &clocks, now: now)
        takeFailures(into: &next)
        expiries.move(into: &next, logs: logs)
        let missing = fetching.bodies.lacking(after: next)
        deliveries.move(into: &next, heads: heads, missing: missing, logs: logs, author: author)
        next.addJournal(deliveries, author: author)
        commits.begin(next)
        actions.append(.commit(next.commit))
    }

    /// What entries of this commit change about conversations, and what waits beside.
    private mutating func takeConversations(into next: inout CommitInFlight) {
        var changed: [ConversationID: OpenConversationRecord] = [:]
        for record in conversations.takeUnwritten() { changed[record.conversationID] = record }
        let advertised = Set(changed.keys)
        let logs = Dictionary(
            next.commit.logs.filter { $0.conversation.kind == .open }.map { ($0.logID, $0) },
            uniquingKeysWith: { $1 })
        func note(_ entries: [EntryRecord], by authorID: UserID, in conversationID: ConversationID) {
            guard var record = changed[conversationID] ?? conversations[conversationID],
                record.note(entries, by: authorID, isOwn: authorID == author.userID)
            else { return }
            changed[conversationID] = record
        }
        for run in logs.isEmpty ? [] : next.commit.entries {
            guard let log = logs[run.logID] else { continue }
            note(run.entries, by: log.authorID, in: log.conversation.conversationID)
        }
        for found in next.bodies {
            note(found.entries.map(\.record), by: found.authorID, in: found.conversation.conversationID)
        }
        next.commit.conversations = changed.values.sorted { $0.conversationID < $1.conversationID }
        next.conversationNews = next.commit.conversations.flatMap {
            conversations.news(of: $0, isAdvertisedAnew: advertised.contains($0.conversationID))
        }
        next.commit.privateConversations = conversations.takeUnwrittenPrivates()
        next.conversationNews += next.commit.privateConversations.flatMap { conversations.news(of: $0) }
        takeRegarded(into: &next)
    }

    /// Messages that turn out to count.
    private mutating func takeRegarded(into next: inout CommitInFlight) {
        guard conversations.privates.hasRegarded else { return }
        let logs = logs
        let ends = Dictionary(next.received.map { ($0.logID, $0.head.sequence) }) { max($0, $1) }
        let lacking = fetching.bodies.lacking(after: next)
        next.commit.regarded = conversations.privates.takeRegarded(
            isWritten: {
                $0.sequence <= ends[$0.log] ?? logs.incoming($0.log)?.committed.sequence ?? 0
                    && lacking[$0.log]?.contains($0.sequence) != true
            },
            isProved: { $0.sequence <= logs.incoming($0.log)?.proved.sequence ?? 0 })
        for run in next.commit.regarded {
            guard let log = logs.incoming(run.logID),
                let conversation = conversations.record(log.description.conversationID)
            else { continue }
            for record in run.entries {
                guard let news = EntryNews(record, record.body, of: log, in: conversation, author, logs) else {
                    continue
                }
                next.lateNews.append((run.logID, news, logs.isByOwnUser(run.logID)))
            }
        }
    }

    private mutating func takeSends(
        into next: inout CommitInFlight, heads: [LogID: LogHead], clocks: inout ClockMachine, now: Moment
    ) {
        failUncounted()
        let duties = conversations.privates.takeDuties().map { conversationID, drafts in
            PendingSend(
                requestID: nil,
                parts: [
                    .init(conversation: conversations.privates.record(conversationID), drafts: drafts, kind: .control)
                ])
        }
        let sends = AppendedSends(
            duties + outbox.takeForCommit(), to: logs, privates: conversations.privates, heads: heads, by: author,
            clocks: &clocks, now: now)
        next.append(sends)
        // Who may have an entry follows from control entries once they are on the disk.
        let changed = Set(
            sends.runs.filter { $0.record.description.kind == .control }.map { $0.record.description.conversationID })
        for run in sends.runs where !changed.contains(run.record.description.conversationID) {
            offerNew(run.entries, of: run.record)
        }
        for messageID in sends.handled where logs.incoming(messageID.log) != nil {
            deliveries.markHandled(
                DeliveryKey(logID: messageID.log, recipientID: author.userID), through: messageID.sequence)
        }
    }

    /// What this node's user has written in private conversations behind the end of their stay fails.
    private mutating func failUncounted() {
        for conversation in conversations.privates.changed {
            for log in logs.own(in: conversation.conversationID) where log.description.kind == .messages {
                let logID = log.record.logID
                let ranges = conversation.uncounted(
                    of: logID, by: author.userID, in: log.description.logID, through: log.head.sequence)
                let logs = logs
                for range in ranges {
                    let messages = range.lazy.filter { logs.isMessage(MessageID(log: logID, sequence: $0)) }
                    deliveries.failUncounted(messages, of: log)
                }
            }
        }
    }

    /// What goes out with this commit is offered by it.
    private mutating func offerNew(_ entries: [EntryRecord], of record: LogRecord) {
        guard sessions.offerNew(entries, of: record), let last = entries.last else { return }
        deliveries.offer(
            DeliveryKey(logID: record.logID, recipientID: record.recipientID), through: last.sequence)
    }

    /// What gave way to entries that came back is written anew.
    private mutating func takeRewritten(into next: inout CommitInFlight, clocks: inout ClockMachine, now: Moment) {
        for conversationID in takingBack.ready {
            guard let older = takingBack[conversationID], let rewriting = older.rewriting, let page = rewriting.page,
                !(rewriting.limbo.map { deliveries.hasPendingFailures(in: $0.logID) } ?? false)
            else { continue }
            let log = rewriting.target.flatMap { logs.own($0) } ?? logs.nextEpoch(in: older.conversation, now: now)
            let ends = logs.heads(of: conversationID).filter { $0.log.deviceID == author.deviceID }
            next.append(
                RewrittenPage(
                    page, of: rewriting.limbo, into: log, after: ends, by: author, clocks: &clocks, now: now))
            takingBack.beginCommit(conversationID)
        }
    }

    private mutating func takeFailures(into next: inout CommitInFlight) {
        next.commit.withdrawnFailures = deliveries.takeWithdrawn()
        next.failures = deliveries.takePending()
        next.commit.failures = next.failures.map(\.failure)
    }

    // MARK: - On the disk

    /// The commit is on the disk: all that waited for it may go out now.
    mutating func commitFinished(trust: TrustMachine, clocks: inout ClockMachine, now: Moment) {
        let (done, isRecovery) = commits.finish()
        if isRecovery {
            post(.storageRecovered)
            sessions.pumpAll()
        }
        for event in done.userEvents { post(event) }
        for conversation in done.commit.conversations { written(conversation) }
        for conversation in done.commit.privateConversations { conversations.adopt(conversation) }
        for event in done.conversationNews.compactMap(\.conversationEvent) { post(event) }
        for appended in done.appended { written(appended, trust: trust, clocks: &clocks, now: now) }
        for (requestID, messages) in done.accepted {
            actions.append(.complete(requestID, .success(.accepted(messages))))
        }
        for run in done.received { written(run, trust: trust, clocks: &clocks, now: now) }
        for found in done.bodies { written(found, trust: trust, clocks: &clocks, now: now) }
        for (_, news, isByOwnUser) in done.lateNews {
            tell(news, isByOwnUser ? Event.messageQueued : Event.messageReceived, trust: trust)
        }
        for cut in done.cuts { written(cut) }
        for page in done.rewritten { written(page, clocks: &clocks, now: now) }
        for progress in done.progress { written(progress, now: now) }
        for failure in done.failures { written(failure) }
        for request in done.requests { actions.append(.complete(request.requestID, .success(request.answer))) }
    }

    private mutating func written(
        _ appended: CommitInFlight.Appended, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        let (logID, userID) = (appended.record.logID, appended.record.recipientID)
        let before = logs.own(logID)?.head.place ?? appended.record.start.place
        logs.appended(appended.record)
        logs.note(appended.entries, of: logID)
        absorb(appended.entries, of: appended.record, after: before, trust: trust, clocks: &clocks, now: now)
        changed(appended.record.conversation, now: now)
        expiries.wake(for: appended.record, clocks: &clocks, now: now)
        for news in appended.news { tell(news, Event.messageQueued, trust: trust) }
        // The user may have been barred while this was written.
        if case .direct = appended.record.conversation.kind { failUndelivered(to: userID, trust: trust) }
        tellOwnDevices(of: appended.record.conversation)
        if let log = logs.own(logID) { sessions.openIfNew(log) }
    }

    private mutating func tell(_ news: EntryNews, _ message: (Message) -> Event, trust: TrustMachine) {
        if let event = news.event(message, to: author.userID, user: trust.directory.user) { post(event) }
    }

    /// What entries have said of a conversation is on the disk.
    private mutating func written(_ conversation: OpenConversationRecord) {
        let wasJoined = conversations.isJoined(conversation.conversationID)
        for participant in conversations.adopt(conversation) where participant.userID != author.userID {
            acknowledgePremature(by: participant.userID, in: conversation.conversationID)
            // Whoever has left is given nothing more.
            if participant.status == .left { sessions.drop(conversation.conversationID, to: participant.userID) }
        }
        if conversation.isJoined, !wasJoined { tellDigest(of: conversation.record) }
    }

    /// A conversation has grown: after a while it is compared with what others hold.
    private mutating func changed(_ conversation: ConversationRecord, now: Moment) {
        let isShared =
            conversation.kind != .direct || sessions.isCarried(conversation.conversationID)
            || logs.hasManyWriters(in: conversation.conversationID)
        if isShared { sessions.gossip.changed(conversation.conversationID, now: now) }
    }

    private mutating func written(
        _ run: ReceivedRun, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        logs.committed(run.logID, through: run.head, bytes: run.branch.bytes, in: run.conversation)
        changed(run.conversation, now: now)
        sessions.gossip.announce(
            run.logID, to: run.unreached.filter { $0 != author.userID && sessions.isLinked($0) }, now: now)
        runs.written(run)
        if !run.isOwn { receivedEarlyReceipts(for: run.log, trust: trust, now: now) }
        if run.isByOwnUser {
            // What one device of a user writes shows on the others as their own.
            logs.note(run.entries, ofOtherDevice: run.logID)
            acknowledgeCarried(of: run.logID, trust: trust, now: now)
        }
        for news in run.news { tell(news, run.isByOwnUser ? Event.messageQueued : Event.messageReceived, trust: trust) }
        announce(run)
        announceToOwnDevices(run, now: now)
        fetching.bodies.lacks(
            run.missing, of: run.log, in: run.logID,
            from: sessions[run.connectionID] == nil ? nil : run.connectionID)
        fetching.bodies.lacks(unowed: run.unowed, of: run.log, in: run.logID)
        if run.isOwn { returned(run, clocks: &clocks, now: now) }
        absorb(run.entries, of: run.record(in: logs), after: run.before, trust: trust, clocks: &clocks, now: now)
        if run.log.deviceID != run.deviceID, sessions[run.connectionID] != nil {
            actions.append(.send(.taken(run.log.logID, through: run.head.place), run.connectionID))
        }
        guard !fetching.isEmpty else { return }
        for entry in run.entries {
            let place = Place(sequence: entry.sequence, chain: entry.chain)
            if run.isOwn {
                reached(place, ofOwn: run.logID, trust: trust, now: now)
            } else {
                _ = fetching.reached(place.chain)
            }
        }
    }

    /// Own entries have come back.
    private mutating func returned(_ run: ReceivedRun, clocks: inout ClockMachine, now: Moment) {
        logs.adopt(run.record(in: logs))
        logs.note(run.entries, of: run.logID)
        clocks.resume(after: run.head.timestamp)
        takingBack.returned(run.entries, of: run.log)
        if let log = logs.own(run.logID) { expiries.wake(for: log.record, clocks: &clocks, now: now) }
    }

    /// What somebody holds is here: the links that said so go on from there.
    private mutating func reached(_ place: Place, ofOwn logID: LogID, trust: TrustMachine, now: Moment) {
        guard let log = logs.own(logID) else { return }
        for connectionID in fetching.reached(place.chain)
        where !fetching.isFetching(log.description.logID, over: connectionID) {
            decide(BranchHead(log: log.description, place: place), in: log, on: connectionID, trust: trust, now: now)
        }
    }

    private mutating func written(_ written: WrittenProgress, now: Moment) {
        let (key, progress) = (written.key, written.value)
        let old = deliveries.written(key, progress)
        if progress.isFurther(than: old), !ownLinks.isEmpty, let log = logs.proved(key.logID) {
            sessions.gossip.changed(log.description.conversationID, now: now)
        }
        guard let log = logs.own(key.logID) else {
            guard let log = logs.incoming(key.logID) else { return }
            guard key.recipientID == author.userID else {
                post(written.steps, in: log.description.conversationID)
                return
            }
            sendReceipt(for: log)
            for connectionID in progress.read > old.read ? ownLinks : [] {
                sendReceipt(for: log.logID, on: connectionID)
            }
            return
        }
        if progress.isFurther(than: old), let receipt = progress.receipt {
            for connectionID in ownLinks { actions.append(.carry([receipt], connectionID)) }
        }
        if progress.offered > old.offered, key == log.deliveryKey {
            for connectionID in sessions.carriers(of: log.record) { sendOffered(log, on: connectionID, now: now) }
        }
        post(written.steps, in: log.description.conversationID)
        if progress.delivered > old.delivered || progress.missing != old.missing {
            deliveries.forgetSettledFailures(in: key.logID, by: progress)
        }
    }

    /// What this node now holds of a log goes to its author's devices; if none is linked, to whoever may meet them.
    private mutating func sendReceipt(for log: IncomingLog) {
        guard log.authorID != author.userID else {
            // It says where entries are kept, which matters to the device that wrote them alone.
            if let connectionID = sessions[log.description.deviceID] { sendReceipt(for: log.logID, on: connectionID) }
            return
        }
        let authors = sessions[log.authorID].filter {
            sessions[$0].map { sessions[$0.deviceID] == $0.connectionID } ?? false
        }
        for connectionID in authors { sendReceipt(for: log.logID, on: connectionID) }
        // Nobody else waits for one in a pair's conversation.
        guard authors.isEmpty, isOfMany(log.description.conversationID) else { return }
        for connectionID in sessions.carriers(of: log.description.conversationID) {
            sendReceipt(for: log.logID, on: connectionID)
        }
    }

    /// Entries came over an earlier link of their author, which may have forgotten them since.
    private mutating func announce(_ run: ReceivedRun) {
        guard run.log.deviceID == run.deviceID, let connectionID = sessions[run.deviceID],
            connectionID != run.connectionID
        else { return }
        let head = BranchHead(log: run.log, place: run.head.place)
        let frame = HeadsFrame(conversationID: run.log.conversationID, heads: [head], isComplete: false)
        actions.append(.send(.heads(frame), connectionID))
    }

    /// Other devices of this node's user hear of what has come, unless their author reaches them first.
    private mutating func announceToOwnDevices(_ run: ReceivedRun, now: Moment) {
        tellOwnDevices(of: run.conversation)
        let others = ownLinks.filter { $0 != run.connectionID && sessions[$0]?.deviceID != run.log.deviceID }
        if !others.isEmpty { sessions.gossip.announce(run.logID, to: [author.userID], now: now) }
    }

    private mutating func post(_ steps: [JournalRecord], in conversationID: ConversationID) {
        let logs = logs
        for step in steps {
            for event in step.events(in: conversationID, where: logs.isMessage) { post(event) }
        }
    }

    private mutating func written(_ pending: PendingFailure) {
        let messageID = pending.failure.messageID
        pumpLinks(of: messageID.log)
        if let requestID = pending.requestID {
            actions.append(.complete(requestID, .success(.cancelled(messageID))))
        }
        guard logs.isMessage(messageID), let log = logs.own(messageID.log),
            let event = deliveries.event(of: pending.failure, in: log)
        else { return }
        post(event)
    }

    /// The unsent end of an own log waits elsewhere now.
    private mutating func written(_ cut: CommitInFlight.Cut) {
        expiries.cancel(cut.record.logID)
        logs.cut(cut.record, limbo: cut.limbo)
        sessions.discardReading(of: cut.record)
        deliveries.rename([cut.renamed])
        takingBack.wasCut(cut.record.description.conversationID)
        // Where frames belong may be elsewhere now.
        for read in locating.relocate(cut.record.description, branches: logs.branches(of: cut.record.description)) {
            actions.append(.read(read))
        }
    }

    /// Some of what waits is written anew.
    private mutating func written(_ page: RewrittenPage, clocks: inout ClockMachine, now: Moment) {
        let conversationID = page.record.description.conversationID
        logs.appended(page.record)
        logs.note(page.entries, of: page.record.logID)
        if let limboID = page.limboID { logs.setLimbo(limboID, page.rest) }
        deliveries.rename(page.places)
        expiries.wake(for: page.record, clocks: &clocks, now: now)
        if let log = logs.own(page.record.logID) { sessions.openIfNew(log) }
        sessions.pump(page.record)
        takingBack.rewritten(conversationID, page.places, into: page.record.logID, limbo: page.rest)
    }

    // MARK: - Not on the disk

    /// Nothing of the commit is on the disk. What was asked for fails; what is true anyway is tried again.
    mutating func commitFailed(
        _ error: String, isDiskFull: Bool, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        let failed = commits.takeFailed()
        let reason = ProtocolError(isDiskFull ? .storageFull : .storage, error)
        for (requestID, _) in failed.accepted { actions.append(.complete(requestID, .failure(reason))) }
        changes.takeBack(failed, directory: trust.directory)
        conversations.writeAgain(failed.commit.conversations)
        conversations.writeAgain(failed.commit.privateConversations)
        conversations.privates.noteAllDuties()
        conversations.privates.writeAgain(regarded: failed.commit.regarded)
        deliveries.writeAgain(failed.commit.receipts)
        fetching.bodies.writeAgain(failed.bodies)
        for request in failed.requests { actions.append(.complete(request.requestID, .failure(reason))) }
        for failure in failed.failures { takeBack(failure, reason: reason, trust: trust) }
        for key in failed.progress.map(\.key) {
            // A log that this commit would have begun has not begun: the next try begins another.
            if logs.own(key.logID) == nil && logs.incoming(key.logID) == nil {
                deliveries.forget(key)
            } else {
                if key.recipientID == author.userID { deliveries.takeBackHandled(key) }
                deliveries.writeAgain(key)
            }
        }
        for record in failed.commit.logs where logs.own(record.logID) != nil { expiries.write(record.logID) }
        for page in failed.rewritten { takingBack.commitFailed(page.record.description.conversationID) }
        takingBack.takeBackCuts()
        deliveries.writeAgain(failed.commit.withdrawnFailures)
        sessions.takeBackOffers()
        let logs = logs
        deliveries.takeBackOffers { logs.own($0.logID)?.deliveryKey == $0 }
        dropRuns(with: failed.received)
        for conversationID in takingBack.conversationIDs { advance(conversationID) }
        let fetching = fetching
        takingBack.forgiveEnded { fetching.isFetching($0) }
        let (retryAt, isFirst) = commits.fail(now: now)
        clocks.wake(by: retryAt)
        if isFirst { post(.storageFailed(error)) }
    }

    /// What somebody asked for has not happened; a message whose time is over has failed all the same.
    private mutating func takeBack(_ pending: PendingFailure, reason: ProtocolError, trust: TrustMachine) {
        guard let requestID = pending.requestID else {
            deliveries.writeAgain(pending)
            return
        }
        let messageID = pending.failure.messageID
        deliveries.withdraw(messageID)
        if let record = logs.own(messageID.log)?.record, case .direct = record.conversation.kind {
            failUndelivered(to: record.recipientID, trust: trust)
        }
        actions.append(.complete(requestID, .failure(reason)))
    }

    /// What peers sent is not known, so they must send it again, on another link and later.
    private mutating func dropRuns(with failed: [ReceivedRun]) {
        let dropped = runs.drop(with: failed)
        // Also the links that stand now, that to the author among them: over them the same may have come again, and more
        // that goes on from there.
        var linksToClose = Set(dropped.map(\.connectionID))
        for run in dropped {
            for deviceID in [run.deviceID, run.log.deviceID] {
                if let current = sessions[deviceID] { linksToClose.insert(current) }
            }
            logs.forgetUncommitted(run.logID)
            deliveries.dropUncommitted(DeliveryKey(logID: run.logID, recipientID: author.userID))
        }
        for connectionID in linksToClose.sorted() { close(connectionID, .storageFailure) }
    }

    // MARK: - How much waits

    func add(to load: inout NodeLoad) {
        load.sends = outbox.count
        load.sendBytes = outbox.bytes
        load.sendCalls = outbox.callCount
        load.held = outbox.mostHeld
        let held = outbox.heldTotal
        (load.allHeld, load.allHeldBytes, load.allHeldCalls) = (held.count, held.bytes, held.calls)
        let received = runs.load(with: commits.inFlight?.received ?? [])
        (load.receivedBytes, load.deviceBytes, load.allReceivedBytes) = (received.log, received.device, received.all)
        load.userEvents = commits.hasFailed ? changes.eventCount : 0
        load.windowBytes = sessions.mostWindowUsed
        (load.missingRanges, load.askedBodies, load.foundBytes) = fetching.bodies.load
        (load.wantedBranches, load.askedBranches) = (fetching.count, fetching.mostAsked)
        (load.locatedBytes, load.allLocatedBytes) = locating.load
        (load.givenBranches, load.givenFrames) = giving.load
    }
}
