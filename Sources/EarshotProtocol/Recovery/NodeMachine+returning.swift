import EarshotModel

/// Giving a peer's own entries back to it: its database may be older than what it has sent.
extension NodeMachine {
    /// One run at a time: the peer asks for the next when it has this one.
    mutating func giveBack(
        _ logID: LogID, from sequence: UInt64, to peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        guard let log = incomingLogs[logID], log.description.deviceID == peer.deviceID, log.authorID == peer.userID,
            sequence <= log.committed.sequence
        else { throw ProtocolError(.violation, "the peer wants entries back that this node does not hold of it") }
        guard let link = links[connectionID], !link.isGivingBack else {
            throw ProtocolError(.violation, "the peer wants more back before it has what it asked for")
        }
        links[connectionID]?.isGivingBack = true
        links[connectionID]?.postponedReturn = EntriesRead(
            connectionID: connectionID, purpose: .givingBack, logID: logID, from: sequence,
            countLimit: Limits.entriesPerFrame, byteLimit: Self.longestFrame)
        readPostponed(on: connectionID, now: now)
    }

    /// Reads what peers have asked for, as soon as they may have more.
    mutating func readPostponed(now: Moment) {
        for connectionID in openConnections { readPostponed(on: connectionID, now: now) }
    }

    private mutating func readPostponed(on connectionID: ConnectionID, now: Moment) {
        guard let link = links[connectionID], let read = link.postponedReturn, let peer = link.peer else { return }
        guard !returnBudgets.isExceeded(by: peer.userID, now: now.uptime) else {
            wake(by: now.uptime + Timing.returnPause)
            return
        }
        links[connectionID]?.postponedReturn = nil
        emit(.read(read))
    }

    /// What the entries of the largest frame may count: so many that the end of the frame in which they came is among
    /// them, and with it a checkpoint of their author.
    private static let longestFrame = Limits.frameBytes + Limits.entriesPerFrame * Limits.entryOverheadBytes

    mutating func givingBackRead(_ read: EntriesRead, entries: [EntryRecord], now: Moment) {
        guard let log = incomingLogs[read.logID], let peer = peer(on: read.connectionID) else { return }
        links[read.connectionID]?.isGivingBack = false
        guard let end = Self.provableEnd(of: entries), let checkpoint = entries[end].checkpoint else {
            let error = ProtocolError(.storage, "no checkpoint proves the entries from \(read.from) on")
            close(read.connectionID, .storageFailure, error: error, now: now)
            return
        }
        let frame = EntriesFrame(
            log: log.description, firstSequence: read.from, contents: entries[...end].map(\.content),
            checkpoint: checkpoint,
            deleted: entries[...end].reduce(into: [:]) { if $1.isDeleted { $0[$1.sequence] = $1.timestamp } })
        returnBudgets.charge(bytes: Self.cost(of: entries, given: end), to: peer.userID, now: now.uptime)
        send(.entries(frame), on: read.connectionID)
    }

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
