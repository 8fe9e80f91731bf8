import EarshotModel

/// What goes over one link to a peer's device: which of this node's logs it carries, how far each has gone out, and how
/// much of the window is in use.
///
/// It decides what to read from the store next, and which entries make a frame. It knows nothing of other links, and
/// leaves the states of messages to `Deliveries`.
struct ReplicationSession: Sendable {
    let connectionID: ConnectionID
    let userID: UserID
    let deviceID: DeviceID
    /// Whether the peer has said what it holds; nothing is sent before that.
    private(set) var hasHeads = false
    private var outgoing: [LogID: OutgoingLog] = [:]
    /// The logs of conversations of many that go over the link.
    private var carried: [ConversationID: Set<LogID>] = [:]
    /// What of private conversations may go over the link.
    private var accesses: [ConversationID: ConversationAccess] = [:]
    /// Own logs, by the id that their branches share, of which it is not known yet where the peer's end is.
    private var undecided: Set<LogID> = []
    /// Receipts for what this node does not have yet, by log: the last few.
    private var early: [LogID: [Receipt]] = [:]
    /// The peer's receipts for branches in conversations to which nobody has heard yet that its user belongs.
    private var premature: [LogID: Receipt] = [:]
    /// Conversations that are compared with the peer's.
    private(set) var sharing: Sharing
    /// The log that was read last: the others come first.
    private var lastRead: LogID?
    /// Bytes of entries that were sent and not acknowledged.
    private(set) var windowUsed = 0
    /// Logs of which entries were skipped, so that what follows them does not fit.
    private var skipped: Set<LogID> = []
    /// Bytes of entries that came again because the disk did not yet have those from an earlier link.
    private var repeatedBytes = 0

    init(connectionID: ConnectionID, userID: UserID, deviceID: DeviceID, sharing: Sharing = Sharing()) {
        self.connectionID = connectionID
        self.userID = userID
        self.deviceID = deviceID
        self.sharing = sharing
    }

    private var windowRoom: Int { max(0, Limits.windowBytes - windowUsed) }

    // MARK: - Which logs

    func log(_ logID: LogID) -> OutgoingLog? { outgoing[logID] }

    /// Begins to send a branch behind a place up to which the peer has it.
    mutating func open(_ log: OwnLog, after place: Place) {
        guard end(of: log.description) != nil else { return }
        outgoing[log.record.logID] = OutgoingLog(after: place)
        if log.record.conversation.kind != .direct {
            carried[log.description.conversationID, default: []].insert(log.record.logID)
        }
    }

    /// Begins to send a branch that the peer does not have, unless it is not known yet what the peer has of the log.
    mutating func openIfNew(_ log: OwnLog) {
        guard outgoing[log.record.logID] == nil, !undecided.contains(log.description.logID) else { return }
        open(log, after: log.record.start.place)
    }

    /// Nothing more of a conversation goes over the link, and nothing of it is acknowledged any more.
    mutating func drop(_ conversationID: ConversationID) {
        for logID in carried.removeValue(forKey: conversationID) ?? [] { close(logID) }
        sharing.drop(conversationID)
    }

    private mutating func close(_ logID: LogID) {
        windowUsed -= outgoing.removeValue(forKey: logID)?.unacknowledgedBytes ?? 0
    }

    /// Says what of a private conversation may go over the link from now on: the rest stops.
    /// - Returns: whether that is another than before.
    mutating func allow(_ access: ConversationAccess, in conversationID: ConversationID, logs: Logs) -> Bool {
        guard accesses[conversationID] != access else { return false }
        accesses[conversationID] = access
        for logID in carried[conversationID] ?? [] {
            guard let log = logs.own(logID), let end = access.end(of: log.description) else {
                carried[conversationID]?.remove(logID)
                close(logID)
                continue
            }
            // What is on its way to the link may be more than that.
            if end < log.head.sequence { outgoing[logID]?.takeBackOffer() }
            outgoing[logID]?.discardReading()
        }
        return true
    }

    /// What both ends hold of a conversation is to be compared anew.
    mutating func restart(_ conversationID: ConversationID) { sharing.restart(conversationID) }

