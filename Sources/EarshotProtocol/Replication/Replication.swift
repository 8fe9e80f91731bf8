import EarshotCrypto
import EarshotModel

/// What is sent to whom, what is kept of what comes, and what goes to the disk for that.
///
/// It leads an input through the machines that it is made of, each of which decides for itself: which logs there are
/// (`Logs`), what has become of each message (`Deliveries`), what goes over each link (`ReplicationSession`), what waits
/// (`Outbox`, `ReceivedRuns`, `DirectoryChanges`), when it is written (`CommitQueue`), how this node's own logs come back
/// (`TakingBack`), and how peers are given what they ask for (`Giving`). It never decides who may be linked or written to.
///
/// What holds at every moment:
/// - an entry leaves the node only after a commit that holds it and says that it may leave;
/// - a receipt leaves only after a commit that holds what it acknowledges;
/// - an event is posted only after the commit that makes it true.
///
/// Its extensions, each in the folder of what it deals with, lead one kind of input through these machines.
struct Replication: Sendable {
    let author: LogAuthor
    var logs: Logs
    var deliveries: Deliveries
    var conversations: ConversationTable
    var sessions: ReplicationSessions
    var outbox = Outbox()
    var runs = ReceivedRuns()
    var changes = DirectoryChanges()
    var expiries = ExpirySearches()
    var commits = CommitQueue()
    var fetching: Fetching
    var locating = Locating()
    var takingBack: TakingBack
    var giving = Giving()
    var actions: [ReplicationAction] = []

    init(local: LocalDevice, snapshot: Snapshot) {
        author = LogAuthor(local)
        logs = Logs(author: author, records: snapshot.logs, hidden: snapshot.hidden, unknown: snapshot.unknown)
        deliveries = Deliveries(
            deliveries: snapshot.deliveries, failures: snapshot.failures, carried: snapshot.receipts)
        conversations = ConversationTable(
            userID: author.userID, deviceID: author.deviceID, records: snapshot.conversations,
            entries: snapshot.membershipEntries, told: snapshot.privateConversations,
            shared: snapshot.sharedEntries, joins: snapshot.joinEntries,
            silent: SilentEntries(snapshot, by: author))
        sessions = ReplicationSessions(deviceID: author.deviceID)
        fetching = Fetching(deviceID: author.deviceID)
        for (logID, missing) in snapshot.missing {
            guard let log = logs.proved(logID) else { continue }
            let unowed = conversations.privates.unowed(missing, of: logID, by: log.authorID, in: log.description)
            fetching.bodies.lacks(missing.subtracting(unowed), of: log.description, in: logID, from: nil)
            fetching.bodies.lacks(unowed: unowed, of: log.description, in: logID)
        }
        for (logID, withheld) in snapshot.withheld where logs.isByOwnUser(logID) && logs.own(logID) == nil {
            guard let log = logs.proved(logID) else { continue }
            fetching.bodies.lacks(withheld: withheld, of: log.description, in: logID)
        }
        takingBack = TakingBack(limbo: logs.allLimbos)
        if snapshot.revocations.contains(where: { $0.deviceID == author.deviceID && $0.userID == author.userID }) {
            outbox.close()
        }
        shareShown()
    }

    /// What the inputs since the last call want done, in this order.
    mutating func takeActions() -> [ReplicationAction] {
        guard !actions.isEmpty else { return [] }
        defer { actions = [] }
        return actions
    }

    mutating func post(_ event: Event) { actions.append(.post(event)) }

    // MARK: - Requests

    /// Whether messages of any conversation wait, or would, until others have come back.
    var mayHold: Bool { outbox.hasHeld || isTakingBack }

