import EarshotModel

/// The users and devices that this node knows: who owns which name, and who has a link now.
///
/// A name is pinned to at most one user. Everybody else who uses it is in conflict with that user.
struct UserDirectory: Sendable {
    private(set) var users: [UserID: UserRecord] = [:]
    private(set) var devices: [DeviceID: DeviceRecord]
    private var namesakes: [UserName: Set<UserID>] = [:]
    private var holders: [UserName: UserID] = [:]
    private var linkCounts: [UserID: Int] = [:]
    /// Devices that are there, and have no link only because there are too many.
    private var resting: Set<DeviceID> = []
    private var devicesOfUser: [UserID: Set<DeviceID>] = [:]

    init(users: [UserRecord], devices: [DeviceRecord]) {
        self.devices = Dictionary(uniqueKeysWithValues: devices.map { ($0.deviceID, $0) })
        for user in users { put(user) }
        for device in devices { devicesOfUser[device.userID, default: []].insert(device.deviceID) }
    }

    /// Whose device is dialled; of an address, the one user whose device was last linked there.
    func owner(of targets: Set<Dialer.Target>) -> UserID? {
        var owners: Set<UserID> = []
        for target in targets {
            switch target {
            case .device(let deviceID): if let device = devices[deviceID] { owners.insert(device.userID) }
            case .address(let address):
                owners.formUnion(devices.values.filter { $0.addresses.first == address }.map(\.userID))
            }
        }
        return owners.count == 1 ? owners.first : nil
    }

    /// Whether a user has a link, or a device that is there and has none only because there are too many.
    func isOnline(_ userID: UserID) -> Bool {
        isLinked(userID) || !resting.isEmpty && devicesOfUser[userID, default: []].contains { resting.contains($0) }
    }

    private func isLinked(_ userID: UserID) -> Bool { linkCounts[userID, default: 0] > 0 }

    /// Ascending.
    func devices(of userID: UserID) -> [DeviceID] { devicesOfUser[userID, default: []].sorted() }

    func user(_ userID: UserID) -> User? { users[userID].map(shown) }

    /// All users, ordered by name, then by key.
    var all: [User] {
        users.values.map(shown).sorted { $0.name == $1.name ? $0.userID < $1.userID : $0.name < $1.name }
    }

    func shown(_ record: UserRecord) -> User {
        User(record, conflictingID: conflictingID(record), isOnline: isOnline(record.userID))
    }

    // MARK: - Names

    /// The user to whom the name of this one is pinned, if that is another.
    func conflictingID(_ user: UserRecord) -> UserID? {
        holders[user.name].flatMap { $0 == user.userID ? nil : $0 }
    }

    /// The conflict with the user who owns a name, if somebody else claims it now. Whoever has a name of their own keeps that,
    /// whatever they claim.
    func conflict(of credential: Credential) -> IdentityConflict? {
        guard users[credential.userID]?.isPinned != true else { return nil }
        guard let holder = holders[credential.name], holder != credential.userID else { return nil }
        return IdentityConflict(name: credential.name, pinnedID: holder, claimedBy: credential.userID)
    }

    func isNamedAlone(_ userID: UserID) -> Bool {
        users[userID].map { namesakes[$0.name] == [userID] } ?? false
    }

    /// Everybody else who uses this user's name, ascending.
    func others(namedLike userID: UserID) -> [UserRecord] {
        guard let name = users[userID]?.name else { return [] }
        return namesakes[name, default: []].filter { $0 != userID }.sorted().compactMap { users[$0] }
    }

    /// Gives a user the name that they use, and takes it from whoever had it.
    /// - Returns: the records that changed, and what changed in each.
    mutating func pin(_ userID: UserID) -> [(UserRecord, Set<UserChange>)] {
        guard var user = users[userID], !user.isPinned else { return [] }
        var changed: [(UserRecord, Set<UserChange>)] = []
        if let holder = holders[user.name], var displaced = users[holder] {
            displaced.isPinned = false
            let wasVerified = displaced.trust == .verified
            if wasVerified { displaced.trust = .unverified }
            put(displaced)
            let changes: Set<UserChange> = wasVerified ? [.pin, .trust] : [.pin]
            changed.append((displaced, changes))
        }
        user.isPinned = true
        put(user)
        changed.append((user, [.pin]))
        return changed
    }

