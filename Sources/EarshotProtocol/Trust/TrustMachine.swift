import EarshotModel

/// Decides who owns a name and who is let in, and knows what follows from that and from the decisions of this node's
/// user.
///
/// It keeps the users and devices that this node has met. It never closes a link, fails a message or writes to the disk
/// itself: it returns actions that say what to do, in their order.
struct TrustMachine: Sendable {
    enum Action: Sendable {
        /// Write the user. The event reports them after that; `isNew` for a user who was not known.
        case met(UserRecord, Event?, isNew: Bool)
        case writeDevice(DeviceRecord)
        case forgetUser(UserID)
        case forgetDevice(DeviceID)
        /// Report that somebody claims another's name.
        case conflict(IdentityConflict)
        /// Nothing more may be sent to a user.
        case failMessages(to: UserID)
        case closeLinks(to: UserID, CloseReason, ProtocolError)
        /// Devices that were refused may now be wanted.
        case dialEverybody
        /// Tell the other devices of this node's user, in the commit that writes the user.
        case share(Decision)
    }

    /// What was exchanged with a user so far: facts of other machines that decide about strangers.
    struct Exchange: Sendable {
        /// Whether this node has ever written to them.
        let hasWritten: Bool
        /// Whether it holds logs of this user.
        let hasReceived: Bool
    }

    private(set) var directory: UserDirectory
    /// What all devices of this node's user have decided.
    private var decisions: Decisions?
    private var admission = Admission.everybody
    /// Conflicts that were reported.
    private var toldConflicts: Set<IdentityConflict> = []
    /// How often claims of strangers are reported.
    private var claims = AddressBudget(
        perAddress: Limits.failuresPerAddress, perAddressAndSecond: Limits.failuresPerAddressAndSecond,
        perSecond: Limits.failuresPerSecond)

    /// - Parameter decisions: `nil` for a machine that shares nothing.
    init(users: [UserRecord] = [], devices: [DeviceRecord] = [], decisions: Decisions? = nil) {
        directory = UserDirectory(users: users, devices: devices)
        self.decisions = decisions
    }

    var toldConflictCount: Int { toldConflicts.count }

    /// Whether this node has never written to a user, and its own user has not verified them. A message from a user
    /// makes them no less a stranger: anybody who makes up identities can make up messages.
    func isStranger(_ userID: UserID, hasWritten: Bool) -> Bool {
        !hasWritten && directory.users[userID]?.trust != .verified
    }

    /// The devices that may be dialled at their last addresses; those whose users were seen last come first.
    var reachableDevices: [DeviceRecord] {
        directory.devices.values
            .filter { !$0.addresses.isEmpty }
            .map { (record: $0, lastSeen: directory.users[$0.userID]?.lastSeen ?? 0) }
            .sorted { ($1.lastSeen, $0.record.deviceID) < ($0.lastSeen, $1.record.deviceID) }
            .map(\.record)
    }

    // MARK: - Who is let in

    /// Changes who may have a link. Links of everybody else end at once; messages that wait for them stay.
    /// - Parameter linked: the users who have links now.
    mutating func admit(_ admission: Admission, linked: some Sequence<UserID>) -> [Action] {
        self.admission = admission
        let refused = linked.filter { !admission.admits($0) }.sorted()
        return refused.map {
            .closeLinks(to: $0, .notAdmitted, notAdmitted($0, closeReason: .notAdmitted))
        } + [.dialEverybody]
    }

    func admits(_ userID: UserID) -> Bool { admission.admits(userID) }

    /// Why a peer gets no link; `nil` if it gets one.
    func refusal(of peer: LinkPeer) -> (reason: CloseReason, error: ProtocolError)? {
        guard admission.admits(peer.userID) else {
            return (.notAdmitted, notAdmitted(peer.userID, name: peer.credential.name, closeReason: .notAdmitted))
        }
        if let user = directory.users[peer.userID], user.trust == .blocked {
            return (.blocked, ProtocolError(.closedHere, "\(user.name) is blocked", closeReason: .blocked))
        }
        if let conflict = directory.conflict(of: peer.credential) {
            return (.identityConflict, error(of: conflict, closeReason: .identityConflict))
        }
        return nil
    }

