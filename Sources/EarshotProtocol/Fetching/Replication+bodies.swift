import EarshotCrypto
import EarshotModel

extension Replication {
    /// A peer wants bodies of entries that it holds without them.
    mutating func receivedWantedBodies(
        _ wanted: WantedBodiesFrame, on connectionID: ConnectionID
    ) {
        actions.append(.credit(-1, connectionID))
        guard let session = sessions[connectionID], common(wanted.log.conversationID, with: session) != nil,
            access(to: wanted.log.conversationID, of: session).end(of: wanted.log) == .max
        else { return }
        giving.begin(wanted, on: connectionID)
    }

    /// Of the branches of the log one has the place that the peer has named.
    mutating func readBodies(
        _ wanted: WantedBodiesFrame, _ chains: [LogID: [UInt64: ChainHash]], on connectionID: ConnectionID
    ) {
        let branch = chains.keys.sorted().first { logID in
            chains[logID]?[wanted.first.sequence] == wanted.first.chain
                && logs.own(logID).map { wanted.last <= offered($0) } ?? true
        }
        guard let branch else {
            let none = BodiesFrame(logID: wanted.log.logID, first: wanted.first, contents: [], marks: [:])
            actions.append(.send(.bodies(none), connectionID))
            return
        }
        actions.append(
            .read(
                EntriesRead(
                    connectionID: connectionID, purpose: .givingBodies(wanted), logID: branch,
                    from: wanted.first.sequence, countLimit: Limits.bodiesPerQuestion,
                    byteLimit: Limits.entriesFrameBytes)))
    }

    mutating func giveBodies(
        _ wanted: WantedBodiesFrame, _ entries: [EntryRecord], _ read: EntriesRead, now: Moment
    ) {
        guard let connectionID = read.connectionID, let (userID, _) = sessions.peer(on: connectionID) else { return }
        let own = logs.own(read.logID)
        let (author, failed) = (author, deliveries.failures(in: read.logID))
        let owes = owes(read.logID, to: userID)
        // One's own devices show what one has cancelled, too.
        let givesWithheld = wanted.withWithheld && userID == author.userID
        var frame = giving.answer(wanted, with: entries, to: userID, now: now) { entry in
            let isForAll = entry.mark == nil && failed[entry.sequence]?.isWithheld != true
            if case .body = entry.content, givesWithheld || isForAll {
                return owes(entry.sequence, entry.kind) ? (entry.content, nil) : (.withheld(entry.content.hash), nil)
            }
            guard let own else { return (.withheld(entry.content.hash), entry.mark) }
            let isWithheld = own.withholds(entry, failed[entry.sequence])
            return (.withheld(entry.content.hash), isWithheld ? own.mark(of: entry, by: author) : nil)
        }
        if givesWithheld { frame.failures = failed.filter(\.value.isWithheld).mapValues(\.reason) }
        actions.append(.send(.bodies(frame), connectionID))
    }

    /// A peer gives bodies that this node has asked for.
    mutating func receivedBodies(_ frame: BodiesFrame, on connectionID: ConnectionID, trust: TrustMachine) {
        guard let session = sessions[connectionID],
            case (let logID, var entries)? = fetching.bodies.take(frame, on: connectionID),
            let log = logs.proved(logID),
            let conversation = conversations.record(log.description.conversationID)
                ?? logs.conversations[log.description.conversationID]
        else {
            actions.append(.credit(-1, connectionID))
            return
        }
        let bytes = entries.windowBytes
        guard !entries.isEmpty,
            hasRoom(for: bytes, of: log.authorID, in: log.description, on: session, trust: trust)
        else { return }
        actions.append(.credit(1 + bytes / Limits.requestBytes, connectionID))
        logs.grew(logID, by: bytes)
        let isOwn = logs.own(logID) != nil
        if !isOwn {
            entries.silenceMisplaced(in: log.description, of: conversation)
            conversations.cuts.judge(&entries, of: log, conversations.showings)
        }
        if conversation.kind == .private {
            conversations.privates.judgeFound(&entries, of: log, conversations.showings, isOwn: isOwn)
        }
        if !isOwn { conversations.silent.insert(entries.records, of: log) }
        logs.note(timesOf: entries, in: logID)
        fetching.bodies.add(
            MissingBodies.Found(
                logID: logID, conversation: conversation, authorID: log.authorID, entries: entries,
                failures: self.isOwn(session) ? frame.failures : [:]))
    }

