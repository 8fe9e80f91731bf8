import EarshotModel

/// The state of each message for each recipient: how far every log has come, and which messages failed.
///
/// It keeps two of each number: what the disk says, and what is true and waits to be written. It decides which steps of
/// progress and which failures count, and which events report them. It sends nothing and reads no clock.
struct Deliveries: Sendable {
    private struct Tracked: Sendable {
        var committed: DeliveryProgress
        var target: DeliveryProgress

        init(_ progress: DeliveryProgress = DeliveryProgress()) {
            committed = progress
            target = progress
        }
    }

    private var tracked: [DeliveryKey: Tracked] = [:]
    /// Changes that are true and not in a commit yet.
    private var unwritten: Set<DeliveryKey> = []
    /// Messages that failed, and that no receipt has settled.
    private var failures: [LogID: [UInt64: DeliveryFailure]] = [:]
    private var pending = PendingFailures()
    /// Own entries that came back: they have left and arrived before this run, so that is no news.
    private var returned: [DeliveryKey: ClosedRange<UInt64>] = [:]
    /// Messages that turn out not to have failed, until the disk has that.
    private var withdrawn: Set<Addressed> = []

    /// Receipts of others for logs of others.
    private(set) var carried: CarriedReceipts

    init(deliveries: [DeliveryRecord] = [], failures: [DeliveryFailure] = [], carried: [Receipt] = []) {
        self.carried = CarriedReceipts(carried)
        for delivery in deliveries {
            let key = DeliveryKey(logID: delivery.logID, recipientID: delivery.recipientID)
            tracked[key] = Tracked(delivery.progress)
        }
        for failure in failures {
            self.failures[failure.messageID.log, default: [:]][failure.messageID.sequence] = failure
        }
    }

    // MARK: - Progress

    /// The progress that the disk has.
    func committed(_ key: DeliveryKey) -> DeliveryProgress? { tracked[key]?.committed }

    /// The true progress, on the disk or not.
    func target(_ key: DeliveryKey) -> DeliveryProgress? { tracked[key]?.target }

    /// Entries up to here may leave once that is on the disk.
    mutating func offer(_ key: DeliveryKey, through sequence: UInt64) {
        tracked[key, default: Tracked()].target.offered = max(target(key)?.offered ?? 0, sequence)
        unwritten.insert(key)
    }

    /// Whether entries of an own log may be offered as far as others go. Messages of a private conversation name the control
    /// entries that this device knew, and a control log those that it follows; what it has written itself of these is offered
    /// first. Where what was not offered gives way to what comes back (`TakingBack`), nothing that others hold has named it.
    func haveOfferedControls(before log: LogDescription, _ logs: Logs) -> Bool {
        logs.own(in: log.conversationID).allSatisfy { control in
            guard control.description.kind == .control, log.kind == .messages || control.description.epoch < log.epoch
            else { return true }
            return target(control.deliveryKey)?.offered ?? 0 >= control.head.sequence
        }
    }

    /// Entries up to here were written to a link.
    /// - Returns: whether that is news.
    mutating func sent(_ key: DeliveryKey, through sequence: UInt64) -> Bool {
        guard sequence > target(key)?.sent ?? 0 else { return false }
        var target = target(key) ?? DeliveryProgress()
        target.sent = sequence
        // Of many recipients each has a row, and what may leave is noted in the author's.
        target.offered = max(target.offered, sequence)
        tracked[key, default: Tracked()].target = target
        unwritten.insert(key)
        return true
    }

    /// A receipt is proof: what it covers is delivered, whatever this node thought before.
    /// - Returns: whether it says more than was known.
    mutating func acknowledge(_ receipt: Receipt, _ key: DeliveryKey) -> Bool {
        var target = target(key) ?? DeliveryProgress()
        guard target.acknowledge(receipt) else { return false }
        tracked[key, default: Tracked()].target = target
        unwritten.insert(key)
        return true
    }

