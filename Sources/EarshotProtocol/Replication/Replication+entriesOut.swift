import EarshotCrypto
import EarshotModel

extension Replication {
    mutating func pumpLinks(of logID: LogID) {
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
    func owes(_ branch: LogID, to userID: UserID) -> (UInt64, EntryKind) -> Bool {
        guard
            let (log, authorID) = logs.own(branch).map({ ($0.description, author.userID) })
                ?? logs.incoming(branch).map({ ($0.description, $0.authorID) }),
            conversations.privates.mayWithhold(in: log.conversationID)
        else { return { _, _ in true } }
        let privates = conversations.privates
        return { privates.owes($0, $1, of: branch, by: authorID, in: log, to: userID) }
    }

    /// It is on the disk that entries may go out: sends them.
    mutating func sendOffered(_ log: OwnLog, on connectionID: ConnectionID, now: Moment) {
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
}