    mutating func advanceBodies(now: Moment) {
        guard !fetching.bodies.isEmpty else { return }
        let (sessions, logs, author) = (sessions, logs, author)
        let reads = fetching.bodies.advance(now: now, ownLinks: Set(ownLinks)) { log in
            // The author has what nobody else may have: the mark of what it withholds.
            let conversation = logs.conversations[log.conversationID]
            let peerID = conversation?.kind == .direct ? conversation?.peerID(of: author.userID) : nil
            let carriers = sessions.carriers(of: log.conversationID, with: peerID)
            let writer = sessions[log.deviceID].map { [$0] } ?? []
            return writer.filter(carriers.contains) + carriers.filter { !writer.contains($0) }
        }
        for read in reads { actions.append(.read(read)) }
    }

    /// Bodies that came go into a commit, and count in its receipts.
    mutating func takeBodies(into next: inout CommitInFlight, now: Moment) {
        let runs = runs
        next.bodies = fetching.bodies.takeFound(where: runs.isWaiting)
        for found in next.bodies {
            let isOwn = logs.own(found.logID) != nil
            let records = isOwn ? found.entries.ownRecords : found.entries.records
            next.commit.bodies.append(LogEntries(logID: found.logID, entries: records))
            guard let log = logs.incoming(found.logID) else { continue }
            failWithheld(found.entries.records, of: log, in: found.conversation, found.failures, into: &next, now: now)
            // The receipts of other branches cover what they have in common with this one.
            deliveries.signAgain(for: logs.branches(of: log.description), by: author.userID)
            let isByOwnUser = logs.isByOwnUser(found.logID)
            let news = found.entries.news(of: log, in: found.conversation, to: author, logs, conversations.erasures)
            next.lateNews += news.map { (found.logID, $0, isByOwnUser) }
        }
    }

    /// What its author gives to nobody else has failed: it was cancelled, had expired, or did not count.
    /// - Parameter reasons: as far as a device of this node's user says why.
    mutating func failWithheld(
        _ records: [EntryRecord], of log: IncomingLog, in conversation: ConversationRecord,
        _ reasons: [UInt64: FailureReason] = [:], into next: inout CommitInFlight, now: Moment
    ) {
        let recipientID = log.record(in: conversation).recipientID
        for record in records where record.hasBody && record.mark != nil {
            let messageID = MessageID(log: log.logID, sequence: record.sequence)
            // That it was never sent, no receipt of what others hold in its place may hide.
            guard !deliveries.isWithheld(messageID) else { continue }
            let guess: FailureReason = record.kind.isSilent ? .removed : .withheld(expiry: record.expiry, now: now)
            let reason = reasons[record.sequence] ?? guess
            next.failures.append(deliveries.noteWithheld(messageID, for: recipientID, reason))
        }
    }

    mutating func written(
        _ found: MissingBodies.Found, clocks: inout ClockMachine, now: Moment
    ) {
        fetching.bodies.written(found)
        let isOwn = logs.own(found.logID) != nil
        if logs.isByOwnUser(found.logID) {
            logs.reveal(found.entries.records, of: found.logID)
            conversations.privates.noteWritten(byOwnUserIn: found.conversation.conversationID)
        }
        if !isOwn, let log = logs.proved(found.logID), log.authorID == author.userID {
            fetching.bodies.lacks(withheld: found.entries.withheld, of: log.description, in: found.logID)
        }
        if isOwn {
            let records = found.entries.records
            logs.note(records, of: found.logID)
            for record in records { clocks.resume(after: record.timestamp) }
            if found.conversation.kind == .private {
                conversations.privates.noteDuties(in: found.conversation.conversationID)
            }
        }
        changed(found.conversation, now: now)
        // A peer that asked for them in vain asks again.
        let others = sessions.carriers(of: found.conversation.conversationID).compactMap { sessions[$0]?.userID }
        sessions.gossip.announce(found.logID, to: Set(others).sorted(), now: now)
        guard let record = logs.own(found.logID)?.record ?? logs.incoming(found.logID)?.record(in: found.conversation)
        else { return }
        let records = found.entries.records
        conversations.silent.giveUp(fetching.bodies.giveUp(retractedIn: records, by: record.authorID, logs))
        conversations.takeCuts(in: records, of: record)
        conversations.noteWritten(records, of: record.description, by: record.authorID)
        guard found.conversation.kind == .private else { return }
        let conversationID = found.conversation.conversationID
        conversations.privates.takeFound(records, of: record)
        // A version may be among them.
        conversations.regard(in: conversationID)
        reconsiderBodies(of: conversationID)
    }

    /// More is known of what this node's user may have.
    mutating func reconsiderBodies(of conversationID: ConversationID) {
        let (logs, privates) = (logs, conversations.privates)
        fetching.bodies.reconsider(conversationID) { logID, lacking in
            guard let log = logs.proved(logID) else { return SequenceSet() }
            return privates.unowed(lacking, of: logID, by: log.authorID, in: log.description)
        }
    }
}