    /// The next commit keeps a peer's log up to here.
    mutating func keep(_ key: DeliveryKey, through sequence: UInt64) {
        var target = target(key) ?? DeliveryProgress()
        target.offered = sequence
        target.sent = sequence
        target.delivered = sequence
        tracked[key, default: Tracked()].target = target
        unwritten.insert(key)
    }

    /// This node's user has seen a peer's messages up to here.
    /// - Returns: `false` if that many have not come.
    mutating func markRead(_ key: DeliveryKey, through sequence: UInt64) -> Bool {
        guard let target = target(key), sequence <= target.delivered else { return false }
        guard sequence > target.read else { return true }
        tracked[key]?.target.read = sequence
        unwritten.insert(key)
        return true
    }

    /// A program of this node's user has dealt with a peer's messages up to here; the commit that says so is being made.
    mutating func markHandled(_ key: DeliveryKey, through sequence: UInt64) {
        guard let target = target(key), min(sequence, target.delivered) > target.handled else { return }
        tracked[key]?.target.handled = min(sequence, target.delivered)
        unwritten.insert(key)
    }

    // MARK: - Progress on its way to the disk

    var hasUnwritten: Bool { !unwritten.isEmpty || carried.hasUnwritten }

    /// Adds changes to a commit: what the logs' recipients have, and receipts for what this node keeps of peers' logs.
    /// - Parameters:
    ///   - heads: those of peers' logs that change with the commit.
    ///   - missing: the entries whose bodies this node lacks after the commit, by branch.
    ///   - silent: those that it does not show.
    mutating func move(
        into next: inout CommitInFlight, heads: [LogID: LogHead], missing: [LogID: SequenceSet] = [:],
        silent: SilentEntries = SilentEntries(), logs: Logs, author: LogAuthor
    ) {
        next.progress = takeUnwritten { key, progress in
            guard key.recipientID == author.userID, let log = logs.incoming(key.logID) else { return nil }
            let lacking = log.lacking(missing, in: logs, through: progress.delivered)
            // Whoever lacks more than a receipt can name signs for what they had before.
            guard lacking.ranges.count <= Limits.missingRangesPerReceipt else { return nil }
            // With what is not shown it may say less than is true, and never more.
            let missing = log.lacking(silent.all, in: logs, through: progress.delivered).union(lacking)
                .fused(to: Limits.missingRangesPerReceipt)
            // Peers know a branch by its log's id and the chain hash alone.
            let chain = (heads[key.logID] ?? log.committed).chain
            return Receipt.sign(
                logID: log.description.logID, sequence: progress.delivered, chain: chain, readSequence: progress.read,
                handledSequence: progress.handled, missing: missing, deviceID: author.deviceID,
                with: author.signingKey)
        }
        next.commit.receipts = carried.takeUnwritten()
        for index in next.progress.indices
        where next.progress[index].key.recipientID != author.userID
            && logs.isByOwnUser(next.progress[index].key.logID)
        {
            let (key, value) = (next.progress[index].key, next.progress[index].value)
            // What an entry is whose body has not come back yet, nobody knows.
            next.progress[index].steps = steps(to: value, of: key).flatMap { $0.told(logs, except: missing[key.logID]) }
        }
        next.commit.deliveries = next.progress.map {
            DeliveryRecord(logID: $0.key.logID, recipientID: $0.key.recipientID, progress: $0.value)
        }
    }

    /// The changes for the next commit, ascending.
    /// - Parameter receipt: signs for what this node keeps of a peer's log; `nil` for a log of its own.
    mutating func takeUnwritten(
        receipt: (DeliveryKey, DeliveryProgress) -> Receipt?
    ) -> [WrittenProgress] {
        var taken: [WrittenProgress] = []
        for key in unwritten.sorted() {
            guard var target = target(key) else { continue }
            if let receipt = receipt(key, target) {
                target.receipt = receipt
                tracked[key]?.target.receipt = receipt
            }
            taken.append(WrittenProgress(key: key, value: target))
        }
        unwritten.removeAll(keepingCapacity: true)
        return taken
    }

