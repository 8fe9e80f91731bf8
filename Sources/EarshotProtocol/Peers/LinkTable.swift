import EarshotModel

/// Knows which links there are, by connection, device and user, and decides which of them gives way to another.
///
/// It never closes one itself.
struct LinkTable: Sendable {
    /// How much this node has to do with a user. Whoever comes with many identities must not push out those whom it
    /// knows, not even by writing from each of them.
    enum Standing: Comparable {
        case unpinned
        case stranger
        case known
    }

    private(set) var links: [ConnectionID: Link] = [:]
    /// The link to each device that stays.
    private var linkOfDevice: [DeviceID: ConnectionID] = [:]
    /// Established links, ascending, so that the same inputs give the same actions.
    private var linksOfUser: [UserID: [ConnectionID]] = [:]

    subscript(connectionID: ConnectionID) -> Link? { links[connectionID] }

    /// Ascending.
    var connections: [ConnectionID] { links.keys.sorted() }

    var established: [EstablishedLink] { links.values.compactMap(EstablishedLink.init) }

    /// The users who have established links.
    var users: some Sequence<UserID> { linksOfUser.keys }

    /// The link to a device that stays.
    func connection(to deviceID: DeviceID) -> ConnectionID? { linkOfDevice[deviceID] }

    /// The established links to a user's devices, ascending.
    func connections(to userID: UserID) -> [ConnectionID] { linksOfUser[userID] ?? [] }

    /// One link a user, that on which they were heard last; the latest first.
    var heardLast: [(userID: UserID, connectionID: ConnectionID)] {
        let heard = links.compactMap { connectionID, link in
            link.peer.map { (userID: $0.userID, connectionID: connectionID, at: link.machine.lastHeard) }
        }
        .sorted { ($1.at, $0.connectionID) < ($0.at, $1.connectionID) }
        var users: Set<UserID> = []
        return heard.filter { users.insert($0.userID).inserted }.map { ($0.userID, $0.connectionID) }
    }

    /// Dials of a target, under way or in their handshake, ascending.
    func dials(of target: Dialer.Target) -> [ConnectionID] {
        links.filter { $0.value.isDial(of: target) }.keys.sorted()
    }

    // MARK: - Changes

    mutating func insert(_ link: Link, _ connectionID: ConnectionID) { links[connectionID] = link }

    /// Changes a link in place.
    /// - Returns: `nil` if it is gone.
    @discardableResult
    mutating func update<Result>(_ connectionID: ConnectionID, _ change: (inout Link) -> Result) -> Result? {
        guard let index = links.index(forKey: connectionID) else { return nil }
        return change(&links.values[index])
    }

    mutating func updateAll(_ change: (inout Link) -> Void) {
        for index in links.indices { change(&links.values[index]) }
    }

    /// A link's peer is accepted.
    mutating func establish(_ link: Link, _ connectionID: ConnectionID, to peer: LinkPeer) {
        links[connectionID] = link
        linksOfUser[peer.userID, default: []].append(connectionID)
        linksOfUser[peer.userID]?.sort()
    }

    mutating func remove(_ connectionID: ConnectionID) -> Link? {
        guard let link = links.removeValue(forKey: connectionID) else { return nil }
        guard let peer = link.peer else { return link }
        if linkOfDevice[peer.deviceID] == connectionID { linkOfDevice[peer.deviceID] = nil }
        linksOfUser[peer.userID]?.removeAll { $0 == connectionID }
        if linksOfUser[peer.userID]?.isEmpty == true { linksOfUser[peer.userID] = nil }
        return link
    }

    // MARK: - Which gives way

    /// Decides which of two links to one device stays: this one or an earlier one.
    /// - Parameter isFirst: whether this node's device id is the lower one.
    /// - Returns: the one that gives way, if there are two.
    mutating func choose(_ connectionID: ConnectionID, for peer: LinkPeer, isFirst: Bool) -> ConnectionID? {
        guard let link = links[connectionID] else { return nil }
        guard let earlier = linkOfDevice[peer.deviceID], let earlierLink = links[earlier],
            !Self.keeps(link, over: earlierLink, peer: peer, isFirst: isFirst)
        else { return linkOfDevice.updateValue(connectionID, forKey: peer.deviceID) }
        return connectionID
    }

    /// Both ends must come to the same answer.
    private static func keeps(_ new: Link, over old: Link, peer: LinkPeer, isFirst: Bool) -> Bool {
        if old.peer?.run != peer.run { return true }
        // Nobody dials a device that it has a link to: one that began later means that the peer has lost the old one.
        if new.openedAt > (old.establishedAt ?? 0) + Timing.simultaneousDial { return true }
        if new.isOutbound == old.isOutbound { return true }
        return new.isOutbound == isFirst
    }

    /// The handshake of a stranger that gives way to a new connection, if one has to: the oldest of the same address if
    /// that has too many, else the oldest of the address that has the most. Whoever holds handshakes open shuts out
    /// nobody who finishes one.
    func surplusHandshake(for address: PeerAddress?) -> ConnectionID? {
        let pending = links.filter { $0.value.peer == nil && !$0.value.isOutbound }
        var places: [String: [ConnectionID]] = [:]
        for (connectionID, link) in pending { places[link.address?.host ?? "", default: []].append(connectionID) }
        let own = places[address?.host ?? ""] ?? []
        if own.count >= Limits.pendingHandshakesPerAddress { return own.min() }
        guard pending.count >= Limits.pendingHandshakes else { return nil }
        let oldest = places.values.compactMap { place in place.min().map { (count: place.count, oldest: $0) } }
        return oldest.max { ($0.count, $1.oldest) < ($1.count, $0.oldest) }?.oldest
    }

    /// The established link that gives way to another one, if one has to: of those whose users stand lowest, the one
    /// that was used least recently.
    func surplusLink(
        beside connectionID: ConnectionID, standing: (UserID) -> Standing
    ) -> ConnectionID? {
        let established = links.filter { $0.value.peer != nil && $0.key != connectionID }
        guard established.count >= Limits.links else { return nil }
        let standings = established.mapValues { $0.peer.map { standing($0.userID) } ?? .unpinned }
        guard let lowest = standings.values.min() else { return nil }
        return established.filter { standings[$0.key] == lowest }
            .min { ($0.value.lastUsed, $0.key) < ($1.value.lastUsed, $1.key) }?.key
    }
}
