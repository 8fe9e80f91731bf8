import EarshotCrypto
import EarshotModel

extension Replication {
    /// A peer wants a branch of a log.
    mutating func receivedWanted(_ wanted: WantedFrame, on connectionID: ConnectionID) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        let branches = logs.branches(of: wanted.log).filter { logs.incoming($0) != nil }
        let access = access(to: wanted.log.conversationID, of: session)
        let isShared = common(wanted.log.conversationID, with: session) != nil
        guard let end = access.end(of: wanted.log), wanted.end.sequence <= end,
            isShared || !isOfMany(wanted.log.conversationID)
        else {
            // The peer need not know yet that they are not to have it, or that this node's user has left.
            actions.append(.credit(-1, connectionID))
            return
        }
        guard isShared, !branches.isEmpty else {
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

    mutating func advanceGiving(clocks: inout ClockMachine, now: Moment) {
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

    mutating func readToGive(_ read: EntriesRead, _ entries: [EntryRecord], now: Moment) {
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
}
