import EarshotCrypto
import EarshotModel

extension Replication {
    /// A peer says that it holds own entries that this node does not have, or others in their places.
    mutating func claim(_ head: BranchHead, on connectionID: ConnectionID, now: Moment) {
        guard let session = sessions[connectionID] else { return }
        actions.append(.credit(-1, connectionID))
        sessions[connectionID]?.shut(head.log, branches: logs.branches(of: head.log))
        guard let conversation = common(head.log.conversationID, with: session) else { return }
        takingBack.begin(conversation, with: session.userID, now: now)
        // After a pause it is asked for, over the same link.
        guard fetching.want(head, from: connectionID), !takingBack.isPaused(conversation.conversationID) else { return }
        outbox.hold(conversation.conversationID)
    }

    /// A peer finds none of the places that this node has named.
    mutating func receivedUnplaced(_ log: LogDescription, on connectionID: ConnectionID, now: Moment) {
        actions.append(.credit(-1, connectionID))
        perform(fetching.noneKnown(of: log, over: connectionID, now: now))
    }

    func isHolding(_ conversationID: ConversationID) -> Bool { takingBack.isHolding(conversationID) }

    /// Conversations of which own entries come back: this device appends nothing to its logs there, as what comes back may
    /// stand in the same places.
    var comingBack: Set<ConversationID> {
        if runs.isEmpty, takingBack.isEmpty { return [] }
        return runs.ownConversations.union(takingBack.conversationIDs.filter(takingBack.isHolding))
    }

    /// Whether logs of this node's own are being taken back, from anybody.
    var isTakingBack: Bool { takingBack.isHolding }

    mutating func perform(_ actions: [Fetching.Action]) {
        for action in actions {
            switch action {
            case .ask(let connectionID, let head, let places): ask(for: head, places, on: connectionID)
            case .givenUp: break
            }
        }
    }

    /// Names the ends of what this node has of a log, or also places at distances 1, 2, 4 and so on before them, back to
    /// the log's origin. Of its own logs only what was offered counts: what was not is in nobody's branch.
    mutating func ask(for head: BranchHead, _ places: Fetching.Places, on connectionID: ConnectionID) {
        let branches = logs.branches(of: head.log)
        var sequences: Set<UInt64> = []
        for branch in branches {
            let end =
                logs.own(branch).map { max(offered($0), $0.record.start.sequence) }
                ?? logs.incoming(branch)?.committed.sequence ?? 0
            guard end > 0 else { continue }
            sequences.insert(end)
            guard case .spaced = places else { continue }
            var distance: UInt64 = 1
            while distance < end {
                sequences.insert(end - distance)
                distance *= 2
            }
        }
        if sequences.isEmpty || places == .spaced { sequences.insert(0) }
        readChains(.asking(head), of: branches, at: sequences.sorted(), on: connectionID)
    }

    mutating func ask(
        for head: BranchHead, knowing chains: [LogID: [UInt64: ChainHash]], origin: [Place],
        on connectionID: ConnectionID
    ) {
        var known = Set(origin)
        for places in chains.values {
            for (sequence, chain) in places { known.insert(Place(sequence: sequence, chain: chain)) }
        }
        let sorted = known.sorted { ($0.sequence, $0.chain) < ($1.sequence, $1.chain) }
        // Of too many those at the end matter least: whoever has them was found by the heads.
        actions.append(
            .send(
                .wanted(
                    WantedFrame(log: head.log, end: head.place, known: Array(sorted.prefix(Limits.knownPlaces)))),
                connectionID))
    }

    /// Goes on with what had to wait.
    mutating func advanceTakingBack(now: Moment) {
        let (late, held) = takingBack.updateHolds(now: now)
        for (conversationID, hold) in late { letGo(conversationID, hold) }
        for conversationID in held { outbox.hold(conversationID) }
        if !fetching.isEmpty {
            let (sessions, holds) = (sessions, takingBack)
            let asked = fetching.advance(
                now: now, mayAsk: { sessions[$0]?.hasHeads == true }, isPaused: { holds.isPaused($0) })
            perform(asked)
        }
        for conversationID in takingBack.conversationIDs { advance(conversationID) }
        releaseHeld()
    }

    mutating func advance(_ conversationID: ConversationID) {
        let isUnderWay =
            locating.isParked(conversationID) || runs.containsOwn(in: conversationID)
            || commits.inFlight?.received.contains { $0.isOwn && $0.log.conversationID == conversationID } == true
        let isFetching = fetching.isFetching(conversationID) { [author] in $0.log.deviceID == author.deviceID }
        let limbo = logs.limbos(of: conversationID).first
        // A peer that does not give what it claims holds nothing up for ever.
        if !isUnderWay, !isFetching || limbo != nil && takingBack.isPaused(conversationID) {
            let unsent = logs.own(in: conversationID).lazy
                .map { [deliveries] in
                    (log: $0, offered: max(deliveries.target($0.deliveryKey)?.offered ?? 0, $0.record.start.sequence))
                }
                .first { $0.offered < $0.log.head.sequence }
            if let event = takingBack.settle(conversationID, unsent: unsent, limbo: limbo) { post(event) }
        }
        for read in takingBack.takeLookups() { actions.append(.read(read)) }
        if let read = takingBack.nextRead(of: conversationID) { actions.append(.read(read)) }
    }

    /// Behind this entry an own log has what nobody was offered, unless it was meanwhile.
    mutating func looked(_ conversationID: ConversationID, _ read: EntriesRead, _ entry: EntryRecord?) {
        let log = logs.own(read.logID).flatMap { log in
            entry.map { $0.sequence < log.head.sequence && log.isUnsent(after: $0.head, deliveries) } == true
                ? log : nil
        }
        takingBack.looked(conversationID, entry, in: log)
    }

    /// Somebody claims what they do not give: their links that were asked are let go.
    private mutating func letGo(_ conversationID: ConversationID, _ hold: SendHold) {
        let direct = takingBack[conversationID].map { sessions[$0.userID] } ?? []
        for connectionID in sessions.all
        where fetching.asked(over: connectionID).contains(where: {
            $0.log.conversationID == conversationID && $0.log.deviceID == author.deviceID
        }) || direct.contains(connectionID) && sessions[connectionID]?.hasHeads == false {
            let message =
                hold.hasBroughtEntries
                ? "the peer has not given back a log of this node within the time for that; the rest is asked for again "
                    + "in \(Timing.recoveryPause / 1000) s"
                : "the peer says that it holds entries of a log of this node, and does not give them back"
            close(connectionID, .timeout, ProtocolError(.timeout, message, closeReason: .timeout))
        }
    }

    private mutating func releaseHeld() {
        let comingBack = outbox.hasHeld ? comingBack : []
        if outbox.hasHeld {
            for send in outbox.release(where: comingBack.contains) { actions.append(.lookUpAgain(send)) }
        }
        for held in takingBack.releaseCancels() {
            do throws(ProtocolError) { try cancel(held.messageID, requestID: held.requestID) } catch {
                actions.append(.complete(held.requestID, .failure(error)))
            }
        }
    }
}
