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
    /// Bytes of entries that were sent and not acknowledged.
    private(set) var windowUsed = 0
    /// Bytes of entries that came again because the disk did not yet have those from an earlier link.
    private var repeatedBytes = 0

    init(connectionID: ConnectionID, userID: UserID, deviceID: DeviceID) {
        self.connectionID = connectionID
        self.userID = userID
        self.deviceID = deviceID
    }

    private var windowRoom: Int { max(0, Limits.windowBytes - windowUsed) }

    // MARK: - Which logs

    func log(_ logID: LogID) -> OutgoingLog? { outgoing[logID] }

    /// Begins to send a log from an entry on.
    mutating func open(_ logID: LogID, next: UInt64 = 1) { outgoing[logID] = OutgoingLog(next: next) }

    /// Begins to send a log that the peer does not have.
    mutating func openIfNew(_ logID: LogID) {
        if outgoing[logID] == nil { open(logID) }
    }

    /// Sends nothing more of a log.
    mutating func shut(_ logID: LogID) { outgoing[logID] = nil }

    /// The peer has said everything that it holds.
    mutating func receivedAllHeads() { hasHeads = true }

    // MARK: - Entries out

    /// The next read from the store. It reads one log at a time, so that no two logs count on the same room.
    mutating func nextRead(logs: Logs, deliveries: Deliveries) -> EntriesRead? {
        guard hasHeads, windowRoom > 0, outgoing.values.allSatisfy(\.isIdle) else { return nil }
        for logID in outgoing.keys.sorted() {
            guard let next = outgoing[logID], !deliveries.hasPendingFailures(in: logID), let log = logs.own(logID),
                next.canRead(through: log.head.sequence)
            else { continue }
            outgoing[logID]?.beginReading()
            return EntriesRead(
                connectionID: connectionID, purpose: .sending, logID: logID, from: next.next,
                countLimit: Limits.entriesPerFrame, byteLimit: min(windowRoom, Limits.entriesFrameBytes))
        }
        return nil
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
    mutating func offerNew(_ entries: [EntryRecord], bytes: Int, of logID: LogID) -> Bool {
        guard hasHeads, let first = entries.first, windowRoom >= bytes,
            (outgoing[logID] ?? OutgoingLog(next: 1)).canContinue(at: first.sequence)
        else { return false }
        outgoing[logID, default: OutgoingLog(next: 1)].offer(entries)
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
    /// - Returns: the frames, and the last entry in them; `nil` if there is nothing.
    mutating func takeFrames(
        of log: OwnLog, committed: UInt64, failed: [UInt64: DeliveryFailure], author: LogAuthor
    ) -> (frames: [EntriesFrame], through: UInt64)? {
        let logID = log.record.logID
        guard let entries = outgoing[logID]?.takeOffered(committed: committed), let last = entries.last
        else { return nil }
        var frames: [EntriesFrame] = []
        var start = 0
        while start < entries.count {
            var end = start
            var bytes = 0
            repeat {
                bytes += entries[end].windowBytes
                end += 1
            } while end < entries.count && end - start < Limits.entriesPerFrame
                && bytes + entries[end].windowBytes <= Limits.entriesFrameBytes
            frames.append(frame(of: entries[start..<end], log: log, failed: failed, author: author))
            outgoing[logID]?.sent(through: entries[end - 1].sequence, chain: entries[end - 1].chain, bytes: bytes)
            windowUsed += bytes
            start = end
        }
        return (frames, last.sequence)
    }

    private func frame(
        of entries: ArraySlice<EntryRecord>, log: OwnLog, failed: [UInt64: DeliveryFailure], author: LogAuthor
    ) -> EntriesFrame {
        let last = entries[entries.endIndex - 1]
        var marks: [UInt64: Signature] = [:]
        let contents = entries.map { entry -> EntryContent in
            if case .body = entry.content, failed[entry.sequence]?.isWithheld != true { return entry.content }
            let hash = entry.content.hash
            marks[entry.sequence] = WithheldMark.sign(
                logID: log.record.logID, sequence: entry.sequence, hash: hash, with: author.signingKey)
            return .withheld(hash)
        }
        let checkpoint =
            last.checkpoint
            ?? Checkpoint.sign(
                logID: log.record.logID, sequence: last.sequence, chain: last.chain, with: author.signingKey)
        return EntriesFrame(
            log: log.description, firstSequence: entries[entries.startIndex].sequence, contents: contents,
            checkpoint: checkpoint, marks: marks)
    }

    // MARK: - Receipts in

    /// What follows from a receipt.
    enum Verdict: Sendable {
        /// It acknowledges nothing, or waits for what the store says of an earlier one.
        case nothing
        /// Only the store knows the chain hash at its place.
        case ask(EntriesRead)
        /// The peer has everything up to its place.
        case acknowledged
        /// The peer holds other entries than this node has sent.
        case differs
    }

    /// - Returns: whether a receipt says anything new.
    mutating func hear(_ receipt: Receipt, known: DeliveryProgress) -> Bool {
        outgoing[receipt.logID]?.hear(receipt, known: known) == true
    }

    /// Holds a receipt against the chain of this node's own log.
    /// - Parameter offered: up to here entries of the log may have left this node.
    /// - Throws: `ProtocolError` `unauthentic`.
    mutating func check(_ receipt: Receipt, of log: OwnLog, offered: UInt64) throws(ProtocolError) -> Verdict {
        guard receipt.sequence > 0 else { return .nothing }
        try receipt.authenticate()
        guard receipt.sequence <= offered else { return .differs }
        let chain =
            receipt.sequence == log.head.sequence
            ? log.head.chain : outgoing[receipt.logID]?.chain(at: receipt.sequence)
        if let chain { return compare(receipt, with: chain) }
        guard outgoing[receipt.logID]?.question(receipt) == true else { return .nothing }
        return .ask(readOfChain(at: receipt))
    }

    /// The store has said what the chain hash at the place of a receipt is; `nil` if it has no such entry.
    mutating func compare(_ receipt: Receipt, with chain: ChainHash?) -> Verdict {
        outgoing[receipt.logID]?.answered(receipt)
        guard chain == receipt.chain else { return .differs }
        windowUsed -= outgoing[receipt.logID]?.acknowledged(through: receipt.sequence) ?? 0
        return .acknowledged
    }

    /// What is to be asked about a receipt that came while the store was asked about an earlier one.
    func nextQuestion(of logID: LogID) -> EntriesRead? { outgoing[logID]?.nextQuestion.map(readOfChain) }

    private func readOfChain(at receipt: Receipt) -> EntriesRead {
        EntriesRead(
            connectionID: connectionID, purpose: .checking(receipt), logID: receipt.logID, from: receipt.sequence,
            countLimit: 1, byteLimit: 0)
    }

    // MARK: - Entries in

    /// A peer cannot know that entries from its last link came but are not on the disk yet. It sends them again, and is
    /// not charged for them, up to a window.
    mutating func excuse(_ bytes: Int) -> Bool {
        guard repeatedBytes + bytes <= Limits.windowBytes else { return false }
        repeatedBytes += bytes
        return true
    }
}

extension Receipt {
    /// - Throws: `ProtocolError` `unauthentic`.
    func authenticate() throws(ProtocolError) {
        guard isAuthentic else {
            throw ProtocolError(.unauthentic, "a receipt is not signed by the peer's device")
        }
    }
}