    /// How much of a log may go over the link; `nil` for nothing.
    private func end(of log: LogDescription) -> UInt64? {
        accesses[log.conversationID].map { $0.end(of: log) } ?? .max
    }

    /// It is not known where the peer's end of a log is: nothing more of it is sent.
    mutating func shut(_ log: LogDescription, branches: [LogID]) {
        undecided.insert(log.logID)
        for branch in branches { close(branch) }
    }

    /// It is known where the peer's end of a log is.
    mutating func decide(_ log: LogDescription) { undecided.remove(log.logID) }

    func isUndecided(_ log: LogDescription) -> Bool { undecided.contains(log.logID) }

    /// The peer has said everything that it holds.
    mutating func receivedAllHeads() { hasHeads = true }

    // MARK: - Conversations in common

    /// The peer says what it holds of one.
    /// - Returns: whether there was room to note it.
    mutating func heard(_ digest: ConversationDigest) -> Bool { sharing.heard(digest) }

    mutating func revealed(_ conversationID: ConversationID) { sharing.revealed(conversationID) }

    /// The peer is told of one that it need not know.
    mutating func told(_ conversationID: ConversationID) { sharing.told(conversationID) }

    /// Messages of a conversation that came from the peer are not taken.
    mutating func refuse(_ conversationID: ConversationID) { sharing.refuse(conversationID) }

    /// Compares that with what this node holds now.
    mutating func compare(_ conversationID: ConversationID, with mine: HeadsHash) -> Sharing.Step {
        sharing.compare(conversationID, with: mine)
    }

    /// The peer has said all that it holds of one.
    /// - Returns: whether it is to be told the same of this node.
    mutating func heardHeads(of conversationID: ConversationID, asks: Bool) -> Bool {
        sharing.heardHeads(of: conversationID, asks: asks)
    }

    /// - Returns: whether the peer is to be given the receipts of a conversation.
    mutating func differs(
        _ conversationID: ConversationID, with mine: HeadsHash, _ progress: ProgressHash
    ) -> Bool { sharing.differs(conversationID, with: mine, progress) }

    /// Chooses those of the receipts that the peer was not given when it could keep them.
    mutating func takeUngiven(_ receipts: [Receipt], of conversationID: ConversationID, mine: HeadsHash) -> [Receipt] {
        sharing.takeUngiven(receipts, of: conversationID, mine: mine)
    }

    // MARK: - Entries out

    /// The next read from the store. It reads one log at a time, so that no two logs count on the same room.
    mutating func nextRead(
        logs: Logs, deliveries: Deliveries, isHeld: (ConversationID) -> Bool
    ) -> EntriesRead? {
        guard hasHeads, windowRoom > 0, outgoing.values.allSatisfy(\.isIdle) else { return nil }
        let sorted = outgoing.keys.sorted()
        let start = lastRead.flatMap { last in sorted.firstIndex { $0 > last } } ?? 0
        for logID in sorted[start...] + sorted[..<start] {
            guard let next = outgoing[logID], !deliveries.hasPendingFailures(in: logID), let log = logs.own(logID),
                let end = end(of: log.description).map({ min($0, log.head.sequence) }), next.canRead(through: end),
                hasGone(before: log, logs), !isHeld(log.description.conversationID),
                deliveries.haveOfferedControls(before: log.description, logs)
            else { continue }
            outgoing[logID]?.beginReading()
            lastRead = logID
            return EntriesRead(
                connectionID: connectionID, purpose: .sending, logID: logID, from: next.next,
                countLimit: Int(min(UInt64(Limits.entriesPerFrame), end - next.next + 1)),
                byteLimit: min(windowRoom, Limits.entriesFrameBytes))
        }
        return nil
    }

    /// Whether the peer has, or was sent, the entry behind which a branch parts. A branch comes after the one that it parts
    /// from, so the earlier ones go that far first.
    private func hasGone(before log: OwnLog, _ logs: Logs) -> Bool {
        guard let base = log.record.base, outgoing[log.record.logID]?.before == base.place else { return true }
        return logs.branches(of: log.description).prefix { $0 != log.record.logID }.allSatisfy { branch in
            guard let earlier = outgoing[branch], let head = logs.own(branch)?.head else { return true }
            return earlier.before.sequence >= min(base.sequence, head.sequence)
        }
    }