    /// Takes what a call writes: all of it or nothing. Its messages keep their order.
    /// - Parameter name: the recipient's, or that of the first of several.
    mutating func send(_ send: PendingSend, name: UserName?) throws(ProtocolError) {
        let isHeld = send.goes { isHolding($0) }
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
    mutating func write(_ revocation: Revocation) {
        changes.write(revocation)
        if revocation.deviceID == author.deviceID, revocation.userID == author.userID { outbox.close() }
    }

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

    // MARK: - Time

    /// Time has passed: looks for messages whose time is over, and tries the disk again if it took no writes.
    mutating func tick(clocks: inout ClockMachine, now: Moment) {
        let clock = clocks.expiryClock(now)
        for log in expiries.begin(among: logs.allOwn, clock: clock) {
            let delivered = deliveries.target(log.deliveryKey)?.delivered ?? 0
            actions.append(.findExpired(logID: log.record.logID, after: delivered, clock))
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
        guard sessions.mayHaveRoom else { return }
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

    /// Whether anything waits for the next commit.
    var hasUnwritten: Bool { if case .none = work { false } else { true } }

    var work: CommitQueue.Work {
        if !outbox.isEmpty || !runs.isEmpty || fetching.bodies.hasFound || takingBack.hasCommits
            || deliveries.hasPendingFailures
        {
            return .pressing
        }
        if conversations.silent.hasRegarded { return .pressing }
        let hasDuties = conversations.privates.hasDuties(besides: [])
        let comingBack = hasDuties || !changes.isEmpty ? comingBack : []
        let isPatient =
            !changes.isEmpty && !changes.goes(to: comingBack) || conversations.hasUnwritten || deliveries.hasUnwritten
            || expiries.hasUnwritten || commits.hasRequests
        if hasDuties, conversations.privates.hasDuties(besides: comingBack.union(undecidable)) { return .pressing }
        return isPatient ? .patient : .none
    }

    /// Makes the next commit of all that waits, if its time has come.
    mutating func commitIfDue(trust: TrustMachine, clocks: inout ClockMachine, now: Moment) {
        guard commits.isDue(work, now: now) else { return }
        var next = CommitInFlight()
        next.commit.time = now.wallClock
        next.commit.deviceID = author.deviceID
        let comingBack = comingBack
        for conversationID in comingBack { outbox.hold(conversationID) }
        // What a change has this device say stands in the same commit.
        if !changes.goes(to: comingBack) { changes.move(into: &next) }
        next.requests = commits.takeRequests()
        let heads = runs.move(into: &next, logs: logs, deliveries: &deliveries, author: author)
        takeBodies(into: &next, now: now)
        takeShowings(into: next)
        if next.received.contains(where: \.isOwn) { next.commit.beginsGeneration = !takingBack.isKnownOlder }
        takeSends(into: &next, heads: heads, besides: comingBack, clocks: &clocks, now: now)
        takeConversations(into: &next, now: now)
        takingBack.move(into: &next, logs: logs, deliveries: deliveries)
        // What the journal says of messages that move would be about others, or nobody.
        if !next.cuts.isEmpty { next.commit.beginsGeneration = true }
        takeRewritten(into: &next, clocks: &clocks, now: now)
        takeFailures(into: &next)
        expiries.move(into: &next, logs: logs)
        let missing = fetching.bodies.lacking(after: next)
        deliveries.move(
            into: &next, heads: heads, missing: missing, silent: conversations.silent, logs: logs, author: author)
        takeErasures(into: &next)
        next.hide(trust: trust, conversations: conversations)
        next.addJournal(deliveries, author: author)
        actions.append(.commit(next.commit))
        commits.begin(next)
    }

    /// What entries of this commit change about conversations, and what waits beside.
    private mutating func takeConversations(into next: inout CommitInFlight, now: Moment) {
        defer { takeRegarded(into: &next, now: now) }
        guard conversations.hasUnwritten || !next.bodies.isEmpty || next.commit.concernsOpenConversations else {
            return
        }
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
            note(found.entries.records, by: found.authorID, in: found.conversation.conversationID)
        }
        next.commit.conversations = changed.values.sorted { $0.conversationID < $1.conversationID }
        next.conversationNews = next.commit.conversations.flatMap {
            conversations.news(of: $0, isAdvertisedAnew: advertised.contains($0.conversationID))
        }
        next.commit.privateConversations = conversations.takeUnwrittenPrivates()
        next.conversationNews += next.commit.privateConversations.flatMap { conversations.news(of: $0) }
    }

    /// Messages that turn out to count.
    private mutating func takeRegarded(into next: inout CommitInFlight, now: Moment) {
        guard conversations.silent.hasRegarded else { return }
        conversations.dropErased()
        let logs = logs
        let ends = Dictionary(next.received.map { ($0.logID, $0.head.sequence) }) { max($0, $1) }
        let lacking = fetching.bodies.lacking(after: next)
        next.commit.regarded = conversations.silent.takeRegarded(
            isWritten: {
                $0.sequence <= ends[$0.log] ?? logs.incoming($0.log)?.committed.sequence ?? 0
                    && lacking[$0.log]?.contains($0.sequence) != true
            })
        for run in next.commit.regarded {
            guard let log = logs.incoming(run.logID),
                let conversation = conversations.record(log.description.conversationID)
                    ?? logs.conversations[log.description.conversationID]
            else { continue }
            // They are not missing in receipts any more.
            deliveries.signAgain(for: logs.branches(of: log.description), by: author.userID)
            if logs.isByOwnUser(run.logID) {
                failWithheld(run.entries, of: log, in: conversation, into: &next, now: now)
            }
            let source = EntryNews.Source(log, in: conversation, to: author)
            for record in run.entries {
                let news = EntryNews(
                    record.body?.content, at: record.sequence, timestamp: record.timestamp, expiry: record.expiry,
                    of: source, logs)
                if let news { next.lateNews.append((run.logID, news, logs.isByOwnUser(run.logID))) }
            }
        }
    }

    private mutating func takeSends(
        into next: inout CommitInFlight, heads: [LogID: LogHead], besides comingBack: Set<ConversationID>,
        clocks: inout ClockMachine, now: Moment
    ) {
        failUncounted()
        // Which control log counts last is known when these are on the disk.
        let changing = Set(next.received.filter { $0.log.kind == .control }.map(\.log.conversationID))
        let duties = conversations.privates.takeDuties(besides: comingBack.union(changing).union(undecidable)).map {
            conversationID, drafts in
            PendingSend(
                requestID: nil,
                parts: [
                    .init(conversation: conversations.privates.record(conversationID), drafts: drafts, kind: .control)
                ])
        }
        let sends = AppendedSends(
            duties + remainingControls + next.statements + takeCalls(besides: changing, duties), to: logs,
            privates: conversations.privates, heads: heads, by: author, clocks: &clocks, now: now)
        next.append(sends)
        // Who may have an entry follows from control entries once they are on the disk.
        let changed = Set(
            sends.runs.filter { $0.record.description.kind == .control }.map { $0.record.description.conversationID })
        for run in sends.runs
        where !changed.contains(run.record.description.conversationID)
            && deliveries.haveOfferedControls(before: run.record.description, logs)
        {
            offerNew(run.entries, of: run.record)
        }
        for messageID in sends.handled where logs.incoming(messageID.log) != nil {
            deliveries.markHandled(
                DeliveryKey(logID: messageID.log, recipientID: author.userID), through: messageID.sequence)
        }
    }

    /// The calls that go into this commit. A decision about a private conversation counts only in the log that counts last: it waits
    /// while that may change, and fails where it has changed.
    private mutating func takeCalls(besides changing: Set<ConversationID>, _ duties: [PendingSend]) -> [PendingSend] {
        var decided = changing.union(duties.compactMap { $0.decision?.conversation.conversationID })
        let taken = outbox.takeForCommit { call in
            call.decision.map { decided.insert($0.conversation.conversationID).inserted } ?? true
        }
        // Most calls send messages.
        guard taken.contains(where: { $0.decision != nil }) else { return taken }
        var counting: [PendingSend] = []
        for call in taken {
            guard let decision = call.decision else {
                counting.append(call)
                continue
            }
            do throws(ProtocolError) {
                guard hasAllDecided(in: decision.conversation.conversationID) else {
                    throw ProtocolError(
                        .overloaded,
                        "something that this device has decided about \(decision.conversation.label(for: author.userID)) has not come "
                            + "back yet: decide again in a moment")
                }
                let drafts = try conversations.privates.current(
                    decision.drafts, about: decision.conversation.conversationID)
                counting.append(
                    PendingSend(
                        requestID: call.requestID,
                        parts: [.init(conversation: decision.conversation, drafts: drafts, kind: .control)]))
            } catch {
                if let requestID = call.requestID { actions.append(.complete(requestID, .failure(error))) }
            }
        }
        return counting
    }

    /// Private conversations in which this device has something to say about who is in, and nothing of that would count now.
    private var undecidable: Set<ConversationID> {
        Set(conversations.privates.changed.map(\.conversationID).filter { !hasAllDecided(in: $0) })
    }

    /// Whether all is here that this device has decided about a private conversation. After a restored backup entries may come back
    /// without their contents, and nothing counts behind them until these come, too.
    private func hasAllDecided(in conversationID: ConversationID) -> Bool {
        guard let known = conversations.privates[conversationID]?.membership else { return true }
        return logs.own(in: conversationID).allSatisfy { log in
            log.description.kind != .control || !known.isLast(log.record.logID)
                || fetching.bodies.lacking(log.record.logID).isEmpty
        }
    }

    /// What unsent ends of control logs said and is still to be said, in the commit that lets go of them.
    private var remainingControls: [PendingSend] {
        takingBack.ready.compactMap { conversationID in
            guard let rewriting = takingBack[conversationID]?.rewriting, let limbo = rewriting.limbo,
                limbo.description.kind == .control, let page = rewriting.page
            else { return nil }
            let drafts = conversations.privates.remaining(of: page.entries, in: conversationID)
            guard !drafts.isEmpty else { return nil }
            return PendingSend(
                requestID: nil, parts: [.init(conversation: limbo.conversation, drafts: drafts, kind: .control)])
        }
    }

    /// What this node's user has written in private conversations behind the end of their stay, on whichever device, fails.
    private mutating func failUncounted() {
        for conversation in conversations.privates.changed {
            for log in logs.own(in: conversation.conversationID) where log.description.kind == .messages {
                failUncounted(log.record, in: conversation, isOwn: true)
            }
            for log in logs.incoming(by: author.userID)
            where log.description.conversationID == conversation.conversationID
                && log.description.kind == .messages && log.isOnDisk
            {
                failUncounted(log.record(in: conversation.record), in: conversation, isOwn: false)
            }
        }
    }

    private mutating func failUncounted(_ log: LogRecord, in conversation: PrivateConversation, isOwn: Bool) {
        let (known, lost) = (logs.messages(of: log.logID), fetching.bodies.lacking(log.logID))
        deliveries.failUncounted(in: log, of: conversation, isOwn: isOwn) { known.contains($0) && !lost.contains($0) }
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
                    page, of: rewriting.limbo, into: log, after: ends,
                    version: conversations.privates.dueVersion(of: log.record), moved: rewriting.moved, by: author,
                    clocks: &clocks, now: now))
            takingBack.beginCommit(conversationID)
        }
    }

    private mutating func takeFailures(into next: inout CommitInFlight) {
        next.commit.withdrawnFailures = deliveries.takeWithdrawn()
        next.failures += deliveries.takePending()
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
        let joined = done.commit.conversations.filter { written($0) }
        for conversation in done.commit.privateConversations { conversations.adopt(conversation) }
        for event in done.conversationNews.compactMap(\.conversationEvent) { post(event) }
        for appended in done.appended { written(appended, trust: trust, clocks: &clocks, now: now) }
        // With the entry that says so: what others compare with what they hold.
        for conversation in joined { tellDigest(of: conversation.record) }
        for event in done.draftNews.compactMap(\.draftEvent) { post(event) }
        if !done.accepted.isEmpty { actions.append(.accepted(done.accepted)) }
        for run in done.received { written(run, trust: trust, clocks: &clocks, now: now) }
        for found in done.bodies { written(found, clocks: &clocks, now: now) }
        fold(trust: trust, clocks: &clocks, now: now)
        shareShown()
        for (_, news, isByOwnUser) in done.lateNews { tell([news], isByOwnUser: isByOwnUser, trust: trust) }
        for cut in done.cuts { written(cut) }
        for page in done.rewritten { written(page, trust: trust, clocks: &clocks, now: now) }
        for progress in done.progress { written(progress, now: now) }
        for failure in done.failures { written(failure) }
        erased(done.commit.erasures)
        for request in done.requests { actions.append(.complete(request.requestID, .success(request.answer))) }
    }

    mutating func written(
        _ appended: CommitInFlight.Appended, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        let (logID, userID) = (appended.record.logID, appended.record.recipientID)
        let before = logs.own(logID)?.head.place ?? appended.record.start.place
        logs.appended(appended.record)
        logs.note(appended.entries, of: logID)
        absorb(appended.entries, of: appended.record, after: before)
        fold(trust: trust, clocks: &clocks, now: now)
        if appended.record.conversation.isOwn(of: author.userID) { tellShared(appended.entries, of: appended.record) }
        changed(appended.record.conversation, now: now)
        expiries.wake(for: appended.record, clocks: &clocks, now: now)
        tell(appended.news, isByOwnUser: true, trust: trust)
        // The user may have been barred while this was written.
        if case .direct = appended.record.conversation.kind { failUndelivered(to: userID, trust: trust) }
        tellOwnDevices(of: appended.record.conversation)
        if let log = logs.own(logID) { sessions.openIfNew(log) }
        reachUnlinked(by: appended.record)
    }

    /// Tells what entries of one log say: messages that follow each other together.
    mutating func tell(_ news: [EntryNews], isByOwnUser: Bool, trust: TrustMachine) {
        var messages: [Message] = []
        func takeRun() -> EventRun? {
            guard !messages.isEmpty else { return nil }
            defer { messages = [] }
            return isByOwnUser ? .queued(messages) : .received(messages)
        }
        for piece in news {
            if let message = piece.message {
                messages.append(message)
            } else {
                if let run = takeRun() { actions.append(.postRun(run)) }
                if let event = piece.event(to: author.userID, user: trust.directory.user) { post(event) }
            }
        }
        if let run = takeRun() { actions.append(.postRun(run)) }
    }

    /// What entries have said of a conversation is on the disk.
    /// - Returns: whether this node's user has joined it with that.
    mutating func written(_ conversation: OpenConversationRecord) -> Bool {
        let wasJoined = conversations.isJoined(conversation.conversationID)
        let changed = conversations.adopt(conversation)
        for participant in changed where participant.userID != author.userID {
            acknowledgePremature(by: participant.userID, in: conversation.conversationID)
            // Whoever has left is given nothing more.
            if participant.status == .left { sessions.drop(conversation.conversationID, to: participant.userID) }
        }
        guard conversation.isJoined, wasJoined else { return conversation.isJoined }
        for connectionID in sessions.chosen {
            guard let userID = sessions[connectionID]?.userID, changed.contains(where: { $0.userID == userID }) else {
                continue
            }
            accessChanged(to: conversation.conversationID, on: connectionID)
        }
        endRefusals(of: conversation.conversationID)
        return false
    }

    /// A conversation has grown: after a while it is compared with what others hold.
    mutating func changed(_ conversation: ConversationRecord, now: Moment) {
        let isShared =
            conversation.kind != .direct || sessions.isCarried(conversation.conversationID)
            || logs.hasManyWriters(in: conversation.conversationID)
        if isShared { sessions.gossip.changed(conversation.conversationID, now: now) }
    }

    mutating func written(
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
            conversations.privates.noteWritten(byOwnUserIn: run.log.conversationID)
            acknowledgeCarried(for: run, trust: trust, now: now)
        }
        tell(run.news, isByOwnUser: run.isByOwnUser, trust: trust)
        announce(run)
        announceToOwnDevices(run, now: now)
        fetching.bodies.lacks(
            run.missing, of: run.log, in: run.logID,
            from: sessions[run.connectionID] == nil ? nil : run.connectionID)
        fetching.bodies.lacks(unowed: run.unowed, of: run.log, in: run.logID)
        if run.isByOwnUser { fetching.bodies.lacks(withheld: run.withheld, of: run.log, in: run.logID) }
        if run.isOwn {
            returned(run, clocks: &clocks, now: now)
            receivedEarlyReceipts(forOwn: run.log)
        }
        absorb(run.entries, of: run.record(in: logs), after: run.before)
        conversations.silent.giveUp(
            fetching.bodies.giveUp(retractedIn: run.entries, by: run.branch.authorID, logs))
        if !run.isOwn { conversations.noteWritten(run.entries, of: run.log, by: run.branch.authorID) }
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
    mutating func reached(_ place: Place, ofOwn logID: LogID, trust: TrustMachine, now: Moment) {
        guard let log = logs.own(logID) else { return }
        for connectionID in fetching.reached(place.chain)
        where !fetching.isFetching(log.description.logID, over: connectionID) {
            decide(BranchHead(log: log.description, place: place), in: log, on: connectionID, trust: trust, now: now)
        }
    }

    mutating func written(_ written: WrittenProgress, now: Moment) {
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
            // Messages wait for what they name.
            if log.description.kind == .control { sessions.pump(log.record) }
        }
        post(written.steps, in: log.description.conversationID)
        if progress.delivered > old.delivered || progress.missing != old.missing {
            deliveries.forgetSettledFailures(key, by: progress)
        }
    }

    /// What this node now holds of a log goes to its author's devices; if none is linked, to whoever may meet them.
    mutating func sendReceipt(for log: IncomingLog) {
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
        guard authors.isEmpty, isOfMany(log.description.conversationID) else {
            if authors.isEmpty { actions.append(.reach([log.authorID])) }
            return
        }
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

    mutating func post(_ steps: [JournalRecord], in conversationID: ConversationID) {
        for step in steps {
            for progress in step.progress(in: conversationID, logs) { actions.append(.postRun(.progress(progress))) }
        }
    }

    mutating func written(_ pending: PendingFailure) {
        let messageID = pending.failure.messageID
        pumpLinks(of: messageID.log)
        if let requestID = pending.requestID {
            actions.append(.complete(requestID, .success(.cancelled(messageID))))
        }
        guard logs.isMessage(messageID),
            let log = logs.own(messageID.log)?.description ?? logs.incoming(messageID.log)?.description,
            let event = deliveries.event(of: pending.failure, in: log.conversationID)
        else { return }
        post(event)
    }

    /// The unsent end of an own log waits elsewhere now.
    mutating func written(_ cut: CommitInFlight.Cut) {
        expiries.cancel(cut.record.logID)
        logs.cut(cut.record, limbo: cut.limbo)
        conversations.privates.forgetUnsent(cut.limbo, of: cut.record.logID)
        sessions.discardReading(of: cut.record)
        deliveries.rename([cut.renamed])
        actions.append(.renamed([cut.renamed]))
        takingBack.wasCut(cut.record.description.conversationID)
        // Where frames belong may be elsewhere now.
        for read in locating.relocate(cut.record.description, branches: logs.branches(of: cut.record.description)) {
            actions.append(.read(read))
        }
    }

    /// Some of what waits is written anew.
    mutating func written(
        _ page: RewrittenPage, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        let conversationID = page.record.description.conversationID
        let before = logs.own(page.record.logID)?.head.place ?? page.record.start.place
        logs.appended(page.record)
        logs.note(page.entries, of: page.record.logID)
        absorb(page.entries, of: page.record, after: before)
        fold(trust: trust, clocks: &clocks, now: now)
        if let limboID = page.limboID { logs.setLimbo(limboID, page.rest) }
        if page.record.conversation.isOwn(of: author.userID) { tellShared(page.entries, of: page.record) }
        deliveries.rename(page.places)
        if !page.places.isEmpty { actions.append(.renamed(page.places)) }
        expiries.wake(for: page.record, clocks: &clocks, now: now)
        if let log = logs.own(page.record.logID) { sessions.openIfNew(log) }
        sessions.pump(page.record)
        takingBack.rewritten(
            conversationID, page.places, into: page.record.logID, limbo: page.rest, moved: page.moved)
    }

    // MARK: - Not on the disk

    /// Nothing of the commit is on the disk. What was asked for fails; what is true anyway is tried again.
    mutating func commitFailed(
        _ error: String, isDiskFull: Bool, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        let failed = commits.takeFailed()
        let reason = ProtocolError(isDiskFull ? .storageFull : .storage, error)
        for call in failed.accepted { actions.append(.complete(call.requestID, .failure(reason))) }
        changes.takeBack(failed, directory: trust.directory)
        conversations.writeAgain(failed.commit.conversations)
        conversations.writeAgain(failed.commit.privateConversations)
        conversations.privates.noteAllDuties()
        conversations.silent.writeAgain(regarded: failed.commit.regarded)
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
            conversations.silent.forget(run.logID, after: logs.incoming(run.logID)?.committed.sequence ?? 0)
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

extension Commit {
    /// Whether entries of open conversations may be among its own.
    fileprivate var concernsOpenConversations: Bool {
        logs.indices.contains { logs[$0].conversation.kind == .open }
    }
}
