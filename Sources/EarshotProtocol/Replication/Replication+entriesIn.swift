import EarshotCrypto
import EarshotModel

extension Replication {
    /// A peer sends entries of its own logs, or what it was asked for.
    /// - Throws: `ProtocolError`, for which the link is to be closed.
    mutating func receivedEntries(
        _ frame: EntriesFrame, on connectionID: ConnectionID, isStranger: Bool, trust: TrustMachine,
        clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID] else { return }
        guard session.hasHeads else {
            throw ProtocolError(.violation, "the peer sent entries before it said what it holds")
        }
        guard common(frame.log.conversationID, with: session) != nil else {
            // The peer need not know yet that this node's user has left.
            guard isOfMany(frame.log.conversationID) || frame.log.kind == .control else {
                throw ProtocolError(.violation, "the peer sent entries of a conversation that it has not in common")
            }
            actions.append(.credit(-1, connectionID))
            return
        }
        guard !frame.contents.isEmpty, frame.firstSequence > 0,
            frame.firstSequence <= Counting.largest - UInt64(frame.contents.count)
        else {
            throw ProtocolError(.violation, "a run of entries has no place in a log")
        }
        guard hasRoomForStranger(frame, on: connectionID, trust: trust) else {
            actions.append(.credit(-1, connectionID))
            fetching.forget(frame.log.logID)
            guard sessions[connectionID]?.skip(frame.log.logID) == false else { return }
            throw ProtocolError(.overloaded, "too many logs of strangers have no room", closeReason: .overloaded)
        }
        fetching.moved(frame.log.logID, over: connectionID, now: now)
        guard try !mustWait(frame, on: connectionID) else { return }
        guard !isOutsiders(frame, on: connectionID) else {
            actions.append(.credit(-1, connectionID))
            fetching.forget(frame.log.logID)
            // It comes again once the author is known to have joined.
            if frame.log.deviceID == session.deviceID { sessions[connectionID]?.refuse(frame.log.conversationID) }
            return
        }
        try place(
            frame, on: connectionID, isStranger: isStranger, trust: trust, clocks: &clocks,
            now: now)
    }

    /// Whether the disk takes a frame of a stranger's entries, if they are a stranger's.
    private func hasRoomForStranger(
        _ frame: EntriesFrame, on connectionID: ConnectionID, trust: TrustMachine
    ) -> Bool {
        guard !sessions.isSkipping(frame.log.logID, on: connectionID), hasRoomForControlLog(frame.log) else {
            return false
        }
        if logs.hasRoomForAll(frame.windowBytes) { return true }
        guard let session = sessions[connectionID], let userID = authorID(of: frame, on: connectionID) else {
            return true
        }
        return hasRoom(for: frame.windowBytes, of: userID, in: frame.log, on: session, trust: trust)
    }

    /// Whether what nobody has asked for stays cheap to read.
    private func hasRoomForControlLog(_ log: LogDescription) -> Bool {
        guard log.kind == .control, logs.branches(of: log).isEmpty else { return true }
        return conversations.privates.hasRoomForControlLog(
            of: log.conversationID, count: logs.incomingCount(in:))
    }

    func hasRoom(
        for more: Int, of userID: UserID, in log: LogDescription, on session: ReplicationSession, trust: TrustMachine
    ) -> Bool {
        let conversationID = log.conversationID
        let (author, logs) = (author, logs)
        func isStranger(_ userID: UserID) -> Bool {
            userID != author.userID && trust.isStranger(userID, hasWritten: logs.hasWritten(to: userID))
        }
        // Of a private conversation that this node's user has joined, its owner says who may write.
        guard isStranger(userID), let conversation = common(conversationID, with: session),
            conversations.privates.status(in: conversationID) != .joined
                || !conversations.privates.mayEverWrite(userID, log.kind, in: conversationID)
        else { return true }
        return logs.hasRoom(for: more, of: userID, in: conversation, isStranger: isStranger)
    }

    /// Whether messages in a conversation of many are by somebody who has never belonged to it. Of a private one, what says
    /// that they were added is here, since a frame waits for what its author knew. Of an open one, a log may begin with it.
    private func isOutsiders(_ frame: EntriesFrame, on connectionID: ConnectionID) -> Bool {
        let conversationID = frame.log.conversationID
        guard frame.log.kind == .messages, isOfMany(conversationID),
            let userID = authorID(of: frame, on: connectionID), userID != author.userID
        else { return false }
        guard conversations[conversationID] != nil else {
            return !conversations.privates.mayEverWrite(userID, .messages, in: conversationID)
        }
        return !conversations.hasEverJoined(userID, conversationID) && !isJoining(userID, conversationID)
            && !frame.beginsByJoining
    }

    /// Whether entries are on their way to the disk in which a user joins a conversation.
    private func isJoining(_ userID: UserID, _ conversationID: ConversationID) -> Bool {
        func joins(_ run: ReceivedRun) -> Bool {
            run.branch.authorID == userID && run.log.conversationID == conversationID
                && run.entries.contains { $0.kind == .join }
        }
        return runs.contains(where: joins) || commits.inFlight?.received.contains(where: joins) == true
    }

    /// Finds out which branch of its log a frame belongs to.
    mutating func place(
        _ frame: EntriesFrame, on connectionID: ConnectionID, isStranger: Bool, trust: TrustMachine,
        clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        let branches = logs.branches(of: frame.log)
        let isBeingAppended = commits.isAppending(to: branches)
        var isUncertain = locating.isParked(frame.log, on: connectionID) || isBeingAppended
        for branch in isUncertain ? [] : branches.compactMap({ logs.proved($0) }) {
            switch branch.fit(of: frame) {
            case .continues(let known):
                try take(
                    frame, into: branch, known: known, on: connectionID, isStranger: isStranger, trust: trust,
                    clocks: &clocks, now: now)
                return
            case .earlier, .differs: isUncertain = true
            case .gap: break
            }
        }
        guard isUncertain else {
            let origin = LogHead.origin(of: frame.log.logID)
            guard branches.isEmpty, frame.firstSequence == 1, frame.previousChain == origin.chain,
                let userID = authorID(of: frame, on: connectionID)
            else {
                // What another has written is asked for again, if it is still missing.
                guard frame.log.deviceID == sessions[connectionID]?.deviceID else {
                    actions.append(.credit(-1, connectionID))
                    return
                }
                guard !isOfMany(frame.log.conversationID) else {
                    // What came before may not have been taken then, and is sent again on another link.
                    throw ProtocolError(
                        .overloaded, "entries are missing before \(frame.firstSequence)", closeReason: .storageFailure)
                }
                throw ProtocolError(.violation, "entries are missing before \(frame.firstSequence)")
            }
            do throws(ProtocolError) { try logs.checkRoom(for: userID, in: frame.log.conversationID) } catch {
                // Whoever carries it has done nothing wrong.
                guard frame.log.deviceID == sessions[connectionID]?.deviceID else {
                    actions.append(.credit(-1, connectionID))
                    fetching.forget(frame.log.logID)
                    return
                }
                throw error
            }
            let log = IncomingLog(description: frame.log, authorID: userID, head: origin)
            try take(
                frame, into: log, known: 0, on: connectionID, isStranger: isStranger, trust: trust, clocks: &clocks,
                now: now)
            return
        }
        actions.append(.credit(-1, connectionID))
        // Another link may have brought the entries before it in other frames, and the disk does not have them yet.
        let isEarly =
            isBeingAppended
            || branches.contains { branch in
                logs.proved(branch).map { !$0.isSettled && $0.committed.sequence < frame.firstSequence - 1 } ?? false
            }
        let isGiven = frame.log.deviceID != sessions[connectionID]?.deviceID
        let read = try locating.park(
            frame, on: connectionID, branches: branches, isEarly: isEarly, isGiven: isGiven)
        if let read { actions.append(.read(read)) }
    }

    /// The user whose device writes a log.
    func authorID(of frame: EntriesFrame, on connectionID: ConnectionID) -> UserID? {
        let deviceID = frame.log.deviceID
        guard let session = sessions[connectionID] else { return nil }
        let userID: UserID? =
            if deviceID == session.deviceID {
                session.userID
            } else if let credential = frame.credential?.proved, credential.deviceID == deviceID {
                credential.userID
            } else {
                logs.author(of: deviceID)
            }
        // Nobody but the two writes in a direct conversation.
        guard let userID, let conversation = common(frame.log.conversationID, with: session),
            conversation.kind != .direct || conversation.participantIDs.contains(userID)
        else { return nil }
        return userID
    }

    /// A frame's place is known.
    mutating func take(
        _ frame: EntriesFrame, into log: IncomingLog, known: Int, on connectionID: ConnectionID, isStranger: Bool,
        trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        guard let session = sessions[connectionID],
            let conversation = common(frame.log.conversationID, with: session)
        else { return }
        guard hasRoomForMissing(in: frame, of: log) else {
            // Whoever has more of the bodies is asked next.
            actions.append(.credit(-1, connectionID))
            return
        }
        let (cuts, erasures, showings) = (conversations.cuts, conversations.erasures, conversations.showings)
        let intake = try runs.take(
            frame, into: log, known: known, of: conversation, from: session, isStranger: isStranger, logs: &logs,
            privates: &conversations.privates, cuts: cuts, erasures: erasures, showings: showings,
            author: author, now: now)
        if let credential = frame.credential?.proved, credential.deviceID == log.description.deviceID,
            log.description.deviceID != session.deviceID, log.authorID != author.userID
        {
            actions.append(.introduced(credential))
        }
        if log.description.deviceID == author.deviceID {
            confirm(frame, of: log, count: min(known, frame.contents.count), on: connectionID, trust: trust, now: now)
        }
        switch intake {
        case .known(isSettled: true): acknowledge(log, on: connectionID)
        case .known(isSettled: false): excuse(frame, on: connectionID)
        case .new(let run, let timestamps):
            let cost = conversations.privates.foldCost(of: frame.log)
            actions.append(.credit(2 + run.bytes / Limits.requestBytes - cost, connectionID))
            guard !run.isOwn else {
                takingBack.came(run.entries, of: frame.log)
                return
            }
            conversations.silent.insert(run.entries, of: run.branch)
            guard log.description.deviceID == session.deviceID else { return }
            for timestamp in timestamps {
                if let skew = clocks.hear(timestamp, of: session.userID, now: now) { post(.clockSkewed(skew)) }
            }
            if !run.news.isEmpty, conversation.kind == .direct,
                let userID = conversation.peerID(of: author.userID)
            {
                actions.append(.exchanged(userID))
            }
        }
    }

    /// Whether a branch may lack all the bodies that a frame lacks.
    private func hasRoomForMissing(in frame: EntriesFrame, of log: IncomingLog) -> Bool {
        guard frame.log.deviceID != author.deviceID else { return true }
        let mayWithhold =
            frame.log.kind == .messages && conversations.privates.mayWithhold(in: frame.log.conversationID)
        let missing = mayWithhold ? conversations.privates.owed(in: frame, of: log) : frame.withoutContent
        // Without its control entries nobody can say who is in.
        return missing.isEmpty
            || frame.log.kind == .messages && fetching.bodies.hasRoom(for: missing, in: log.logID)
    }

    /// A peer has own entries that this node has, too: they have left it.
    private mutating func confirm(
        _ frame: EntriesFrame, of log: IncomingLog, count: Int, on connectionID: ConnectionID, trust: TrustMachine,
        now: Moment
    ) {
        guard count > 0, let own = logs.own(log.logID) else { return }
        // Another device of this node's user is no recipient.
        let isSent = sessions[connectionID].map { !isOwn($0) } ?? true
        var place = Place(sequence: frame.firstSequence - 1, chain: frame.previousChain)
        for content in frame.contents.prefix(count) {
            place = Place(sequence: place.sequence + 1, chain: place.chain.appending(content.hash))
            deliveries.compare(
                content,
                // What this device has marked it withheld, whoever gives that back; what a peer lacks says nothing.
                isErased: frame.deleted[place.sequence] != nil || frame.marks[place.sequence] == nil,
                with: MessageID(log: log.logID, sequence: place.sequence), to: own.record.recipientID)
            if !fetching.isEmpty { reached(place, ofOwn: own.record.logID, trust: trust, now: now) }
        }
        deliveries.confirmed(own.deliveryKey, through: place.sequence, isSent: isSent)
        commits.hurry()
    }

    /// Goes on with frames of which the disk has said where they belong.
    mutating func takeLocated(trust: TrustMachine, clocks: inout ClockMachine, now: Moment) {
        guard !locating.isEmpty else { return }
        for (connectionID, frame, branch, head) in locating.partings {
            guard let log = logs.own(branch), log.head != head, log.isUnsent(after: head, deliveries),
                takingBack[log.description.conversationID]?.cut == nil
            else { continue }
            // Nothing gives way to what this device has not signed.
            do throws(ProtocolError) { try frame.authenticate() } catch {
                close(connectionID, error.closeReason ?? .violation, error)
                continue
            }
            takingBack.cut(log, after: head)
        }
        let (known, inFlight) = (logs, commits.inFlight)
        let early = locating.takeEarly { log in
            known.branches(of: log).allSatisfy { known.isSettled($0) && inFlight?.appends(to: $0) != true }
        }
        for (connectionID, frames) in early {
            do throws(ProtocolError) {
                for frame in frames where sessions[connectionID] != nil {
                    try place(frame, on: connectionID, isStranger: false, trust: trust, clocks: &clocks, now: now)
                }
            } catch { close(connectionID, error.closeReason ?? .violation, error) }
        }
        let (logs, deliveries) = (logs, deliveries)
        let located = locating.takePlaced { _, place in
            switch place {
            case .nowhere: true
            case .known(let branch), .continues(let branch, _):
                logs.isSettled(branch) && inFlight?.appends(to: branch) != true
            case .parts(let branch, let head, _):
                // An unsent end gives way first.
                logs.isSettled(branch) && inFlight?.appends(to: branch) != true
                    && logs.own(branch).map { !$0.isUnsent(after: head, deliveries) || $0.head == head } ?? true
            }
        }
        for (connectionID, frame, place, rest) in located {
            do throws(ProtocolError) {
                try take(frame, at: place, on: connectionID, trust: trust, clocks: &clocks, now: now)
                for frame in rest where sessions[connectionID] != nil {
                    try self.place(frame, on: connectionID, isStranger: false, trust: trust, clocks: &clocks, now: now)
                }
            } catch { close(connectionID, error.closeReason ?? .violation, error) }
        }
    }

    mutating func take(
        _ frame: EntriesFrame, at place: Locating.Place, on connectionID: ConnectionID, trust: TrustMachine,
        clocks: inout ClockMachine, now: Moment
    ) throws(ProtocolError) {
        var (branch, known): (IncomingLog?, Int)
        switch place {
        case .known(let logID): (branch, known) = (logs.proved(logID), frame.contents.count)
        case .continues(let logID, let count):
            (branch, known) = (logs.proved(logID), count)
            // More may have come over another link since the disk was asked.
            guard branch == nil || branch?.proved.place == frame.place(after: count) else {
                try self.place(frame, on: connectionID, isStranger: false, trust: trust, clocks: &clocks, now: now)
                return
            }
        case .parts(let logID, let head, let count):
            (branch, known) = (logs.proved(logID), count)
            guard branch?.proved != head else { break }
            do throws(ProtocolError) { branch = try self.branch(of: frame, after: head, known: count) } catch {
                guard frame.log.deviceID == sessions[connectionID]?.deviceID else {
                    actions.append(.credit(-1, connectionID))
                    fetching.forget(frame.log.logID)
                    return
                }
                throw error
            }
            if let logID = branch?.logID, logs.proved(logID) != nil {
                try follow(frame, into: logID, after: head, known: count, on: connectionID)
                return
            }
        case .nowhere: (branch, known) = (nil, 0)
        }
        guard let branch else {
            guard frame.log.deviceID == sessions[connectionID]?.deviceID else { return }
            throw ProtocolError(.violation, "entries are missing before \(frame.firstSequence)")
        }
        try take(
            frame, into: branch, known: known, on: connectionID, isStranger: false, trust: trust, clocks: &clocks,
            now: now)
    }

    /// A frame parts from one branch where another one begins that is here: it is compared with that one.
    private mutating func follow(
        _ frame: EntriesFrame, into branch: LogID, after head: LogHead, known: Int, on connectionID: ConnectionID
    ) throws(ProtocolError) {
        actions.append(.credit(-1, connectionID))
        let isGiven = frame.log.deviceID != sessions[connectionID]?.deviceID
        let isEarly = !logs.isSettled(branch) || commits.isAppending(to: [branch])
        let read =
            isEarly
            ? try locating.park(frame, on: connectionID, branches: [], isEarly: true, isGiven: isGiven)
            : try locating.park(
                frame, on: connectionID, along: branch, after: head, known: known, isGiven: isGiven)
        if let read { actions.append(.read(read)) }
    }

    /// A new branch of a log.
    func branch(
        of frame: EntriesFrame, after head: LogHead, known: Int
    ) throws(ProtocolError) -> IncomingLog? {
        let branches = logs.branches(of: frame.log)
        guard let trunk = branches.first.flatMap({ logs.proved($0) }), known < frame.contents.count else { return nil }
        guard branches.count < Limits.branchesPerLog else {
            throw ProtocolError(.violation, "a log has more than \(Limits.branchesPerLog) branches")
        }
        let chain = head.chain.appending(frame.contents[known].hash)
        return IncomingLog(
            logID: .branch(of: frame.log, from: head.sequence + 1, chain), description: frame.log,
            authorID: trunk.authorID, base: head, head: head)
    }

    private mutating func excuse(_ frame: EntriesFrame, on connectionID: ConnectionID) {
        let bytes = frame.windowBytes
        guard sessions[connectionID]?.excuse(bytes) == true else { return }
        actions.append(.credit(1 + bytes / Limits.requestBytes, connectionID))
    }
}