    /// Throws if no message is accepted for a user.
    func checkRecipient(_ userID: UserID) throws(ProtocolError) {
        // Who was never met can be written to by their key: the message waits until they are here.
        if let user = directory.users[userID] {
            try checkNotBlocked(user)
            if let conflict = conflict(of: user) { throw error(of: conflict) }
        }
        guard admission.admits(userID) else { throw notAdmitted(userID) }
    }

    /// Why messages to a user fail; `nil` if they do not.
    func bar(to userID: UserID) -> FailureReason? {
        if directory.users[userID]?.trust == .blocked { return .blocked }
        return conflict(of: userID) == nil ? nil : .identityChanged
    }

    /// - Parameter name: the name that they show, if this node has not met them yet.
    private func notAdmitted(
        _ userID: UserID, name: UserName? = nil, closeReason: CloseReason? = nil
    ) -> ProtocolError {
        let who = (directory.users[userID]?.name ?? name).map { "\($0) (\(userID.fingerprint))" } ?? userID.fingerprint
        return ProtocolError(
            closeReason == nil ? .notAdmitted : .closedHere, "\(who) is not among those whom this node admits",
            closeReason: closeReason)
    }

    // MARK: - Decisions

    /// This node's user has decided about another.
    /// - Parameters:
    ///   - name: the other's name at the time of the decision, or what they called themselves. If they have another name now,
    ///     nothing is done.
    ///   - signed: the same with the identity key's word; `nil` where that key is not at hand.
    mutating func decide(
        _ decision: TrustDecision, about userID: UserID, name: UserName?, signed: Decision? = nil,
        exchange: (UserID) -> Exchange, now: Moment
    ) throws(ProtocolError) -> [Action] {
        let said = signed ?? (decision.needsProof ? nil : self.decision(decision, about: userID, name: name))
        let actions = try follow(decision, about: userID, name: name, exchange: exchange, now: now)
        guard let said, decisions?.isNews(decision, about: userID, name: said.name) == true else { return actions }
        decisions?.decide(said)
        return actions + [.share(said)]
    }

    private mutating func follow(
        _ decision: TrustDecision, about userID: UserID, name: UserName?, exchange: (UserID) -> Exchange, now: Moment
    ) throws(ProtocolError) -> [Action] {
        let user = try known(userID)
        guard name == nil || user.name == name || user.claimedName == name else {
            throw ProtocolError(
                .nameChanged, "\(userID.fingerprint) calls itself \(user.claimedName ?? user.name) now")
        }
        switch decision {
        case .accept:
            try checkNotBlocked(user)
            if let claimed = user.claimedName, name == nil || name == claimed {
                return takeClaimedName(userID, exchange: exchange, now: now) + [.dialEverybody]
            }
            return pin(userID, exchange: exchange, now: now) + [.dialEverybody]
        case .verify:
            try checkNotBlocked(user)
            if let conflict = conflict(of: userID) { throw error(of: conflict) }
            return pin(userID, exchange: exchange, now: now) + setTrust(.verified, of: userID)
        case .block: return block(user)
        case .unblock: return unblock(user)
        }
    }

    private mutating func block(_ user: UserRecord) -> [Action] {
        guard user.trust != .blocked else { return [] }
        let error = ProtocolError(.closedHere, "\(user.name) is blocked", closeReason: .blocked)
        return setTrust(.blocked, of: user.userID)
            + [.closeLinks(to: user.userID, .blocked, error), .failMessages(to: user.userID)]
    }

