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
    private var sessions = ReplicationSessions()
    private var outbox = Outbox()
    private var runs = ReceivedRuns()
    private(set) var changes = DirectoryChanges()
    private var expiries = ExpirySearches()
    private var commits = CommitQueue()
    private(set) var takingBack = TakingBack()
    private var givingBack = GivingBack()
    private var actions: [ReplicationAction] = []

    init(local: LocalDevice, snapshot: Snapshot) {
        author = LogAuthor(local)
        logs = Logs(author: author, records: snapshot.logs)
        deliveries = Deliveries(deliveries: snapshot.deliveries, failures: snapshot.failures)
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
        let isHeld = send.parts.contains { isHolding($0.recipientID) }
        try outbox.add(
            send, isHeld: isHeld, to: name?.description ?? send.parts.first?.recipientID.fingerprint ?? "nobody")
    }

    /// The sender takes a message back. While a log is being taken back from the recipient, the answer waits: the message
    /// may be among those that the recipient has.
    mutating func cancel(_ messageID: MessageID, requestID: RequestID) throws(ProtocolError) {
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
        guard !isHolding(log.record.recipientID) else {
            try takingBack.hold(cancelOf: messageID, to: log.record.recipientID, requestID: requestID)
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
        sessions.begin(
            ReplicationSession(connectionID: connectionID, userID: peer.userID, deviceID: peer.deviceID))
    }

    /// Of the links to a device this one stays: tells the peer what this node holds of its logs, so that it sends what is
    /// missing.
    mutating func linkChosen(_ connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        sessions.choose(connectionID)
        let receipts = logs.incoming(of: session.deviceID)
            .filter { $0.authorID == session.userID }
            .compactMap { ownReceipt(for: $0.description.logID) }
        for frame in Frame.heads(receipts) { actions.append(.send(frame, connectionID)) }
    }

    /// A link is over.
    mutating func linkEnded(_ connectionID: ConnectionID) {
        endSession(connectionID)
        if let event = takingBack.takeUntold(of: connectionID) { post(event) }
    }

    private mutating func endSession(_ connectionID: ConnectionID) {
        guard let session = sessions.end(connectionID) else { return }
        givingBack.end(on: connectionID)
        takingBack.end(on: connectionID, of: session.userID, sessions: sessions)
    }

    private mutating func close(_ connectionID: ConnectionID, _ reason: CloseReason, _ error: ProtocolError? = nil) {
        guard sessions[connectionID] != nil else { return }
        endSession(connectionID)
        actions.append(.close(connectionID, reason, error))
    }

    // MARK: - Entries out

    private mutating func pumpLinks(of logID: LogID) {
        if let userID = logs.own(logID)?.record.recipientID { sessions.pump(userID) }
    }

    /// The store's answer to a read.
    mutating func entriesRead(_ read: EntriesRead, _ entries: [EntryRecord], now: Moment) {
        switch read.purpose {
        case .sending: readToSend(read, entries, now: now)
        case .checking(let receipt):
            readToCheck(receipt, on: read.connectionID, chain: entries.first?.chain, now: now)
        case .recovering:
            follow(
                takingBack.read(read, entries, logs: logs, deliveries: &deliveries, author: author, now: now), now: now)
        case .givingBack: readToGiveBack(read, entries, now: now)
        }
    }

    /// The store could not answer a read: the next link asks again.
    mutating func readFailed(_ read: EntriesRead, _ error: String) {
        close(read.connectionID, .storageFailure, ProtocolError(.storage, error))
    }

    /// Entries may go out once it is on the disk that they may, and which of them may not; they are not taken back after
    /// that.
    private mutating func readToSend(_ read: EntriesRead, _ entries: [EntryRecord], now: Moment) {
        guard sessions[read.connectionID]?.endReading(read) == true else {
            sessions.pump(read.connectionID)
            return
        }
        guard let last = entries.last, let log = logs.own(read.logID),
            !deliveries.hasPendingFailures(in: read.logID)
        else { return }
        sessions[read.connectionID]?.offer(entries, of: read.logID)
        if let committed = deliveries.committed(log.deliveryKey), committed.offered >= last.sequence {
            sendOffered(log, on: read.connectionID, now: now)
            return
        }
        deliveries.offer(log.deliveryKey, through: last.sequence)
        commits.hurry()
    }

    /// It is on the disk that entries may go out: sends them.
    private mutating func sendOffered(_ log: OwnLog, on connectionID: ConnectionID, now: Moment) {
        let committed = deliveries.committed(log.deliveryKey)?.offered ?? 0
        let failed = deliveries.failures(in: log.record.logID)
        let offered = sessions[connectionID]?
            .takeFrames(of: log, committed: committed, failed: failed, author: author)
        guard let (frames, end) = offered else { return }
        actions.append(.used(connectionID))
        for frame in frames { actions.append(.send(.entries(frame), connectionID)) }
        if deliveries.sent(log.deliveryKey, through: end) { commits.mayWait(now: now) }
        sessions.pump(connectionID)
    }

    // MARK: - Entries in

    /// A peer sends entries of its own logs, or gives back those of this node.
    /// - Throws: `ProtocolError`, for which the link is to be closed.
    mutating func receivedEntries(
        _ frame: EntriesFrame, on connectionID: ConnectionID, isStranger: Bool, clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        guard session.hasHeads else {
            throw ProtocolError(.violation, "the peer sent entries before it said what it holds")
        }
        guard frame.log.deviceID != author.deviceID else {
            try receivedOwnEntries(frame, from: session.userID, on: connectionID, now: now)
            return
        }
        switch try runs.take(frame, from: session, isStranger: isStranger, logs: &logs, author: author) {
        case .known(isSettled: true): sendReceipt(for: frame.log.logID, on: connectionID)
        case .known(isSettled: false): excuse(frame, on: connectionID)
        case .new(let run, let timestamps):
            for timestamp in timestamps {
                if let skew = clocks.hear(timestamp, of: session.userID, now: now) { post(.clockSkewed(skew)) }
            }
            actions.append(.credit(2 + run.bytes / Limits.requestBytes, connectionID))
            if !run.messages.isEmpty { actions.append(.exchanged(session.userID)) }
        }
    }

    private mutating func excuse(_ frame: EntriesFrame, on connectionID: ConnectionID) {
        let bytes = frame.contents.reduce(0) { $0 + $1.windowBytes }
        guard sessions[connectionID]?.excuse(bytes) == true else { return }
        actions.append(.credit(1 + bytes / Limits.requestBytes, connectionID))
    }

    // MARK: - Receipts out

    /// The receipt for what this node holds of a log, as the disk has it.
    private func ownReceipt(for logID: LogID) -> Receipt? {
        deliveries.committed(DeliveryKey(logID: logID, recipientID: author.userID))?.receipt
    }

    private mutating func sendReceipt(for logID: LogID, on connectionID: ConnectionID) {
        guard let receipt = ownReceipt(for: logID) else { return }
        actions.append(.send(.receipts([receipt]), connectionID))
    }

    // MARK: - Heads and receipts in

    /// A peer begins, or goes on, to say what it holds of this node's logs.
    /// - Throws: `ProtocolError` `violation` where it has said that already.
    func checkHeads(_ receipts: [Receipt], on connectionID: ConnectionID) throws(ProtocolError) {
        guard let session = sessions[connectionID], !session.hasHeads,
            receipts.allSatisfy({ session.log($0.logID) == nil })
        else { throw ProtocolError(.violation, "the peer said twice what it holds") }
    }

    /// What a peer holds of one log. It is more than this node has let out if the database here was restored from an
    /// older copy.
    mutating func receivedHead(_ receipt: Receipt, on connectionID: ConnectionID, now: Moment) throws(ProtocolError) {
        guard let (userID, _) = sessions.peer(on: connectionID) else { return }
        let log = logs.own(receipt.logID)
        guard receipt.sequence > 0, log.map({ $0.record.recipientID == userID }) ?? true,
            logs.incoming(receipt.logID) == nil, !takingBack.contains(receipt.logID, on: connectionID)
        else { return }
        guard let log, receipt.sequence <= offered(log) else {
            try recover(receipt, from: userID, on: connectionID, now: now)
            return
        }
        sessions[connectionID]?.open(receipt.logID, next: receipt.sequence + 1)
        try receivedReceipt(receipt, on: connectionID, now: now)
    }

    /// The peer has said all that it holds.
    mutating func receivedAllHeads(on connectionID: ConnectionID) {
        guard let userID = sessions[connectionID]?.userID else { return }
        sessions[connectionID]?.receivedAllHeads()
        for log in logs.own(to: userID) where !takingBack.contains(log.record.logID, on: connectionID) {
            sessions[connectionID]?.openIfNew(log.record.logID)
        }
        sessions.pump(connectionID)
    }

    /// Up to here entries of a log may have left this node, as the disk has it.
    private func offered(_ log: OwnLog) -> UInt64 { deliveries.committed(log.deliveryKey)?.offered ?? 0 }

    /// A peer says what it holds of one of this node's logs.
    mutating func receivedReceipt(
        _ receipt: Receipt, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        guard let (userID, _) = sessions.peer(on: connectionID) else { return }
        let logID = receipt.logID
        if takingBack.contains(logID, on: connectionID) {
            actions.append(.credit(-1, connectionID))
            try takingBack.raise(receipt, on: connectionID)
            return
        }
        let own = logs.own(logID)
        if own == nil, logs.incoming(logID) == nil, receipt.sequence > 0, sessions[connectionID]?.hasHeads == true {
            // The peer has only now written what this node forgot that it sent.
            try recover(receipt, from: userID, on: connectionID, now: now)
            return
        }
        guard let log = own, log.record.recipientID == userID, sessions[connectionID]?.log(logID) != nil else {
            throw ProtocolError(.violation, "a receipt for a log that is not for this peer")
        }
        // Before its signature is looked at, which is most of the work.
        let known = deliveries.target(log.deliveryKey) ?? DeliveryProgress()
        let isNews = sessions[connectionID]?.hear(receipt, known: known) == true
        actions.append(.credit(isNews ? 1 : -1, connectionID))
        let offered = offered(log)
        let verdict = try sessions[connectionID]?.check(receipt, of: log, offered: offered)
        try follow(verdict, of: receipt, on: connectionID, now: now)
    }

    private mutating func readToCheck(
        _ receipt: Receipt, on connectionID: ConnectionID, chain: ChainHash?, now: Moment
    ) {
        guard sessions[connectionID]?.log(receipt.logID) != nil else { return }
        let verdict = sessions[connectionID]?.compare(receipt, with: chain)
        do { try follow(verdict, of: receipt, on: connectionID, now: now) } catch {
            close(connectionID, .violation, error)
        }
        if let next = sessions[connectionID]?.nextQuestion(of: receipt.logID) { actions.append(.read(next)) }
    }

    private mutating func follow(
        _ verdict: ReplicationSession.Verdict?, of receipt: Receipt, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        switch verdict {
        case .nothing, nil: break
        case .ask(let read): actions.append(.read(read))
        case .acknowledged:
            sessions.pump(connectionID)
            guard let log = logs.own(receipt.logID) else { return }
            if deliveries.acknowledge(receipt, log.deliveryKey) { commits.hurry() }
        case .differs: try differs(receipt, on: connectionID, now: now)
        }
    }

    /// A peer acknowledges what this node has not sent. It holds other entries than this node, who can only have lost
    /// them; but what it has signed for once it does not exchange for something else.
    private mutating func differs(
        _ receipt: Receipt, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        guard let (userID, _) = sessions.peer(on: connectionID) else { return }
        let key = DeliveryKey(logID: receipt.logID, recipientID: userID)
        guard receipt.sequence > (deliveries.committed(key)?.delivered ?? 0) else {
            throw ProtocolError(
                .violation, "the peer acknowledges entry \(receipt.sequence) of a log that is not this node's")
        }
        if sessions[connectionID]?.log(receipt.logID)?.isUntouched == true {
            try recover(receipt, from: userID, on: connectionID, now: now)
            return
        }
        // What was sent on this link is in doubt with it. The next begins with what the peer holds.
        close(connectionID, .logDiffers)
    }

    // MARK: - Taking back

    /// A peer says that it holds what this node does not have, or has otherwise.
    private mutating func recover(
        _ claim: Receipt, from userID: UserID, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        actions.append(.credit(-1, connectionID))
        try claim.authenticate()
        try takingBack.begin(claim, from: userID, on: connectionID, logs: logs, sessions: sessions, now: now)
        sessions[connectionID]?.shut(claim.logID)
        if isHolding(userID) { outbox.hold(userID) }
    }

    private func isHolding(_ userID: UserID) -> Bool { takingBack.isHolding(userID, over: sessions) }

    /// `isHolding` as it is now.
    private var isHeld: (UserID) -> Bool {
        let (sessions, takingBack) = (sessions, takingBack)
        return { takingBack.isHolding($0, over: sessions) }
    }

    /// Whether logs of this node's own are being taken back, from anybody.
    var isTakingBack: Bool { takingBack.isHolding(over: sessions) }

    /// Goes on with what had to wait.
    private mutating func advanceTakingBack(now: Moment) {
        follow(takingBack.refuseContradictions(of: deliveries), now: now)
        follow(takingBack.updateHolds(sessions, now: now), now: now)
        for connectionID in takingBack.connections {
            while let effects = takingBack.beginNext(
                on: connectionID, logs: logs, deliveries: deliveries, author: author, sessions: sessions,
                commit: commits.inFlight)
            {
                follow(effects, now: now)
            }
        }
        releaseHeld()
    }

    private mutating func releaseHeld() {
        let isHeld = self.isHeld
        if outbox.hasHeld {
            for send in outbox.release(where: isHeld) { actions.append(.lookUpAgain(send)) }
        }
        for held in takingBack.releaseCancels(where: isHeld) {
            do throws(ProtocolError) { try cancel(held.messageID, requestID: held.requestID) } catch {
                actions.append(.complete(held.requestID, .failure(error)))
            }
        }
    }

    private mutating func follow(_ effects: [TakingBack.Effect], now: Moment) {
        for effect in effects {
            switch effect {
            case .send(let frame, let connectionID): actions.append(.send(frame, connectionID))
            case .read(let read): actions.append(.read(read))
            case .close(let connectionID, let reason, let error): close(connectionID, reason, error)
            case .discardReading(let logIDs, let userID): sessions.discardReading(of: logIDs, to: userID)
            case .hold(let userID): outbox.hold(userID)
            case .end(let recovery, let own): ended(recovery, of: own, now: now)
            }
        }
    }

    /// A peer gives back entries of this node's own.
    private mutating func receivedOwnEntries(
        _ frame: EntriesFrame, from userID: UserID, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        guard frame.log.conversationID == .direct(author.userID, userID) else {
            throw ProtocolError(.violation, "the peer gives back entries that it was not asked for")
        }
        let taken = try takingBack.take(frame, from: userID, on: connectionID, author: author, now: now)
        let bytes = taken.reduce(0) { $0 + $1.windowBytes }
        actions.append(.credit(2 + bytes / Limits.requestBytes, connectionID))
        let effects = takingBack.compareNext(on: connectionID, logs: logs, deliveries: deliveries, author: author)
        follow(effects, now: now)
    }

    /// One log is what the peer holds, or that and what this node has written since.
    private mutating func ended(_ recovery: Recovery, of own: OwnLog, now: Moment) {
        let connectionID = recovery.connectionID
        sessions[connectionID]?.open(own.record.logID, next: recovery.end + 1)
        sessions.pump(connectionID)
        // A receipt that came while the last piece was written, or one that another device of the user has proved.
        do { try receivedReceipt(recovery.claim, on: connectionID, now: now) } catch {
            close(connectionID, .violation, error)
            return
        }
        guard sessions[connectionID] != nil, !takingBack.isActive(on: connectionID) else { return }
        takingBack.end(on: connectionID, of: recovery.userID, sessions: sessions)
        if let event = takingBack.takeUntold(of: connectionID) { post(event) }
    }

    // MARK: - Giving back

    /// A peer wants entries of its own back, from one on.
    mutating func receivedWanted(
        _ logID: LogID, from sequence: UInt64, on connectionID: ConnectionID, clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        try givingBack.add(logs.incoming(logID), from: sequence, session: session)
        readReturn(on: connectionID, clocks: &clocks, now: now)
    }

    private mutating func readReturn(on connectionID: ConnectionID, clocks: inout ClockMachine, now: Moment) {
        guard let (userID, _) = sessions.peer(on: connectionID) else { return }
        if let read = givingBack.takeRead(on: connectionID, to: userID, now: now) {
            actions.append(.read(read))
        } else {
            clocks.wake(by: now.uptime + Timing.returnPause)
        }
    }

    private mutating func readToGiveBack(_ read: EntriesRead, _ entries: [EntryRecord], now: Moment) {
        guard let log = logs.incoming(read.logID), let (userID, _) = sessions.peer(on: read.connectionID)
        else { return }
        do throws(ProtocolError) {
            let frame = try givingBack.frame(of: entries, read, log: log, to: userID, now: now)
            actions.append(.send(.entries(frame), read.connectionID))
        } catch {
            close(read.connectionID, .storageFailure, error)
        }
    }

    // MARK: - Time

    /// Time has passed: looks for messages whose time is over, tries the disk again if it took no writes, and goes on with
    /// giving back.
    mutating func tick(clocks: inout ClockMachine, now: Moment) {
        for log in expiries.begin(among: logs.allOwn, now: now) {
            let delivered = deliveries.target(log.deliveryKey)?.delivered ?? 0
            actions.append(.findExpired(logID: log.record.logID, after: delivered, now: now.wallClock))
        }
        // Sending again is how a node finds out that the disk takes writes again.
        if commits.hasFailed { sessions.pumpAll() }
        for connectionID in givingBack.waiting { readReturn(on: connectionID, clocks: &clocks, now: now) }
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
    var deadline: Int64 { min(commits.deadline(work), takingBack.due) }

    /// What has become possible with an input.
    mutating func advance(now: Moment) {
        advanceTakingBack(now: now)
        let reads = sessions.takeReads(
            mayRead: commits.mayTry(now: now), logs: logs, deliveries: deliveries, isHeld: isHeld)
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
        if !outbox.isEmpty || !runs.isEmpty || takingBack.hasPieces || deliveries.hasPendingFailures {
            return .pressing
        }
        let isPatient =
            !changes.isEmpty || deliveries.hasUnwritten || expiries.hasUnwritten || commits.hasRequests
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
        takingBack.move(into: &next, deliveries: &deliveries)
        takeSends(into: &next, clocks: &clocks, now: now)
        takeFailures(into: &next)
        expiries.move(into: &next, logs: logs)
        deliveries.move(into: &next, heads: heads, logs: logs, author: author)
        next.addJournal(deliveries, author: author)
        commits.begin(next)
        actions.append(.commit(next.commit))
    }

    private mutating func takeSends(into next: inout CommitInFlight, clocks: inout ClockMachine, now: Moment) {
        let sends = AppendedSends(outbox.takeForCommit(), to: logs, by: author, clocks: &clocks, now: now)
        next.append(sends)
        for run in sends.runs { offerNew(run.entries, of: run.record) }
    }

    /// What goes out with this commit is offered by it.
    private mutating func offerNew(_ entries: [EntryRecord], of record: LogRecord) {
        let isOffered = sessions.offerNew(entries, of: record) { [takingBack] in
            !takingBack.contains(record.logID, on: $0)
        }
        guard isOffered, let last = entries.last else { return }
        deliveries.offer(
            DeliveryKey(logID: record.logID, recipientID: record.recipientID), through: last.sequence)
    }

    private mutating func takeFailures(into next: inout CommitInFlight) {
        let (taken, written, settled) = deliveries.takePending(
            cuts: next.commit.cuts, withdrawn: Set(next.commit.withdrawnFailures.map(\.messageID)))
        next.failures = taken
        next.commit.failures = written
        for failure in settled { answerSettled(failure) }
    }

    /// The message is in another log already, where it has gone its way.
    private mutating func answerSettled(_ failure: PendingFailure) {
        pumpLinks(of: failure.failure.messageID.log)
        guard let requestID = failure.requestID else { return }
        actions.append(
            .complete(requestID, .failure(ProtocolError(.alreadySent, "the message was sent already"))))
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
        for appended in done.appended { written(appended, trust: trust, clocks: &clocks, now: now) }
        for (requestID, messages) in done.accepted {
            actions.append(.complete(requestID, .success(.accepted(messages))))
        }
        for run in done.received { written(run) }
        for piece in done.recovered { written(piece, clocks: &clocks, now: now) }
        for progress in done.progress { written(progress, now: now) }
        for failure in done.failures { written(failure, after: done.commit.cuts) }
        for request in done.requests { actions.append(.complete(request.requestID, .success(request.answer))) }
    }

    private mutating func written(
        _ appended: CommitInFlight.Appended, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        let (logID, userID) = (appended.record.logID, appended.record.recipientID)
        logs.appended(appended.record)
        expiries.wake(for: appended.record, clocks: &clocks, now: now)
        for message in appended.messages { post(.messageQueued(message)) }
        // The user may have been barred while this was written.
        failUndelivered(to: userID, trust: trust)
        sessions.openIfNew(logID, to: userID) { [takingBack] in !takingBack.contains(logID, on: $0) }
    }

    private mutating func written(_ run: ReceivedRun) {
        logs.committed(run.logID, through: run.head)
        runs.written(run)
        for message in run.messages { post(.messageReceived(message)) }
    }

    private mutating func written(_ written: WrittenProgress, now: Moment) {
        let (key, progress) = (written.key, written.value)
        let old = deliveries.written(key, progress)
        if key.recipientID == author.userID {
            guard let deviceID = logs.incoming(key.logID)?.description.deviceID, let connectionID = sessions[deviceID]
            else { return }
            sendReceipt(for: key.logID, on: connectionID)
            return
        }
        guard let log = logs.own(key.logID) else { return }
        if progress.offered > old.offered {
            for connectionID in sessions[key.recipientID] { sendOffered(log, on: connectionID, now: now) }
        }
        post(written.steps, of: log)
        if progress.delivered > old.delivered {
            deliveries.forgetSettledFailures(in: key.logID, through: progress.delivered)
        }
    }

    private mutating func post(_ steps: [JournalRecord], of log: OwnLog) {
        for event in steps.lazy.flatMap({ $0.events(in: log.description.conversationID) }) { post(event) }
    }

    private mutating func written(_ pending: PendingFailure, after cuts: [LogCut]) {
        guard let placed = pending.placed(after: cuts) else { return }
        let messageID = placed.failure.messageID
        pumpLinks(of: messageID.log)
        if let requestID = placed.requestID {
            actions.append(.complete(requestID, .success(.cancelled(messageID))))
        }
        if let log = logs.own(messageID.log), let event = deliveries.event(of: placed.failure, in: log) { post(event) }
    }

    private mutating func written(_ piece: RecoveredPiece, clocks: inout ClockMachine, now: Moment) {
        deliveries.restored(piece)
        for cut in (piece.cut.map { [$0] } ?? []) + piece.repeats {
            expiries.cancel(cut.logID)
            for failure in deliveries.move(cut) { answerSettled(failure) }
        }
        if let cut = piece.cut { doubtOtherLinks(piece, cut) }
        takingBack.rename(piece.renamed)
        for record in [piece.record, piece.successor].compactMap({ $0 }) + piece.retimed.map(\.record) {
            logs.adopt(record)
            clocks.resume(after: record.head.timestamp)
            expiries.wake(for: record, clocks: &clocks, now: now)
        }
        if let log = logs.own(piece.record.logID) { post(piece.steps, of: log) }
        deliveries.forgetSettledFailures(in: piece.record.logID, through: piece.progress.delivered)
        if let successor = piece.successor { sessions.open(successor.logID, to: successor.recipientID) }
        if let effects = takingBack.written(piece, logs: logs, deliveries: deliveries, author: author) {
            follow(effects, now: now)
        } else if let event = piece.event {
            // The link that brought it has ended while it was written.
            post(event)
        }
    }

    /// What other devices of the user were sent, or have acknowledged, while that was written is in doubt: the entries
    /// are elsewhere now. What they have acknowledged meanwhile they say again when they link.
    private mutating func doubtOtherLinks(_ piece: RecoveredPiece, _ cut: LogCut) {
        let isAcknowledged = deliveries.dropAcknowledgements(of: piece)
        for connectionID in sessions[piece.record.recipientID] where connectionID != piece.connectionID {
            guard let outgoing = sessions[connectionID]?.log(cut.logID),
                isAcknowledged || outgoing.next > cut.after + 1 || !outgoing.isUntouched
            else { continue }
            close(connectionID, .logDiffers)
        }
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
        for request in failed.requests { actions.append(.complete(request.requestID, .failure(reason))) }
        for failure in failed.failures { takeBack(failure, reason: reason, trust: trust) }
        for key in failed.progress.map(\.key) {
            // A log that this commit would have begun has not begun: the next try begins another.
            if logs.own(key.logID) == nil && logs.incoming(key.logID) == nil {
                deliveries.forget(key)
            } else {
                deliveries.writeAgain(key)
            }
        }
        for record in failed.commit.logs where logs.own(record.logID) != nil { expiries.write(record.logID) }
        for piece in failed.recovered {
            // Nothing has come back: the next link begins anew.
            deliveries.dropRestored(piece, isLogKnown: logs.own(piece.record.logID) != nil)
            close(piece.connectionID, .storageFailure)
        }
        sessions.takeBackOffers()
        deliveries.takeBackOffers(except: author.userID)
        dropRuns(with: failed.received)
        takingBack.forgetEnded(sessions)
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
        if let userID = logs.own(messageID.log)?.record.recipientID { failUndelivered(to: userID, trust: trust) }
        actions.append(.complete(requestID, .failure(reason)))
    }

    /// What peers sent is not known, so they must send it again, on another link and later.
    private mutating func dropRuns(with failed: [ReceivedRun]) {
        let dropped = runs.drop(with: failed)
        // Also the links that stand now: over them the peer may have sent the same again, and gone on from there.
        var linksToClose = Set(dropped.map(\.connectionID))
        for run in dropped {
            if let current = sessions[run.deviceID] { linksToClose.insert(current) }
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
    }
}