    /// A change is on the disk.
    /// - Returns: what the disk said before.
    mutating func written(_ key: DeliveryKey, _ progress: DeliveryProgress) -> DeliveryProgress {
        let old = committed(key) ?? DeliveryProgress()
        tracked[key, default: Tracked()].committed = progress
        return old
    }

    /// It says something else from the next commit on, or it is not on the disk and goes into the next commit again.
    mutating func writeAgain(_ key: DeliveryKey) { unwritten.insert(key) }

    /// Receipts say something else from the next commit on.
    mutating func signAgain(for branches: [LogID], by userID: UserID) {
        for branch in branches { writeAgain(DeliveryKey(logID: branch, recipientID: userID)) }
    }

    /// The commit that moved a program's place in the inbox is not on the disk: it will be given the messages again.
    /// - Parameter key: of what this node keeps of a peer's log.
    mutating func takeBackHandled(_ key: DeliveryKey) {
        let onDisk = committed(key)?.handled ?? 0
        tracked[key]?.target.handled = onDisk
    }

    /// Forgets a log that has not begun after all.
    mutating func forget(_ key: DeliveryKey) {
        tracked[key] = nil
        unwritten.remove(key)
    }

    /// Takes back offers that are not on the disk: such entries do not leave.
    /// - Parameter isOffer: whether a row says what of an own log may leave.
    mutating func takeBackOffers(where isOffer: (DeliveryKey) -> Bool) {
        for key in tracked.keys where isOffer(key) {
            guard let old = tracked[key] else { continue }
            let offered = max(old.committed.offered, old.target.delivered)
            tracked[key]?.target.offered = offered
            // What came back, and is not on the disk after all, counted as sent.
            tracked[key]?.target.sent = min(old.target.sent, offered)
        }
    }

    /// What came of a peer's log is not on the disk. What was read of the rest stays read.
    mutating func dropUncommitted(_ key: DeliveryKey) {
        guard let old = tracked[key] else { return }
        let read = max(old.committed.read, min(old.target.read, old.committed.delivered))
        tracked[key]?.target = old.committed
        tracked[key]?.target.read = read
        if read == old.committed.read { unwritten.remove(key) }
    }

    // MARK: - Receipts of others

    /// A receipt for a log of somebody else is passed on from now on.
    /// - Parameter ends: where the log's branches end.
    /// - Returns: whether it says more than was known.
    mutating func carry(_ receipt: Receipt, ends: Set<Place>) -> Bool { carried.keep(receipt, ends: ends) }

    /// Receipts for logs that have come since this was last asked of these logs.
    mutating func takeFreshReceipts(where isWanted: (LogID) -> Bool) -> [Receipt] {
        carried.takeFresh(where: isWanted)
    }

    /// They are not on the disk, and go into the next commit again.
    mutating func writeAgain(_ receipts: [Receipt]) { carried.writeAgain(receipts) }

    // MARK: - Failures

    func failure(of messageID: MessageID) -> DeliveryFailure? { failures[messageID.log]?[messageID.sequence] }

    /// The failures of a log by place.
    func failures(in logID: LogID) -> [UInt64: DeliveryFailure] { failures[logID] ?? [:] }

    func isWithheld(_ messageID: MessageID) -> Bool { failure(of: messageID)?.isWithheld == true }

    /// Whether a failure of a message in this log waits for the disk. Nothing of the log is offered meanwhile.
    func hasPendingFailures(in logID: LogID) -> Bool { pending.contain(logID) }

    var hasPendingFailures: Bool { !pending.isEmpty }

    /// - Parameter requestID: the request that asked for it and waits for the answer.
    mutating func fail(_ failure: DeliveryFailure, requestID: RequestID? = nil) {
        failures[failure.messageID.log, default: [:]][failure.messageID.sequence] = failure
        pending.append(PendingFailure(failure: failure, requestID: requestID))
    }