    /// Whose key was compared by the user's own word is what they were.
    private mutating func unblock(_ user: UserRecord) -> [Action] {
        guard user.trust == .blocked else { return [] }
        let isVerified = decisions?.outcome.verified.contains(user.userID) == true
        return setTrust(isVerified ? .verified : .unverified, of: user.userID) + [.dialEverybody]
    }

    private func known(_ userID: UserID) throws(ProtocolError) -> UserRecord {
        guard let user = directory.users[userID] else {
            throw ProtocolError(.unknownUser, "this node has never met anybody with the key \(userID.fingerprint)")
        }
        return user
    }

    private func checkNotBlocked(_ user: UserRecord) throws(ProtocolError) {
        guard user.trust != .blocked else { throw ProtocolError(.blocked, "\(user.name) is blocked") }
    }

    private mutating func setTrust(_ trust: Trust, of userID: UserID) -> [Action] {
        guard let user = directory.setTrust(trust, of: userID) else { return [] }
        return [updated(user, [.trust])]
    }

    // MARK: - Decisions of the user's other devices

    /// What this device says to the others when its user decides something; `nil` about somebody who was never met.
    /// - Parameter name: the name that the user saw.
    func decision(_ verdict: TrustDecision, about userID: UserID, name: UserName?) -> Decision? {
        guard let decisions, let user = directory.users[userID] else { return nil }
        let accepted = verdict == .accept && name != user.name ? user.claimedName : nil
        return Decision(verdict, about: userID, name: accepted ?? user.name, counter: decisions.nextCounter)
    }

    /// Takes entries of the user's own conversation.
    /// - Parameter isOwn: whether this device has written them, and they are on the disk.
    mutating func adopt(
        _ entries: RecordedEntries, isOwn: Bool, exchange: (UserID) -> Exchange, now: Moment
    ) -> [Action] {
        guard let before = decisions?.outcome else { return [] }
        decisions?.insert(entries, isOwn: isOwn)
        guard let after = decisions?.outcome, after != before else { return [] }
        var actions: [Action] = []
        let pinned = after.holders.filter { before.holders[$0.key] != $0.value }.sorted { $0.key < $1.key }
        let blocked = after.blocked.subtracting(before.blocked).sorted()
        for userID in blocked + pinned.map(\.value) {
            if let name = after.names[userID], let user = directory.heard(of: userID, name: name, now: now) {
                actions.append(.met(user, .userDiscovered(directory.shown(user)), isNew: true))
            }
        }
        for user in blocked.compactMap({ directory.users[$0] }) { actions += block(user) }
        for user in before.blocked.subtracting(after.blocked).sorted().compactMap({ directory.users[$0] }) {
            actions += unblock(user)
        }
        for (name, userID) in pinned where directory.users[userID]?.claimedName == name {
            actions += takeClaimedName(userID, exchange: exchange, now: now) + [.dialEverybody]
        }
        for (name, userID) in pinned where directory.users[userID]?.name == name || directory.isNamedAlone(userID) {
            actions += pin(userID, exchange: exchange, now: now) + [.dialEverybody]
        }
        for userID in before.verified.subtracting(after.verified).sorted()
        where directory.users[userID]?.trust == .verified { actions += setTrust(.unverified, of: userID) }
        for userID in after.verified.sorted() where directory.users[userID]?.trust == .unverified {
            actions += setTrust(.verified, of: userID)
        }
        return actions
    }

    // MARK: - Names

    /// Whether a message exchanged with a user would give them their name. If several users have it, only a decision of
    /// this node's user does, because a program that answers everybody who writes decides nothing.
    func isPinnedByUse(_ userID: UserID) -> Bool {
        directory.users[userID]?.isPinned == false && directory.isNamedAlone(userID)
    }

    /// Gives a user their name. Everybody else who has it is in conflict from now on.
    mutating func pin(_ userID: UserID, exchange: (UserID) -> Exchange, now: Moment) -> [Action] {
        shutOutOthers(named: directory.pin(userID), like: userID, exchange: exchange, now: now)
    }