    /// The store has answered.
    /// - Returns: whether the answer is still wanted.
    mutating func endReading(_ read: EntriesRead) -> Bool {
        guard let log = outgoing[read.logID] else { return false }
        outgoing[read.logID]?.becomeIdle()
        return log.isReading(from: read.from)
    }

    /// What is being read of a log must be read again.
    mutating func discardReading(of logID: LogID) { outgoing[logID]?.discardReading() }

    /// Entries go out when the disk says that they may.
    mutating func offer(_ entries: [EntryRecord], of logID: LogID) { outgoing[logID]?.offer(entries) }

    /// New entries go out with their commit, if everything before was sent and the window has room.
    /// - Returns: whether they do.
    mutating func offerNew(_ entries: [EntryRecord], bytes: Int, of record: LogRecord) -> Bool {
        let start = OutgoingLog(after: record.start.place)
        guard hasHeads, end(of: record.description) == .max, !undecided.contains(record.description.logID),
            let first = entries.first, windowRoom >= bytes, record.base == nil || outgoing[record.logID] != nil,
            (outgoing[record.logID] ?? start).canContinue(at: first.sequence)
        else { return false }
        if outgoing[record.logID] == nil { open(OwnLog(record: record), after: record.start.place) }
        outgoing[record.logID]?.offer(entries)
        return true
    }

    /// The disk does not say that entries may leave: they are forgotten, and read from the store again later.
    mutating func takeBackOffers() {
        for logID in Array(outgoing.keys) { outgoing[logID]?.takeBackOffer() }
    }

    /// Frames of limited size with the entries of a log that may leave now.
    /// - Parameters:
    ///   - committed: up to here the disk says that they may.
    ///   - failed: the failures of the log; of a withheld message only the hash leaves.
    ///   - owes: whether the peer's user may have the content of an entry.
    /// - Returns: the frames, and the last entry in them; `nil` if there is nothing.
    mutating func takeFrames(
        of log: OwnLog, committed: UInt64, failed: [UInt64: DeliveryFailure], author: LogAuthor,
        unreached: [UserID] = [], owes: (UInt64, EntryKind) -> Bool = { _, _ in true }
    ) -> (frames: [EntriesFrame], through: UInt64)? {
        let logID = log.record.logID
        guard let entries = outgoing[logID]?.takeOffered(committed: committed), let last = entries.last
        else { return nil }
        var frames: [EntriesFrame] = []
        var start = 0
        let sizes = entries.indices.map { entries.span[$0].content.windowBytes }
        while start < entries.count, let before = outgoing[logID]?.before {
            var end = start
            var bytes = 0
            repeat {
                bytes += sizes[end]
                end += 1
            } while end < entries.count && end - start < log.description.kind.entriesPerFrame
                && bytes + sizes[end] <= Limits.entriesFrameBytes
            var frame = frame(of: entries[start..<end], after: before, log: log, failed: failed, author: author, owes)
            frame.unreached = unreached
            frames.append(frame)
            outgoing[logID]?.sent(through: entries[end - 1].sequence, chain: entries[end - 1].chain, bytes: bytes)
            windowUsed += bytes
            start = end
        }
        return (frames, last.sequence)
    }

    private func frame(
        of entries: ArraySlice<EntryRecord>, after before: Place, log: OwnLog, failed: [UInt64: DeliveryFailure],
        author: LogAuthor, _ owes: (UInt64, EntryKind) -> Bool
    ) -> EntriesFrame {
        let last = entries[entries.endIndex - 1]
        var marks: [UInt64: Signature] = [:]
        let contents = entries.indices.map { index -> EntryContent in
            let (content, failure) = (entries[index].content, failed[entries[index].sequence])
            if case .body = content, failure?.isWithheld != true {
                return owes(entries[index].sequence, entries[index].kind) ? content : .withheld(content.hash)
            }
            if log.withholds(entries[index], failure) {
                marks[entries[index].sequence] = log.mark(of: entries[index], by: author)
            }
            return .withheld(content.hash)
        }
        let checkpoint =
            last.checkpoint
            ?? Checkpoint.sign(
                logID: log.description.logID, sequence: last.sequence, chain: last.chain, with: author.signingKey)
        return EntriesFrame(
            log: log.description, firstSequence: entries[entries.startIndex].sequence, previousChain: before.chain,
            contents: contents, checkpoint: checkpoint, marks: marks)
    }

