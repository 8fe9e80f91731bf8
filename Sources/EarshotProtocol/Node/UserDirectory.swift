import EarshotModel

/// The users and devices that this node knows: who is pinned, and who has a link now.
struct UserDirectory: Sendable {
    private(set) var users: [UserID: UserRecord]
    private(set) var devices: [DeviceID: DeviceRecord]
    private var linkCounts: [UserID: Int] = [:]

    init(users: [UserRecord], devices: [DeviceRecord]) {
        self.users = Dictionary(uniqueKeysWithValues: users.map { ($0.userID, $0) })
        self.devices = Dictionary(uniqueKeysWithValues: devices.map { ($0.deviceID, $0) })
    }

    func isOnline(_ userID: UserID) -> Bool { linkCounts[userID, default: 0] > 0 }

    func user(_ userID: UserID) -> User? {
        users[userID].map { User($0, isOnline: isOnline(userID)) }
    }

    /// By name, then by key.
    var all: [User] {
        users.values.map { User($0, isOnline: isOnline($0.userID)) }
            .sorted { $0.name == $1.name ? $0.userID < $1.userID : $0.name < $1.name }
    }

    /// The user who holds a name, if that is not the one who claims it now.
    func conflict(of credential: Credential) -> IdentityConflict? {
        users.values.first { $0.name == credential.name && $0.userID != credential.userID }
            .map { IdentityConflict(name: credential.name, pinnedID: $0.userID, claimedBy: credential.userID) }
    }

    /// Takes note of a peer that is linked now.
    /// - Returns: the records to write, and what changed; `nil` for a user who was not known.
    mutating func linked(
        _ peer: LinkPeer, address: PeerAddress?, now: Moment
    ) -> (user: UserRecord, device: DeviceRecord, changes: Set<UserChange>?) {
        let credential = peer.credential
        var changes: Set<UserChange>? = users[peer.userID] == nil ? nil : []
        var user =
            users[peer.userID]
            ?? UserRecord(
                userID: peer.userID, name: credential.name, trust: .unverified, firstSeen: now.wallClock,
                lastSeen: now.wallClock)
        if user.name != credential.name {
            user.name = credential.name
            changes?.insert(.name)
        }
        user.lastSeen = now.wallClock
        users[peer.userID] = user

        linkCounts[peer.userID, default: 0] += 1
        if linkCounts[peer.userID] == 1 { changes?.insert(.isOnline) }

        var addresses = devices[peer.deviceID]?.addresses ?? []
        if let address {
            addresses.removeAll { $0 == address }
            addresses.insert(address, at: 0)
        }
        let device = DeviceRecord(
            deviceID: peer.deviceID, userID: peer.userID, credential: credential.encoded(),
            addresses: Array(addresses.prefix(Limits.addressesPerDevice)))
        devices[peer.deviceID] = device
        return (user, device, changes)
    }

    /// Takes note of a link that ended.
    /// - Returns: the user's record, if that was the last link.
    mutating func unlinked(_ peer: LinkPeer, now: Moment) -> UserRecord? {
        guard let count = linkCounts[peer.userID], var user = users[peer.userID] else { return nil }
        linkCounts[peer.userID] = count > 1 ? count - 1 : nil
        user.lastSeen = now.wallClock
        users[peer.userID] = user
        return count > 1 ? nil : user
    }
}
