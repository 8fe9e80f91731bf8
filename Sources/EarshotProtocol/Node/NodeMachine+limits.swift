import EarshotModel

/// What strangers and peers may cost this node.
extension NodeMachine {
    // MARK: - Before authentication

    /// A connection more than there may be takes the place of the oldest handshake: of the same address if that has too
    /// many, else of the one that has the most. Whoever holds handshakes open shuts out nobody who finishes one.
    mutating func makeRoom(for address: PeerAddress?, now: Moment) {
        let pending = links.filter { $0.value.peer == nil && !$0.value.isOutbound }
        var places: [String: [ConnectionID]] = [:]
        for (connectionID, link) in pending { places[link.address?.host ?? "", default: []].append(connectionID) }
        let own = places[address?.host ?? ""] ?? []
        if own.count >= Limits.pendingHandshakesPerAddress {
            giveUp(own.min(), for: address, now: now)
        } else if pending.count >= Limits.pendingHandshakes {
            let oldest = places.values.compactMap { place in place.min().map { (count: place.count, oldest: $0) } }
            giveUp(oldest.max { ($0.count, $1.oldest) < ($1.count, $0.oldest) }?.oldest, for: address, now: now)
        }
    }

    private mutating func giveUp(_ connectionID: ConnectionID?, for address: PeerAddress?, now: Moment) {
        guard let connectionID, let link = links.removeValue(forKey: connectionID) else { return }
        linksToFlush.remove(connectionID)
        emit(.disconnect(connectionID))
        noteRefusal(of: link.address, now: now)
    }

    mutating func noteRefusal(of address: PeerAddress?, now: Moment) {
        notes.connectionsRefused += 1
        guard !isStopping, let count = notices.refused(now: now.uptime) else { return }
        let others = count > 1 ? "; \(count) were closed since that was last told" : ""
        post(
            .linkFailed(
                LinkFailure(
                    address: address?.description ?? "unknown", userID: nil,
                    code: ProtocolError.Code.overloaded.description,
                    message: "connections of strangers are closed, because too many come at once\(others)")))
    }

    // MARK: - After authentication

    /// Who pays for what a peer asks.
    private func payers(for peer: LinkPeer, at address: PeerAddress?) -> [PeerBudgets.Payer] {
        isStranger(peer.userID)
            ? [.user(peer.userID), .strangers(at: address?.host ?? "")] : [.user(peer.userID)]
    }

    /// Charges a peer for what it sent that moved no log forward.
    mutating func charge(_ connectionID: ConnectionID, now: Moment) {
        guard var link = links[connectionID] else { return }
        let isWithin = charge(&link, now: now)
        links[connectionID] = link
        guard !isWithin, let peer = link.peer else { return }
        close(connectionID, .tooManyRequests, error: Self.tooManyRequests(peer), now: now)
    }

    /// - Returns: whether the peer was within its budget.
    mutating func charge(_ link: inout Link, now: Moment) -> Bool {
        let cost = link.machine.takeWork() - link.progress
        link.progress = 0
        guard let peer = link.peer else { return true }
        return budgets.charge(cost, to: payers(for: peer, at: link.address), now: now.uptime)
    }

    /// Charges a peer for a new link. One that this node has begun is not held against an address: it did not come
    /// from there.
    mutating func chargeLink(of peer: LinkPeer, _ link: Link, now: Moment) {
        let payers = link.isOutbound ? [.user(peer.userID)] : payers(for: peer, at: link.address)
        _ = budgets.charge(Limits.linkRequests, to: payers, now: now.uptime)
    }

    /// Stops in the middle of what a peer has sent as soon as that is too much, before another signature is looked at.
    func checkBudget(of peer: LinkPeer, on connectionID: ConnectionID, now: Moment) throws(ProtocolError) {
        guard let link = links[connectionID], link.progress < 0,
            budgets.isExceeded(by: payers(for: peer, at: link.address), beside: 1 - link.progress, now: now.uptime)
        else { return }
        throw Self.tooManyRequests(peer)
    }

    /// Why a peer is refused that has asked for too much, until it has waited.
    func excess(of peer: LinkPeer, at address: PeerAddress?, now: Moment) -> (CloseReason, ProtocolError)? {
        guard budgets.isExceeded(by: payers(for: peer, at: address), now: now.uptime) else { return nil }
        return (.tooManyRequests, Self.tooManyRequests(peer))
    }

    private static func tooManyRequests(_ peer: LinkPeer) -> ProtocolError {
        ProtocolError(
            .tooManyRequests,
            "\(peer.credential.name), alone or with other strangers of the same address, asks more than "
                + "\(Limits.peerRequestsPerSecond) times a second for what moves no conversation forward, and is kept "
                + "away until that is made up",
            closeReason: .tooManyRequests)
    }
}