    /// Undelivered messages fail. A message that may already have left may still turn out to be delivered; any other is
    /// withheld for good.
    mutating func fail(_ sequences: some Sequence<UInt64>, of log: OwnLog, reason: FailureReason) {
        let progress = target(log.deliveryKey) ?? DeliveryProgress()
        let logID = log.record.logID
        // Of many recipients some may have what has left.
        let isOfMany = log.record.conversation.kind != .direct
        let settled = isOfMany ? max(progress.offered, progress.delivered) : progress.delivered
        for sequence in sequences where sequence > settled && failures[logID]?[sequence] == nil {
            fail(
                DeliveryFailure(
                    messageID: MessageID(log: logID, sequence: sequence), recipientID: log.record.recipientID,
                    reason: reason,
                    isWithheld: sequence > progress.offered))
        }
    }

    /// Messages of this node's user in a private conversation fail that count for nobody; and what did not seem to count has not
    /// failed where it turns out to: of the user's stays a device may hear the end first.
    /// - Parameter isMessage: whether an entry is known to be one.
    mutating func failUncounted(
        in log: LogRecord, of conversation: PrivateConversation, isOwn: Bool, isMessage: (UInt64) -> Bool
    ) {
        func uncounted(isDoubtIncluded: Bool) -> [ClosedRange<UInt64>] {
            conversation.uncounted(
                of: log.logID, by: log.authorID, in: log.description.logID, through: log.head.sequence,
                isDoubtIncluded: isDoubtIncluded)
        }
        let key = DeliveryKey(logID: log.logID, recipientID: log.recipientID)
        if failures(in: key.logID).values.contains(where: \.isRemoved) {
            withdrawRemoved(of: key, except: uncounted(isDoubtIncluded: true))
        }
        for range in uncounted(isDoubtIncluded: false) {
            failUncounted(range.lazy.filter(isMessage), of: key, isOwn: isOwn)
        }
    }

    /// Messages of this node's user count for nobody. Who has one all the same has it.
    /// - Parameter key: their log, and its recipient.
    mutating func failUncounted(_ sequences: some Sequence<UInt64>, of key: DeliveryKey, isOwn: Bool) {
        // What another device of the user has written has left it.
        let offered = isOwn ? target(key)?.offered ?? 0 : .max
        for sequence in sequences where failures[key.logID]?[sequence] == nil {
            fail(
                DeliveryFailure(
                    messageID: MessageID(log: key.logID, sequence: sequence), recipientID: key.recipientID,
                    reason: .removed, isWithheld: sequence > offered))
        }
    }

    /// What failed because it did not seem to count has not failed, unless it was never sent.
    /// - Parameter uncounted: what does not count, or may not.
    mutating func withdrawRemoved(of key: DeliveryKey, except uncounted: [ClosedRange<UInt64>]) {
        for (sequence, failure) in failures(in: key.logID)
        where failure.isRemoved && !uncounted.contains(where: { $0.contains(sequence) }) {
            failures[key.logID]?[sequence] = nil
            pending.takeBack(failure)
            withdrawn.insert(failure.addressed)
        }
    }

    /// All undelivered messages of a log fail.
    mutating func failUndelivered(of log: OwnLog, reason: FailureReason) {
        let delivered = max(target(log.deliveryKey)?.delivered ?? 0, log.record.start.sequence)
        guard delivered < log.head.sequence else { return }
        fail(delivered + 1...log.head.sequence, of: log, reason: reason)
    }

    /// The contents of messages that had failed and may have left are gone: only their hashes can leave from now on, so
    /// no receipt can say that they were delivered.
    mutating func withhold(_ messageIDs: [MessageID]) {
        for messageID in messageIDs { failures[messageID.log]?[messageID.sequence]?.isWithheld = true }
    }