    /// The same with the name that they call themselves now.
    private mutating func takeClaimedName(
        _ userID: UserID, exchange: (UserID) -> Exchange, now: Moment
    ) -> [Action] {
        shutOutOthers(named: directory.takeClaimedName(userID), like: userID, exchange: exchange, now: now)
    }

    private mutating func shutOutOthers(
        named changes: [(UserRecord, Set<UserChange>)], like userID: UserID, exchange: (UserID) -> Exchange, now: Moment
    ) -> [Action] {
        var actions = changes.map { updated($0, $1) }
        for other in directory.others(namedLike: userID) {
            guard let conflict = conflict(of: other.userID) else { continue }
            actions += shutOut(conflict, at: nil, exchange: exchange, now: now)
        }
        return actions
    }

    /// The conflict that a known user is in; `nil` if there is none.
    private func conflict(of userID: UserID) -> IdentityConflict? {
        directory.users[userID].flatMap { conflict(of: $0) }
    }

    private func conflict(of user: UserRecord) -> IdentityConflict? {
        guard let pinnedID = directory.conflictingID(user) else { return nil }
        return IdentityConflict(name: user.name, pinnedID: pinnedID, claimedBy: user.userID)
    }

    /// Keeps out somebody who claims another's name: nothing is sent to them and nothing is accepted from them, on open
    /// links either.
    private mutating func shutOut(
        _ conflict: IdentityConflict, at host: String?, exchange: (UserID) -> Exchange, now: Moment
    ) -> [Action] {
        let told: [Action] = tells(conflict, at: host, exchange: exchange, now: now) ? [.conflict(conflict)] : []
        let error = error(of: conflict, closeReason: .identityConflict)
        return told + [
            .failMessages(to: conflict.claimedBy),
            .closeLinks(to: conflict.claimedBy, .identityConflict, error),
        ]
    }

    /// Reports a claim only once, because the claimant tries again and again. Claimants cost nothing, so only some of
    /// many are reported; one that was left out may be reported at its next try. The first who claims the name of
    /// somebody whom this node's user knows is always reported.
    private mutating func tells(
        _ conflict: IdentityConflict, at host: String?, exchange: (UserID) -> Exchange, now: Moment
    ) -> Bool {
        guard !toldConflicts.contains(conflict) else { return false }
        let isFirst = !toldConflicts.contains { $0.pinnedID == conflict.pinnedID }
        let isKnown = !isStranger(conflict.pinnedID, hasWritten: exchange(conflict.pinnedID).hasWritten)
        guard isFirst && isKnown || claims.admits(host ?? "", now: now.uptime) else { return false }
        if toldConflicts.count >= Limits.strangers { toldConflicts.removeAll() }
        toldConflicts.insert(conflict)
        return true
    }

    private func error(of conflict: IdentityConflict, closeReason: CloseReason? = nil) -> ProtocolError {
        let text =
            "the name \(conflict.name) is pinned to the key \(conflict.pinnedID.fingerprint), and "
            + "\(conflict.claimedBy.fingerprint) claims it"
        return ProtocolError(closeReason == nil ? .identityConflict : .closedHere, text, closeReason: closeReason)
    }

    // MARK: - Meetings

    /// A peer is refused. If it claims the name of another, that is worth noting.
    mutating func refused(
        _ peer: LinkPeer, at host: String?, exchange: (UserID) -> Exchange, now: Moment
    ) -> [Action] {
        guard let conflict = directory.conflict(of: peer.credential) else { return [] }
        let (user, changes) = directory.met(peer, now: now)
        return met(user, changes, exchange: exchange, now: now)
            + shutOut(conflict, at: host, exchange: exchange, now: now)
    }

