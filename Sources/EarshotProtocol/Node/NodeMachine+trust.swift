package import EarshotModel

/// Whose a name is, and with whom this node's user wants to have to do.
extension NodeMachine {
    /// This node's user has decided about another.
    /// - Parameter name: what the other was called when that was decided. With another name by now, nothing is done.
    package mutating func decide(
        _ decision: TrustDecision, about userID: UserID, name: UserName? = nil, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        do throws(ProtocolError) {
            guard let user = directory.users[userID] else {
                throw ProtocolError(.unknownUser, "nobody with the key \(userID.fingerprint) was ever met")
            }
            guard name == nil || user.name == name else {
                throw ProtocolError(.nameChanged, "\(userID.fingerprint) calls itself \(user.name) now")
            }
            switch decision {
            case .accept: try accept(user, now: now)
            case .verify: try verify(user, now: now)
            case .block: block(user, now: now)
            case .unblock: if user.trust == .blocked { setTrust(.unverified, of: userID, now: now) }
            }
            queue.markRequests.append(requestID)
            queue.isUrgent = true
        } catch {
            emit(.complete(requestID, .failure(error)))
        }
        return finish(now: now)
    }

    private mutating func accept(_ user: UserRecord, now: Moment) throws(ProtocolError) {
        try checkNotBlocked(user)
        pin(user.userID, now: now)
        dialer.retryAll(now: now.uptime)
    }

    private mutating func verify(_ user: UserRecord, now: Moment) throws(ProtocolError) {
        try checkNotBlocked(user)
        if let conflict = conflict(of: user.userID) { throw Self.error(of: conflict) }
        pin(user.userID, now: now)
        setTrust(.verified, of: user.userID, now: now)
    }

    private func checkNotBlocked(_ user: UserRecord) throws(ProtocolError) {
        guard user.trust != .blocked else { throw ProtocolError(.blocked, "\(user.name) is blocked") }
    }

    private mutating func block(_ user: UserRecord, now: Moment) {
        guard user.trust != .blocked else { return }
        setTrust(.blocked, of: user.userID, now: now)
        let error = ProtocolError(.closedHere, "\(user.name) is blocked", closeReason: .blocked)
        closeLinks(to: user.userID, .blocked, error: error, now: now)
        failUndelivered(to: user.userID)
    }

    private mutating func setTrust(_ trust: Trust, of userID: UserID, now: Moment) {
        guard let user = directory.setTrust(trust, of: userID) else { return }
        noteMeeting(user, changes: [.trust], now: now)
        if trust == .unverified { dialer.retryAll(now: now.uptime) }
    }

    // MARK: - Names

    /// A message was exchanged with a user: the first one pins the name, if nobody else has it. Where several have it only
    /// a decision of this node's user does, not a message: a program that answers whoever writes decides nothing.
    mutating func use(_ userID: UserID, now: Moment) {
        guard directory.users[userID]?.isPinned == false, directory.isNamedAlone(userID) else { return }
        pin(userID, now: now)
    }

    /// Gives a user their name. Whoever else has it is in conflict from now on.
    private mutating func pin(_ userID: UserID, now: Moment) {
        for (user, changes) in directory.pin(userID) { noteMeeting(user, changes: changes, now: now) }
        for other in directory.others(namedLike: userID) {
            if let conflict = conflict(of: other.userID) { shutOut(conflict, at: nil, now: now) }
        }
    }

    /// Somebody who claims the name of another was met, and refused.
    mutating func noteClaim(of peer: LinkPeer, at address: PeerAddress?, now: Moment) {
        guard let conflict = directory.conflict(of: peer.credential) else { return }
        let met = directory.met(peer, now: now)
        noteMeeting(met.user, changes: met.changes, now: now)
        shutOut(conflict, at: address, now: now)
    }

    /// Nothing goes to somebody who claims the name of another, and nothing is taken: over no link that stands either.
    private mutating func shutOut(_ conflict: IdentityConflict, at address: PeerAddress?, now: Moment) {
        tell(conflict, at: address, now: now)
        failUndelivered(to: conflict.claimedBy)
        let error = Self.error(of: conflict, closeReason: .identityConflict)
        closeLinks(to: conflict.claimedBy, .identityConflict, error: error, now: now)
    }

    /// Once a claim: the claimant tries again and again. Claimants cost nothing, so of many only some are told of; whoever
    /// was passed over may be told of at the next try. The first who claims the name of somebody whom this node's user
    /// has to do with always is.
    private mutating func tell(_ conflict: IdentityConflict, at address: PeerAddress?, now: Moment) {
        guard !toldConflicts.contains(conflict) else { return }
        let isFirst = !toldConflicts.contains { $0.pinnedID == conflict.pinnedID }
        guard isFirst && !isStranger(conflict.pinnedID) || notices.claimed(at: address?.host ?? "", now: now.uptime)
        else { return }
        if toldConflicts.count >= Limits.strangers { toldConflicts.removeAll() }
        toldConflicts.insert(conflict)
        queue.add(.identityConflict(conflict), isMerged: hasStorageFailed)
        queue.isUrgent = true
    }

    /// The conflict that a user who was met is in, if any.
    func conflict(of userID: UserID) -> IdentityConflict? {
        guard let user = directory.users[userID], let pinnedID = directory.conflictingID(user) else { return nil }
        return IdentityConflict(name: user.name, pinnedID: pinnedID, claimedBy: userID)
    }

    static func error(of conflict: IdentityConflict, closeReason: CloseReason? = nil) -> ProtocolError {
        let text =
            "the name \(conflict.name) is pinned to the key \(conflict.pinnedID.fingerprint), and "
            + "\(conflict.claimedBy.fingerprint) claims it"
        return ProtocolError(closeReason == nil ? .identityConflict : .closedHere, text, closeReason: closeReason)
    }

    // MARK: - What follows

    /// Why nothing may be sent to a user, if that is so.
    private func bar(to userID: UserID) -> FailureReason? {
        if directory.users[userID]?.trust == .blocked { return .blocked }
        return conflict(of: userID) == nil ? nil : .identityChanged
    }

    /// Messages to a user to whom nothing may be sent any more fail. What may have left already may still turn out to be
    /// delivered; what has not is kept back for good.
    mutating func failUndelivered(to userID: UserID) {
        guard let reason = bar(to: userID) else { return }
        for (logID, log) in ownLogs.sorted(by: { $0.key < $1.key }) where log.record.peerID == userID {
            let current = progress[ProgressKey(logID: logID, recipientID: userID)]?.target ?? DeliveryProgress()
            guard current.delivered < log.head.sequence else { continue }
            for sequence in current.delivered + 1...log.head.sequence where failures[logID]?[sequence] == nil {
                let failure = DeliveryFailure(
                    messageID: MessageID(log: logID, sequence: sequence), reason: reason,
                    isWithheld: sequence > current.offered)
                queueFailure(failure, requestID: nil)
            }
        }
    }

    private mutating func closeLinks(
        to userID: UserID, _ reason: CloseReason, error: ProtocolError, now: Moment
    ) {
        for connectionID in linksOfUser[userID] ?? [] { close(connectionID, reason, error: error, now: now) }
    }
}