    /// A user is called from now on what they call themselves; whoever had that name loses it.
    /// - Returns: the records that changed, and what changed in each.
    mutating func takeClaimedName(_ userID: UserID) -> [(UserRecord, Set<UserChange>)] {
        guard var user = users[userID], let name = user.claimedName else { return [] }
        (user.name, user.claimedName, user.isPinned) = (name, nil, false)
        put(user)
        return pin(userID).map { $0.userID == userID ? ($0, [.name, .claimedName]) : ($0, $1) }
    }

    /// - Returns: the record, if it changed.
    mutating func setTrust(_ trust: Trust, of userID: UserID) -> UserRecord? {
        guard var user = users[userID], user.trust != trust else { return nil }
        user.trust = trust
        put(user)
        return user
    }

    private mutating func put(_ user: UserRecord) {
        remove(user.userID)
        users[user.userID] = user
        namesakes[user.name, default: []].insert(user.userID)
        if user.isPinned { holders[user.name] = user.userID }
    }

    private mutating func remove(_ userID: UserID) {
        guard let old = users.removeValue(forKey: userID) else { return }
        namesakes[old.name]?.remove(userID)
        if namesakes[old.name]?.isEmpty == true { namesakes[old.name] = nil }
        if holders[old.name] == userID { holders[old.name] = nil }
    }

    // MARK: - Links

    /// Notes a user who has proved who they are.
    /// - Returns: the record to write, and what changed; `nil` for a user who was not known.
    mutating func met(_ peer: LinkPeer, now: Moment) -> (user: UserRecord, changes: Set<UserChange>?) {
        let name = peer.credential.name
        var changes: Set<UserChange>? = users[peer.userID] == nil ? nil : []
        var user =
            users[peer.userID]
            ?? UserRecord(
                userID: peer.userID, name: name, trust: .unverified, isPinned: false, firstSeen: now.wallClock,
                lastSeen: now.wallClock)
        // Whoever has a name keeps it until this node's user agrees to another.
        let claimedName = user.isPinned && user.name != name ? name : nil
        if user.claimedName != claimedName {
            user.claimedName = claimedName
            changes?.insert(.claimedName)
        }
        if !user.isPinned, user.name != name {
            user.name = name
            changes?.insert(.name)
        }
        user.lastSeen = now.wallClock
        put(user)
        return (user, changes)
    }

    /// Notes a user of whom another device of this node's user speaks.
    /// - Returns: the record to write; `nil` for somebody who was known.
    mutating func heard(of userID: UserID, name: UserName, now: Moment) -> UserRecord? {
        guard users[userID] == nil else { return nil }
        let user = UserRecord(
            userID: userID, name: name, trust: .unverified, isPinned: false, firstSeen: now.wallClock,
            lastSeen: now.wallClock)
        put(user)
        return user
    }

    /// Notes a device that its user vouches for, and that others speak of.
    /// - Returns: the device's record, and the user's if they were not known; `nil` if that is not news.
    mutating func introduced(_ credential: Credential, now: Moment) -> (user: UserRecord?, device: DeviceRecord)? {
        var device = DeviceRecord(
            deviceID: credential.deviceID, userID: credential.userID, credential: credential.encoded(), addresses: [])
        if let known = devices[credential.deviceID] {
            // Whoever passes it on may have met the device after it renewed its credential.
            guard known.userID == credential.userID, known.credential != device.credential,
                let old = try? Credential(stored: known.credential), old.notAfter < credential.notAfter
            else { return nil }
            device.addresses = known.addresses
        }
        let user = heard(of: credential.userID, name: credential.name, now: now)
        put(device)
        return (user, device)
    }

