package import EarshotModel

/// Whether this node's port can be reached, peers find out by dialling back. `docs/PROTOCOL.md`, section 2.12.
extension NodeMachine {
    // MARK: - Asking

    /// Asks up to `Limits.reachabilityPeers` linked users. The answer is the action `reachability`: when all have
    /// answered, after `Timing.reachabilityCheck` at the latest; at once, and empty, without links.
    /// - Parameter port: where this node listens.
    package mutating func checkReachability(port: UInt16, requestID: RequestID, now: Moment) -> [NodeAction] {
        if dialBacks.check == nil {
            let deadline = now.uptime + Timing.reachabilityCheck
            dialBacks.check = DialBacks.Check(requestIDs: [], deadline: deadline, questions: [])
            for (userID, connectionID) in peersToAsk { ask(userID, port: port, on: connectionID) }
            wakeBound = min(wakeBound, deadline)
        }
        dialBacks.check?.requestIDs.append(requestID)
        endCheck(now: now)
        return finish(now: now)
    }

    /// One link a user, of those who were heard last.
    private var peersToAsk: [(UserID, ConnectionID)] {
        let heard = links.compactMap { connectionID, link in
            link.peer.map { (userID: $0.userID, connectionID: connectionID, at: link.machine.lastHeard) }
        }
        .sorted { ($1.at, $0.connectionID) < ($0.at, $1.connectionID) }
        var users: Set<UserID> = []
        return heard.filter { users.insert($0.userID).inserted }.prefix(Limits.reachabilityPeers)
            .map { ($0.userID, $0.connectionID) }
    }

    private mutating func ask(_ userID: UserID, port: UInt16, on connectionID: ConnectionID) {
        let nonce = dialBacks.nextNumber()
        dialBacks.check?.questions.append(
            DialBacks.Question(userID: userID, nonce: nonce, connectionID: connectionID))
        links[connectionID]?.machine.enqueue(.dialBack(port: port, nonce: nonce))
        linksToFlush.insert(connectionID)
    }

    /// A peer answers. What nobody asked is skipped.
    mutating func dialBackEnded(nonce: UInt64, isReachable: Bool, on connectionID: ConnectionID) {
        let asked = dialBacks.check?.questions.firstIndex { $0.nonce == nonce && $0.connectionID == connectionID }
        guard let asked else { return }
        dialBacks.check?.questions[asked].isReachable = isReachable
        dialBacks.check?.questions[asked].connectionID = nil
        completeCheckIfAnswered()
    }

    /// Ends a check whose time is over.
    mutating func endCheck(now: Moment) {
        completeCheckIfAnswered()
        if let check = dialBacks.check, check.deadline <= now.uptime { complete(check) }
    }

    private mutating func completeCheckIfAnswered() {
        guard let check = dialBacks.check, check.questions.allSatisfy({ $0.connectionID == nil }) else { return }
        complete(check)
    }

    private mutating func complete(_ check: DialBacks.Check) {
        dialBacks.check = nil
        let answers = check.questions.map { Reachability(userID: $0.userID, isReachable: $0.isReachable) }
        for requestID in check.requestIDs { emit(.reachability(requestID, answers)) }
    }

    /// A link is gone: it answers nothing any more, and gets no answer.
    mutating func forgetDialBacks(of connectionID: ConnectionID) {
        guard let questions = dialBacks.check?.questions else { return }
        for index in questions.indices where questions[index].connectionID == connectionID {
            dialBacks.check?.questions[index].connectionID = nil
        }
        completeCheckIfAnswered()
    }

    // MARK: - Answering

    /// A peer asks whether its port can be reached: only at its own end of the link, so that nobody is made to try
    /// addresses for another. More often than that, it gets no answer.
    mutating func dialBack(port: UInt16, nonce: UInt64, on connectionID: ConnectionID, now: Moment) {
        guard !isStopping, let link = links[connectionID], let peer = link.peer, let host = link.address?.host,
            dialBacks.admit(peer.deviceID, on: connectionID, now: now.uptime)
        else { return }
        let probeID = ProbeID(dialBacks.nextNumber())
        dialBacks.attempts[probeID] = DialBacks.Attempt(connectionID: connectionID, nonce: nonce)
        emit(.probe(probeID, PeerAddress(host: host, port: port)))
    }

    /// What became of `probe`.
    package mutating func probed(_ probeID: ProbeID, isReachable: Bool, now: Moment) -> [NodeAction] {
        guard let attempt = dialBacks.attempts.removeValue(forKey: probeID) else { return [] }
        links[attempt.connectionID]?.machine.enqueue(.dialBackResult(nonce: attempt.nonce, isReachable: isReachable))
        if links[attempt.connectionID] != nil { linksToFlush.insert(attempt.connectionID) }
        return finish(now: now)
    }
}
