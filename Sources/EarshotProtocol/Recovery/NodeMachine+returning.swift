import EarshotModel

/// Giving a peer's own entries back to it: its database may be older than what it has sent.
extension NodeMachine {
    /// One run at a time: the peer asks for the next when it has this one.
    mutating func giveBack(
        _ logID: LogID, from sequence: UInt64, to peer: LinkPeer, on connectionID: ConnectionID
    ) throws(ProtocolError) {
        guard let log = incomingLogs[logID], log.description.deviceID == peer.deviceID, log.authorID == peer.userID,
            sequence <= log.committed.sequence
        else { throw ProtocolError(.violation, "the peer wants entries back that this node does not hold of it") }
        guard links[connectionID]?.isGivingBack == false else {
            throw ProtocolError(.violation, "the peer wants more back before it has what it asked for")
        }
        links[connectionID]?.isGivingBack = true
        emit(
            .read(
                EntriesRead(
                    connectionID: connectionID, purpose: .givingBack, logID: logID, from: sequence,
                    countLimit: Limits.entriesPerFrame, byteLimit: Self.longestFrame)))
    }

    /// What the entries of the largest frame may count: so many that the end of the frame in which they came is among
    /// them, and with it a checkpoint of their author.
    private static let longestFrame = Limits.frameBytes + Limits.entriesPerFrame * Limits.entryOverheadBytes

    mutating func givingBackRead(_ read: EntriesRead, entries: [EntryRecord], now: Moment) {
        guard let log = incomingLogs[read.logID], links[read.connectionID] != nil else { return }
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
        links[read.connectionID]?.machine.enqueue(.entries(frame))
        linksToFlush.insert(read.connectionID)
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