    /// The recipient was given only a message's hash, so it was taken back or expired before it left.
    mutating func withhold(_ messageID: MessageID, for recipientID: UserID, expiry: Int64, now: Moment) {
        fail(
            DeliveryFailure(
                messageID: messageID, recipientID: recipientID, reason: .withheld(expiry: expiry, now: now),
                isWithheld: true))
    }

    /// The same of a message of another device of this node's user, whose body comes with the next commit. If it has failed already,
    /// the reason stays.
    /// - Returns: what goes into that commit.
    mutating func noteWithheld(
        _ messageID: MessageID, for recipientID: UserID, _ reason: FailureReason
    ) -> PendingFailure {
        let failure = DeliveryFailure(
            messageID: messageID, recipientID: recipientID, reason: failure(of: messageID)?.reason ?? reason,
            isWithheld: true)
        failures[messageID.log, default: [:]][messageID.sequence] = failure
        return PendingFailure(failure: failure, requestID: nil)
    }

    /// It has not failed after all.
    mutating func withdraw(_ messageID: MessageID) { failures[messageID.log]?[messageID.sequence] = nil }

    // MARK: - Failures on their way to the disk

    /// Failures for the next commit. When somebody is blocked, thousands may wait.
    mutating func takePending() -> [PendingFailure] {
        var taken: [PendingFailure] = []
        while taken.count < Limits.commitEntries, let next = pending.popFirst() { taken.append(next) }
        return taken
    }

    /// It is not on the disk, and goes into the next commit again.
    mutating func writeAgain(_ failure: PendingFailure) { pending.append(failure) }

    /// Messages have other names now: their failures move along.
    mutating func rename(_ runs: [RenamedMessages]) {
        for run in runs {
            for (sequence, failure) in failures(in: run.from.log) {
                guard let place = run.newID(of: MessageID(log: run.from.log, sequence: sequence)) else { continue }
                failures[run.from.log]?[sequence] = nil
                failures[place.log, default: [:]][place.sequence] = failure.moved(to: place)
            }
        }
        var waiting = pending
        pending = PendingFailures()
        while let next = waiting.popFirst() {
            let place = runs.lazy.compactMap { $0.newID(of: next.failure.messageID) }.first
            pending.append(
                place.map { PendingFailure(failure: next.failure.moved(to: $0), requestID: next.requestID) } ?? next)
        }
    }

    /// A peer has given back an own entry that this node has, too. Whoever has the content has the message, whatever this
    /// node thought; whoever has only the hash was never sent it, unless they have erased it.
    mutating func compare(
        _ content: EntryContent, isErased: Bool, with messageID: MessageID, to recipientID: UserID
    ) {
        switch content {
        case .body where isWithheld(messageID):
            failures[messageID.log]?[messageID.sequence]?.isWithheld = false
            withdrawn.insert(Addressed(messageID: messageID, recipientID: recipientID))
        case .withheld where !isErased && !isWithheld(messageID):
            fail(DeliveryFailure(messageID: messageID, recipientID: recipientID, reason: .cancelled, isWithheld: true))
        case .body, .withheld: break
        }
    }

    /// Messages that did not fail after all, for the next commit.
    mutating func takeWithdrawn() -> [Addressed] {
        defer { withdrawn = [] }
        return withdrawn.sorted { $0.messageID < $1.messageID }
    }

    /// It is not on the disk.
    mutating func writeAgain(_ messages: [Addressed]) { withdrawn.formUnion(messages) }

    // MARK: - A log that comes back

    /// Entries of an own log that came back go into the next commit. They have left this node before.
    /// - Parameters:
    ///   - base: the last entry before the first one of the log, which is that of another branch.
    ///   - isSent: whether a recipient had them; otherwise another device of this node's user.
    mutating func returned(
        _ key: DeliveryKey, _ sequences: ClosedRange<UInt64>, after base: UInt64, isSent: Bool = true
    ) {
        if tracked[key] == nil {
            var start = DeliveryProgress()
            (start.offered, start.sent, start.delivered, start.read, start.handled) = (base, base, base, base, base)
            tracked[key] = Tracked(start)
        }
        let first = min(returned[key]?.lowerBound ?? sequences.lowerBound, sequences.lowerBound)
        returned[key] = first...max(returned[key]?.upperBound ?? 0, sequences.upperBound)
        confirmed(key, through: sequences.upperBound, isSent: isSent)
    }