    /// Notes a peer that is now linked.
    /// - Returns: the records to write, and what changed; `nil` for a user who was not known.
    mutating func linked(
        _ peer: LinkPeer, address: PeerAddress?, now: Moment
    ) -> (user: UserRecord, device: DeviceRecord, changes: Set<UserChange>?) {
        let met = met(peer, now: now)
        var changes = met.changes
        if !isOnline(peer.userID) { changes?.insert(.isOnline) }
        linkCounts[peer.userID, default: 0] += 1

        var addresses = devices[peer.deviceID]?.addresses ?? []
        if let address {
            addresses.removeAll { $0 == address }
            addresses.insert(address, at: 0)
        }
        let device = DeviceRecord(
            deviceID: peer.deviceID, userID: peer.userID, credential: peer.credential.encoded(),
            addresses: Array(addresses.prefix(Limits.addressesPerDevice)))
        put(device)
        return (met.user, device, changes)
    }

    /// Notes a link that ended.
    /// - Returns: the user's record, if that was the last link.
    mutating func unlinked(_ peer: LinkPeer, now: Moment) -> UserRecord? {
        guard let count = linkCounts[peer.userID], var user = users[peer.userID] else { return nil }
        linkCounts[peer.userID] = count > 1 ? count - 1 : nil
        user.lastSeen = now.wallClock
        put(user)
        return count > 1 ? nil : user
    }

    /// A device is there and has no link only because there are too many, or that is no longer so.
    /// - Returns: the user's record, if that makes them online, or offline.
    mutating func rested(_ deviceID: DeviceID, isResting: Bool, now: Moment) -> UserRecord? {
        let owner = devices[deviceID]?.userID
        let wasOnline = owner.map(isOnline)
        if isResting { resting.insert(deviceID) } else { resting.remove(deviceID) }
        guard let owner, var user = users[owner], isOnline(owner) != wasOnline else { return nil }
        user.lastSeen = now.wallClock
        put(user)
        return user
    }

    // MARK: - Strangers

    /// Forgets a stranger if there are more than a node remembers: first users who claim another's name, then those who
    /// were not seen for the longest time.
    /// - Parameter isStranger: whether nothing was ever exchanged with a user.
    /// - Returns: the user who was forgotten.
    mutating func forgetSurplus(
        limit: Int = Limits.strangers, except newcomer: UserID, where isStranger: (UserID) -> Bool
    ) -> UserID? {
        guard users.count > limit else { return nil }
        let strangers = users.values.filter {
            !$0.isPinned && $0.trust == .unverified && !isLinked($0.userID) && $0.userID != newcomer
                && isStranger($0.userID)
        }
        guard strangers.count >= limit,
            let oldest = strangers.min(by: { isForgotten($0, before: $1) })
        else { return nil }
        remove(oldest.userID)
        for deviceID in devicesOfUser.removeValue(forKey: oldest.userID) ?? [] { devices[deviceID] = nil }
        return oldest.userID
    }

    private mutating func put(_ device: DeviceRecord) {
        if let old = devices.updateValue(device, forKey: device.deviceID) {
            devicesOfUser[old.userID]?.remove(old.deviceID)
        }
        devicesOfUser[device.userID, default: []].insert(device.deviceID)
    }

    /// Forgets a device of a user who has more than a node remembers.
    /// - Parameter isForgettable: whether a device has no link and has written nothing.
    /// - Returns: the device that was forgotten.
    mutating func forgetSurplusDevice(
        of userID: UserID, except newcomer: DeviceID, where isForgettable: (DeviceID) -> Bool
    ) -> DeviceID? {
        guard let own = devicesOfUser[userID], own.count > Limits.devicesPerUser else { return nil }
        let candidates = own.filter { $0 != newcomer && isForgettable($0) }
        guard candidates.count >= Limits.devicesPerUser, let deviceID = candidates.min() else { return nil }
        devices[deviceID] = nil
        devicesOfUser[userID]?.remove(deviceID)
        return deviceID
    }

    private func isForgotten(_ a: UserRecord, before b: UserRecord) -> Bool {
        let (isClaimA, isClaimB) = (conflictingID(a) != nil, conflictingID(b) != nil)
        return isClaimA == isClaimB ? (a.lastSeen, a.userID) < (b.lastSeen, b.userID) : isClaimA
    }
}
