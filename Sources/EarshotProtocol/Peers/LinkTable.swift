import EarshotModel

/// Knows all links, by connection, device and user, and decides which of them gives way to another.
///
/// It never closes one itself.
struct LinkTable: Sendable {
    /// How well this node knows a user. Somebody with many identities must not push out users whom the node knows, not
    /// even by writing from each identity.
    enum Standing: Comparable {
        case unpinned
        case stranger
        case known
    }

    /// How many established links there may be.
    let limit: Int
    private(set) var links: [ConnectionID: Link] = [:]
    /// The chosen link to each device.
    private var linkOfDevice: [DeviceID: ConnectionID] = [:]
    /// Established links, ascending, so that the same inputs give the same actions.
    private var linksOfUser: [UserID: [ConnectionID]] = [:]

    init(limit: Int = Limits.links) { self.limit = limit }

    subscript(connectionID: ConnectionID) -> Link? { links[connectionID] }

    /// To how many devices there are chosen links.
    var deviceCount: Int { linkOfDevice.count }

    /// Ascending.
    var connections: [ConnectionID] { links.keys.sorted() }

    var established: [EstablishedLink] { links.values.compactMap(\.established) }

    /// The users who have established links.
    var users: some Sequence<UserID> { linksOfUser.keys }

    /// The chosen link to a device.
    func connection(to deviceID: DeviceID) -> ConnectionID? { linkOfDevice[deviceID] }

    /// The established links to a user's devices, ascending.
    func connections(to userID: UserID) -> [ConnectionID] { linksOfUser[userID] ?? [] }

    /// Where a user's linked devices are.
    func hosts(of userID: UserID) -> Set<String> {
        Set(connections(to: userID).compactMap { links[$0]?.address?.host })
    }

    /// For each user the link on which they were heard last; the latest first.
    var heardLast: [(userID: UserID, connectionID: ConnectionID)] {
        let heard = establishedByConnection.map { connectionID, link in
            (userID: link.peer.userID, connectionID: connectionID, at: link.connection.machine.lastHeard)
        }
        .sorted { ($1.at, $0.connectionID) < ($0.at, $1.connectionID) }
        var users: Set<UserID> = []
        return heard.filter { users.insert($0.userID).inserted }.map { ($0.userID, $0.connectionID) }
    }

    private var establishedByConnection: [ConnectionID: EstablishedLink] { links.compactMapValues(\.established) }

    /// Dials of a target that are under way or in their handshake, ascending.
    func dials(of target: Dialer.Target) -> [ConnectionID] {
        links.filter { $0.value.isDial(of: target) }.keys.sorted()
    }

    // MARK: - Changes

    mutating func insert(_ link: Link, _ connectionID: ConnectionID) { links[connectionID] = link }

    /// Changes a link's connection in place.
    /// - Returns: `nil` if it is gone.
    mutating func updateConnection<Result>(
        _ connectionID: ConnectionID, _ change: (inout Link.Connection) -> Result
    ) -> Result? {
        guard let index = links.index(forKey: connectionID) else { return nil }
        return links.values[index].updateConnection(change)
    }

    /// Changes a link's machine in place.
    /// - Returns: `nil` if it is gone.
    @discardableResult
    mutating func updateMachine<Result>(
        _ connectionID: ConnectionID, _ change: (inout LinkMachine) -> Result
    ) -> Result? {
        updateConnection(connectionID) { change(&$0.machine) }
    }

    mutating func updateMachines(_ change: (inout LinkMachine) -> Void) {
        for index in links.indices { links.values[index].updateConnection { change(&$0.machine) } }
    }

    /// Changes an established link in place.
    /// - Returns: `nil` if it is gone, or not established.
    @discardableResult
    mutating func updateEstablished<Result>(
        _ connectionID: ConnectionID, _ change: (inout EstablishedLink) -> Result
    ) -> Result? {
        guard let index = links.index(forKey: connectionID) else { return nil }
        return links.values[index].updateEstablished(change)
    }

    /// A link's peer is accepted.
    mutating func establish(_ link: EstablishedLink, _ connectionID: ConnectionID) {
        links[connectionID] = .established(link)
        linksOfUser[link.peer.userID, default: []].append(connectionID)
        linksOfUser[link.peer.userID]?.sort()
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

    /// Decides which of two links to one device stays.
    /// - Parameter isFirst: whether this node's device id is the lower one.
    /// - Returns: the link that gives way, if there are two.
    mutating func choose(_ connectionID: ConnectionID, isFirst: Bool) -> ConnectionID? {
        guard let link = links[connectionID]?.established else { return nil }
        let deviceID = link.peer.deviceID
        guard let earlier = linkOfDevice[deviceID], let earlierLink = links[earlier]?.established,
            !Self.keeps(link, over: earlierLink, isFirst: isFirst)
        else { return linkOfDevice.updateValue(connectionID, forKey: deviceID) }
        return connectionID
    }

    /// Both ends must reach the same decision.
    private static func keeps(_ new: EstablishedLink, over old: EstablishedLink, isFirst: Bool) -> Bool {
        if old.peer.run != new.peer.run { return true }
        // Nobody dials a device that they have a link to, so a link that began later means that the peer has lost the
        // old one.
        if new.connection.machine.startedAt > old.establishedAt + Timing.simultaneousDial { return true }
        if new.isOutbound == old.isOutbound { return true }
        return new.isOutbound == isFirst
    }

    /// The handshake of a stranger that gives way to a new connection, if one must: the oldest of the same address if
    /// that has too many, else the oldest of the address that has the most. So holding handshakes open shuts out nobody
    /// who finishes one.
    func surplusHandshake(for address: PeerAddress?) -> ConnectionID? {
        var places: [String: [ConnectionID]] = [:]
        for case (let connectionID, .answering(let connection)) in links {
            places[connection.address?.host ?? "", default: []].append(connectionID)
        }
        let own = places[address?.host ?? ""] ?? []
        if own.count >= Limits.pendingHandshakesPerAddress { return own.min() }
        guard places.values.reduce(0, { $0 + $1.count }) >= Limits.pendingHandshakes else { return nil }
        let oldest = places.values.compactMap { place in place.min().map { (count: place.count, oldest: $0) } }
        return oldest.max { ($0.count, $1.oldest) < ($1.count, $0.oldest) }?.oldest
    }

    /// The established link that gives way to another one, if one must: among the users who stand lowest, the link that
    /// was used least recently of those over which nothing is under way; if something is under way over all of them, of
    /// all.
    /// - Parameter isBusy: whether something is under way over a link. A link that was used a moment ago counts as such.
    func surplusLink(
        beside connectionID: ConnectionID, now: Int64 = .max, isBusy: (ConnectionID) -> Bool = { _ in false },
        standing: (UserID) -> Standing
    ) -> ConnectionID? {
        guard links.count >= limit else { return nil }
        let established = establishedByConnection.filter { $0.key != connectionID }
        guard established.count >= limit else { return nil }
        let standings = established.mapValues { standing($0.peer.userID) }
        guard let lowest = standings.values.min() else { return nil }
        let candidates = established.filter { standings[$0.key] == lowest }.map { connectionID, link in
            let isBusy = now - link.lastUsed < Timing.linkRest || isBusy(connectionID)
            return (rank: (isBusy ? 1 : 0, link.lastUsed, connectionID), connectionID: connectionID)
        }
        return candidates.min { $0.rank < $1.rank }?.connectionID
    }
}