    /// Of what came back, this device had taken back or given up what bears its mark: no receipt says of that that it was
    /// delivered.
    mutating func returnedMarked(_ entries: [EntryRecord], of logID: LogID, to recipientID: UserID) {
        for entry in entries where !entry.isMissing && !entry.isDeleted {
            guard case .withheld = entry.content else { continue }
            let messageID = MessageID(log: logID, sequence: entry.sequence)
            fail(DeliveryFailure(messageID: messageID, recipientID: recipientID, reason: .cancelled, isWithheld: true))
        }
    }

    /// A peer has entries of an own log up to here: they have left this node.
    /// - Parameter isSent: whether the peer is a recipient.
    mutating func confirmed(_ key: DeliveryKey, through sequence: UInt64, isSent: Bool = true) {
        var target = target(key) ?? DeliveryProgress()
        target.offered = max(target.offered, sequence)
        if isSent { target.sent = max(target.sent, sequence) }
        tracked[key, default: Tracked()].target = target
        unwritten.insert(key)
    }

    // MARK: - What is told

    /// The steps that messages of a log will have made when this progress is on the disk.
    func steps(to new: DeliveryProgress, of key: DeliveryKey) -> [JournalRecord] {
        key.steps(
            from: committed(key) ?? DeliveryProgress(), to: new, failed: failures(in: key.logID),
            returned: returned[key])
    }

    /// The failures that are told when a commit is on the disk: those that no receipt in it has overtaken.
    func told(_ written: [DeliveryFailure], with progress: [WrittenProgress]) -> [JournalRecord] {
        guard !written.isEmpty else { return [] }
        let new = Dictionary(progress.map { ($0.key, $0.value) }) { _, last in last }
        return written.reduce(into: []) { told, failure in
            let (messageID, recipientID) = (failure.messageID, failure.recipientID)
            let key = DeliveryKey(logID: messageID.log, recipientID: recipientID)
            let state = (new[key] ?? committed(key) ?? DeliveryProgress())
                .state(of: messageID.sequence, failure: failure)
            guard case .failed(let reason) = state else { return }
            told.add(.failed(messageID.log, recipientID, reason, messageID.sequence...messageID.sequence))
        }
    }

    /// A failure that its recipient's receipt has overtaken need not be remembered. A withheld message's failure is kept for
    /// ever: anybody who asks for the log again, from however far back, must not get what was withheld. So is one of many
    /// recipients, in the author's row: some of them may have the message, and it has failed all the same. And so is one of a message
    /// that did not count: it may turn out to.
    mutating func forgetSettledFailures(_ key: DeliveryKey, by progress: DeliveryProgress) {
        guard let failed = failures[key.logID] else { return }
        let left = failed.filter {
            $0.value.isWithheld || $0.value.isRemoved || $0.value.recipientID != key.recipientID
                || !progress.holds($0.key)
        }
        failures[key.logID] = left.isEmpty ? nil : left
    }

    /// The event that reports a failure; `nil` if a receipt was first.
    func event(of failure: DeliveryFailure, in conversationID: ConversationID) -> Event? {
        let messageID = failure.messageID
        let key = DeliveryKey(logID: messageID.log, recipientID: failure.recipientID)
        let state = (committed(key) ?? DeliveryProgress()).state(of: messageID.sequence, failure: failure)
        guard case .failed = state else { return nil }
        return .messageFailed(
            MessageStateChange(
                messageID: messageID, conversationID: conversationID, recipientID: failure.recipientID, state: state))
    }