    /// A peer is linked.
    /// - Parameters:
    ///   - address: the address at which this node has dialled it.
    ///   - isIdle: whether a device has no link and has written nothing.
    mutating func linked(
        _ peer: LinkPeer, at address: PeerAddress?, exchange: (UserID) -> Exchange, isIdle: (DeviceID) -> Bool,
        now: Moment
    ) -> [Action] {
        let (user, device, changes) = directory.linked(peer, address: address, now: now)
        // A node remembers a bounded number of a user's devices, apart from those that have written to it. It matters
        // little which of the others it forgets: all that it knows of them is where they were.
        let forgotten = directory.forgetSurplusDevice(of: device.userID, except: device.deviceID, where: isIdle)
        return [.writeDevice(device)] + (forgotten.map { [.forgetDevice($0)] } ?? [])
            + met(user, changes, exchange: exchange, now: now)
    }

    /// Somebody passes on the credential of a device that need not be linked ever. It pins no name.
    mutating func introduce(_ credential: Credential, exchange: (UserID) -> Exchange, now: Moment) -> [Action] {
        guard let (user, device) = directory.introduced(credential, now: now) else { return [] }
        let written: [Action] = user.map { [.met($0, .userDiscovered(directory.shown($0)), isNew: true)] } ?? []
        return written + [.writeDevice(device)]
    }

    /// The user whose device it is, as far as this node has met or heard of it.
    func owner(of deviceID: DeviceID) -> UserID? { directory.devices[deviceID]?.userID }

    /// The newest credential of a device that this node has met or heard of.
    func credential(of deviceID: DeviceID) -> Credential? {
        // What is on the disk was checked when it came.
        directory.devices[deviceID].flatMap { try? Credential(stored: $0.credential) }
    }

    /// The credential of a user's device that is valid longest.
    func credential(of userID: UserID) -> Credential? {
        directory.devices.values.filter { $0.userID == userID }.compactMap { credential(of: $0.deviceID) }
            .max { ($0.notAfter, $0.deviceID) < ($1.notAfter, $1.deviceID) }
    }

    /// A link to a peer has ended.
    mutating func unlinked(_ peer: LinkPeer, now: Moment) -> [Action] {
        directory.unlinked(peer, now: now).map { [updated($0, directory.isOnline($0.userID) ? [] : [.isOnline])] } ?? []
    }

    /// A device is there and has no link only because there are too many, or that is no longer so.
    mutating func rested(_ deviceID: DeviceID, isResting: Bool, now: Moment) -> [Action] {
        directory.rested(deviceID, isResting: isResting, now: now).map { [updated($0, [.isOnline])] } ?? []
    }

    private mutating func met(
        _ user: UserRecord, _ changes: Set<UserChange>?, exchange: (UserID) -> Exchange, now: Moment
    ) -> [Action] {
        if let changes {
            // On another device of this node's user they are called so already.
            guard let name = user.claimedName, decisions?.outcome.holders[name] == user.userID else {
                return [updated(user, changes)]
            }
            return [updated(user, changes)] + takeClaimedName(user.userID, exchange: exchange, now: now)
        }
        var discovered = [Action.met(user, .userDiscovered(directory.shown(user)), isNew: true)]
        // A message that was written to their key before pins their name, as any first message does.
        if exchange(user.userID).hasWritten, isPinnedByUse(user.userID) {
            discovered += pin(user.userID, exchange: exchange, now: now)
        }
        // A node remembers a bounded number of users whom it has only met.
        let forgotten = directory.forgetSurplus(except: user.userID) {
            let exchange = exchange($0)
            return !exchange.hasWritten && !exchange.hasReceived
        }
        guard let forgotten else { return discovered }
        toldConflicts = toldConflicts.filter { $0.claimedBy != forgotten }
        return discovered + [.forgetUser(forgotten)]
    }

    private func updated(_ user: UserRecord, _ changes: Set<UserChange>) -> Action {
        let event: Event? = changes.isEmpty ? nil : .userUpdated(directory.shown(user), changes: changes)
        return .met(user, event, isNew: false)
    }
}