    // MARK: - Receipts in

    /// - Parameter isParted: whether the log has other branches: what was said of them says nothing of this one.
    /// - Returns: whether a receipt for a branch says anything new.
    mutating func hear(_ receipt: Receipt, for log: OwnLog, known: DeliveryProgress, isParted: Bool) -> Bool {
        let branch = log.record.logID
        // What does not go over this link was heard of elsewhere; and what waits until the peer's end is known is heard again then.
        guard !isUndecided(log.description), let isNews = outgoing[branch]?.hear(receipt, known: known) else {
            return receipt.saysMore(than: known)
        }
        guard isParted, !isNews, chain(of: log, at: receipt.sequence) == receipt.chain else { return isNews }
        return receipt.saysMore(than: known) || outgoing[branch]?.chain(at: receipt.sequence) != nil
    }

    /// The chain hash that a branch has at a place; `nil` if only the disk knows.
    func chain(of log: OwnLog, at sequence: UInt64) -> ChainHash? {
        sequence == log.head.sequence ? log.head.chain : outgoing[log.record.logID]?.chain(at: sequence)
    }

    /// The peer has everything of a branch up to the place of a receipt.
    mutating func acknowledged(_ receipt: Receipt, of branch: LogID) {
        windowUsed -= outgoing[branch]?.acknowledged(through: receipt.place) ?? 0
    }

    /// A receipt for what this node may get back: it counts when it is here.
    mutating func keep(_ receipt: Receipt) {
        guard early.count < Limits.logsPerHeads || early[receipt.logID] != nil else { return }
        early[receipt.logID, default: []].removeAll { $0.chain == receipt.chain && $0.deviceID == receipt.deviceID }
        early[receipt.logID, default: []].append(receipt)
        if early[receipt.logID, default: []].count > Limits.branchesPerLog { early[receipt.logID]?.removeFirst() }
    }

    func hasEarlyReceipts(for logID: LogID) -> Bool { early[logID] != nil }

    mutating func takeEarlyReceipts(for log: LogDescription) -> [Receipt] {
        early.removeValue(forKey: log.logID) ?? []
    }

    /// A receipt of somebody who is not known to belong to the conversation: it counts when they are.
    mutating func keep(_ receipt: Receipt, of branch: LogID) {
        guard premature.count < Limits.logsPerHeads || premature[branch] != nil else { return }
        // One that was compared with the disk comes after a later one that was not.
        if let later = premature[branch], later.sequence > receipt.sequence { return }
        premature[branch] = receipt
    }

    mutating func takePrematureReceipt(for branch: LogID) -> Receipt? { premature.removeValue(forKey: branch) }

    // MARK: - Entries in

    /// Nothing more of a log is taken on this link.
    /// - Returns: whether there was room to note it.
    mutating func skip(_ logID: LogID) -> Bool {
        guard skipped.count < Limits.skippedLogsPerLink || skipped.contains(logID) else { return false }
        skipped.insert(logID)
        return true
    }

    func isSkipping(_ logID: LogID) -> Bool { skipped.contains(logID) }

    /// A peer cannot know that entries from its last link came but are not on the disk yet. It sends them again, and is
    /// not charged for them, up to a window.
    mutating func excuse(_ bytes: Int) -> Bool {
        guard repeatedBytes + bytes <= Limits.windowBytes else { return false }
        repeatedBytes += bytes
        return true
    }
}

extension Receipt {
    /// Whether the device holds the body of an entry that none had said to hold.
    func fills(_ missing: SequenceSet) -> Bool {
        missing.ranges.contains { range in
            range.lowerBound <= sequence
                && !SequenceSet(range.lowerBound...min(range.upperBound, sequence)).subtracting(self.missing).isEmpty
        }
    }

    var place: Place { Place(sequence: sequence, chain: chain) }

    /// - Throws: `ProtocolError` `unauthentic`.
    func authenticate() throws(ProtocolError) {
        guard isAuthentic else {
            throw ProtocolError(.unauthentic, "a receipt is not signed by the peer's device")
        }
    }
}