    /// How many messages of a log wait for their recipient's receipt.
    func undelivered(in log: OwnLog) -> UInt64 {
        // What a user's devices tell each other waits for nobody.
        guard log.record.recipientID != log.record.authorID else { return 0 }
        let settled = max(committed(log.deliveryKey)?.delivered ?? 0, log.record.start.sequence)
        let failed = failures[log.record.logID]?.keys.count { $0 > settled } ?? 0
        let done = settled + UInt64(failed)
        return log.head.sequence > done ? log.head.sequence - done : 0
    }
}

extension IncomingLog {
    /// What of everything up to its end is missing. What a branch has before its base is in others.
    fileprivate func lacking(
        _ missing: [LogID: SequenceSet], in logs: Logs, through end: UInt64
    ) -> SequenceSet {
        var lacking = missing[logID] ?? SequenceSet()
        // More may have come that goes to the disk later.
        lacking.removeAll(after: end)
        guard let base, !missing.isEmpty else { return lacking }
        for other in logs.branches(of: description) where other != logID {
            var shared = missing[other] ?? SequenceSet()
            shared.removeAll(after: base.sequence)
            lacking.formUnion(shared)
        }
        return lacking
    }
}

extension DeliveryFailure {
    /// Whether the message did not count, and has left its author all the same.
    fileprivate var isRemoved: Bool { reason == .removed && !isWithheld }
}

extension FailureReason {
    /// Why an author withholds a message.
    static func withheld(expiry: Int64, now: Moment) -> FailureReason {
        expiry <= now.wallClock ? .expired : .cancelled
    }
}

extension OwnLog {
    var deliveryKey: DeliveryKey { DeliveryKey(logID: record.logID, recipientID: record.recipientID) }
}

extension DeliveryProgress {
    /// Whether a receipt says that a device of the recipient holds an entry, body and all.
    func holds(_ sequence: UInt64) -> Bool { sequence <= delivered && !missing.contains(sequence) }

    /// Whether a recipient has said more than before.
    func isFurther(than old: DeliveryProgress) -> Bool {
        delivered > old.delivered || read > old.read || handled > old.handled || missing != old.missing
    }

    /// Accepts a receipt. A recipient whose own database is older than its last receipt may have forgotten some of the
    /// numbers. None goes back, what one device lacks another one may have, and a receipt that does not prove all of it
    /// is not kept.
    /// - Returns: whether it says more than was known.
    mutating func acknowledge(_ receipt: Receipt) -> Bool {
        let end = max(delivered, receipt.sequence)
        let missing = lacking(through: end).intersection(receipt.lacking(through: end))
        guard receipt.saysMore(than: self), missing.ranges.count <= Limits.undeliveredRanges else { return false }
        let saysAll =
            receipt.sequence >= delivered && receipt.readSequence >= read && receipt.handledSequence >= handled
            && receipt.missing == missing
        delivered = end
        read = max(read, receipt.readSequence)
        handled = max(handled, receipt.handledSequence)
        self.missing = missing
        offered = max(offered, delivered)
        sent = max(sent, delivered)
        self.receipt = saysAll ? receipt : nil
        return true
    }

    /// The entries up to a place that it does not show to be held.
    private func lacking(through end: UInt64) -> SequenceSet { missing.adding(delivered, through: end) }
}

extension Receipt {
    /// Whether one of its numbers is higher than what is known, or its device holds a body that none had said to hold.
    func saysMore(than known: DeliveryProgress) -> Bool {
        sequence > known.delivered || readSequence > known.read || handledSequence > known.handled
            || fills(known.missing)
    }

    fileprivate func lacking(through end: UInt64) -> SequenceSet { missing.adding(sequence, through: end) }
}

extension SequenceSet {
    /// With what comes after one place, up to another.
    fileprivate func adding(_ start: UInt64, through end: UInt64) -> SequenceSet {
        guard start < end else { return self }
        return union(SequenceSet(start + 1...end))
    }
}
