import EarshotModel

/// Giving peers their own entries back: their databases may be older than what they have sent.
///
/// It decides when a peer may have more, and which entries a frame holds: one run at a time, and the peer asks for the
/// next when it has this one.
struct GivingBack: Sendable {
    private enum State {
        /// The read waits until the peer may have more.
        case postponed(EntriesRead)
        case reading
    }

    private var links: [ConnectionID: State] = [:]
    private var budgets = ReturnBudgets()

    /// What the entries of the largest frame may count: so many that the end of the frame in which they came is among
    /// them, and with it a checkpoint of their author.
    private static let longestFrame = Limits.frameBytes + Limits.entriesPerFrame * Limits.entryOverheadBytes

    /// Links whose peers wait for more, ascending.
    var waiting: [ConnectionID] {
        links.keys.filter { if case .postponed = links[$0] { true } else { false } }.sorted()
    }

    /// A peer wants entries of its own back, from one on.
    mutating func add(
        _ log: IncomingLog?, from sequence: UInt64, session: ReplicationSession
    ) throws(ProtocolError) {
        guard let log, log.description.deviceID == session.deviceID, log.authorID == session.userID,
            sequence <= log.committed.sequence
        else { throw ProtocolError(.violation, "the peer wants entries back that this node does not hold of it") }
        guard links[session.connectionID] == nil else {
            throw ProtocolError(.violation, "the peer wants more back before it has what it asked for")
        }
        links[session.connectionID] = .postponed(
            EntriesRead(
                connectionID: session.connectionID, purpose: .givingBack, logID: log.description.logID,
                from: sequence, countLimit: Limits.entriesPerFrame, byteLimit: Self.longestFrame))
    }

    /// What the store is to be asked for, as soon as a user may have more.
    mutating func takeRead(on connectionID: ConnectionID, to userID: UserID, now: Moment) -> EntriesRead? {
        guard case .postponed(let read) = links[connectionID], !budgets.isExceeded(by: userID, now: now.uptime)
        else { return nil }
        links[connectionID] = .reading
        return read
    }

    /// The store's answer.
    /// - Throws: `ProtocolError` `storage` where no checkpoint proves it.
    mutating func frame(
        of entries: [EntryRecord], _ read: EntriesRead, log: IncomingLog, to userID: UserID, now: Moment
    ) throws(ProtocolError) -> EntriesFrame {
        links[read.connectionID] = nil
        guard let end = Self.provableEnd(of: entries), let checkpoint = entries[end].checkpoint else {
            throw ProtocolError(.storage, "no checkpoint proves the entries from \(read.from) on")
        }
        budgets.charge(bytes: Self.cost(of: entries, given: end), to: userID, now: now.uptime)
        return EntriesFrame(
            log: log.description, firstSequence: read.from, contents: entries[...end].map(\.content),
            checkpoint: checkpoint,
            deleted: entries[...end].reduce(into: [:]) { if $1.isDeleted { $0[$1.sequence] = $1.timestamp } })
    }

    mutating func end(on connectionID: ConnectionID) { links[connectionID] = nil }

    /// What is read is four times what an ordinary frame takes: a peer whose checkpoints stand so that little of it can be
    /// given pays for a quarter all the same.
    private static func cost(of entries: [EntryRecord], given end: Int) -> Int {
        let given = entries[...end].reduce(0) { $0 + $1.windowBytes }
        return max(given, entries.reduce(0) { $0 + $1.windowBytes } / 4)
    }

    /// The last entry with a checkpoint that a frame of ordinary size has room for, or the first one at all.
    private static func provableEnd(of entries: [EntryRecord]) -> Int? {
        var end: Int?
        var bytes = 0
        for (index, entry) in entries.enumerated() {
            bytes += entry.windowBytes
            if bytes > Limits.entriesFrameBytes, end != nil { break }
            if entry.checkpoint != nil { end = index }
        }
        return end
    }
}
