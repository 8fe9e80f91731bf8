import EarshotCrypto
import EarshotModel

/// Decides which links there are, whom to dial, and what strangers and peers may cost.
///
/// It owns the links from the first dial or connection to their end. It does not decide who is let in, and does not
/// look at what goes over a link: it passes on what a link's own machine wants.
struct PeersMachine: Sendable {
    enum Action: Sendable {
        case connect(ConnectionID, [PeerAddress])
        case disconnect(ConnectionID)
        /// A tick is wanted by this uptime.
        case wake(by: Int64)
        /// A stranger's connection was closed because there are too many; this is reported now and then.
        case refused(LinkFailure?)
    }

    private(set) var local: LocalDevice
    private(set) var links: LinkTable
    private(set) var dialer: Dialer
    private(set) var limits = PeerLimits()
    private var unfinished = UnfinishedFrames()
    /// Links with frames to send.
    private var linksToFlush: Set<ConnectionID> = []
    /// Links that lose against another one to the same device; they are closed at the end of the current input.
    private var duplicates: [ConnectionID] = []
    /// Devices whose dials have failed since the last input.
    private var sought: Set<DeviceID> = []
    private(set) var connectionCount: UInt64 = 0
    private(set) var isStopping = false
    /// Draws a key for one handshake. It is handed in, because a machine draws nothing itself.
    private let ephemeralKey: @Sendable () -> AgreementKey

    /// - Parameter linkLimit: how many links there may be.
    init(
        local: LocalDevice, linkLimit: Int = Limits.links, ephemeralKey: @escaping @Sendable () -> AgreementKey
    ) {
        self.local = local
        links = LinkTable(limit: linkLimit)
        dialer = Dialer(origin: local.deviceID, unaskedLinks: Limits.unaskedLinks(of: linkLimit))
        self.ephemeralKey = ephemeralKey
    }

    /// - Precondition: it is one of this node's user, device and keys.
    mutating func renew(_ credential: Credential, now: Int64) {
        let old = local.link.credential
        precondition(
            credential.userID == old.userID && credential.deviceID == old.deviceID
                && credential.agreementKey == old.agreementKey,
            "a node shows the credential of its own keys")
        local.link.credential = credential
        dialer.retryAll(now: now)
    }

    /// Nobody is dialled or let in from now on.
    mutating func stop() { isStopping = true }

    // MARK: - Who is dialled

    /// The uptime at which somebody is to be dialled.
    var dialDeadline: Int64 { isStopping ? .max : dialer.deadline }

    /// Somebody advertises a device.
    /// - Parameters:
    ///   - remembered: where it was linked in an earlier run, the latest first.
    ///   - fingerprint: the beginning of the user's key, as it is advertised.
    ///   - isFamiliar: whether it belongs to somebody whom this node's user has to do with.
    /// - Returns: a link to it that has been silent and may be dead: a device that is advertised anew may have come
    ///   back and have forgotten a link that this end still believes in.
    mutating func found(
        _ deviceID: DeviceID, addresses: [PeerAddress], remembered: [PeerAddress], fingerprint: String? = nil,
        isFamiliar: Bool = false, now: Int64
    ) -> ConnectionID? {
        dialer.advertised(
            deviceID, addresses: addresses, remembered: remembered, isFirst: local.deviceID < deviceID,
            fingerprint: fingerprint, isFamiliar: isFamiliar, now: now)
        guard let standing = links.connection(to: deviceID), let link = links[standing] else { return nil }
        if !link.machine.isDoubted { dialer.linked(.device(deviceID)) }
        return now - link.machine.lastHeard > Timing.silenceBeforeDoubt ? standing : nil
    }

    mutating func lost(_ deviceID: DeviceID, now: Int64) { dialer.lost(.device(deviceID), now: now) }

    mutating func add(_ address: PeerAddress, now: Int64) {
        dialer.found(.address(address), addresses: [address], now: now)
    }

    /// Dials devices at their last addresses, the first ones first. Devices beyond the limit are not dialled.
    mutating func recall(_ devices: [DeviceRecord], now: Int64) {
        let unlinked = devices.filter { links.connection(to: $0.deviceID) == nil }
        for record in unlinked.prefix(Limits.rememberedDevices) {
            dialer.recalled(
                .device(record.deviceID), addresses: record.addresses, delay: Timing.dialDeference, now: now)
        }
    }

    /// Whether some devices have no link because there are too many.
    var isCrowded: Bool { dialer.isCrowded }

    /// This node has something for a device that has no link.
    mutating func reach(_ deviceID: DeviceID, delay: Int64, now: Int64) {
        dialer.reach(.device(deviceID), delay: delay, now: now)
    }

    /// Devices that have begun to wait for room since this was last asked.
    mutating func takeParked() -> [DeviceID] { dialer.takeParked() }

    /// Devices that are there and have no link only because there are too many, or of which that is no longer so, since
    /// this was last asked.
    mutating func takeRestNews() -> [(deviceID: DeviceID, isResting: Bool)] { dialer.takeRestNews() }

    /// Everybody may be reachable, or welcome, again.
    mutating func dialEverybody(now: Int64) { dialer.retryAll(now: now) }

    /// Dials the targets that are due. A dial that hangs gives way to the next.
    mutating func dialDue(now: Moment) -> [Action] {
        guard !isStopping else { return [] }
        var actions: [Action] = []
        for (target, addresses) in dialer.due(now: now.uptime, linked: links.deviceCount) {
            for connectionID in links.dials(of: target) {
                _ = remove(connectionID)
                actions.append(.disconnect(connectionID))
            }
            let connectionID = nextConnection()
            let machine = linkMachine(.initiator, now: now)
            links.insert(
                .dialling(target, Link.Connection(machine: machine, address: addresses.first)), connectionID)
            actions += [.wake(by: machine.deadline), .connect(connectionID, addresses)]
        }
        return actions
    }

    private mutating func nextConnection() -> ConnectionID {
        connectionCount += 1
        return ConnectionID(connectionCount)
    }

    private func linkMachine(_ role: HandshakeState.Role, now: Moment) -> LinkMachine {
        do {
            return try LinkMachine(role: role, configuration: local.link, ephemeralKey: ephemeralKey(), now: now)
        } catch {
            preconditionFailure("a handshake with this node's own keys can always begin: \(error)")
        }
    }

    // MARK: - Connections

    /// Somebody connected. If there are too many connections, it takes the place of a handshake.
    mutating func accepted(from address: PeerAddress?, now: Moment) -> (ConnectionID, [Action]) {
        let connectionID = nextConnection()
        guard !isStopping, limits.admitsConnection(from: address, now: now.uptime) else {
            return (connectionID, [.disconnect(connectionID), refuse(address, now: now)])
        }
        let machine = linkMachine(.responder, now: now)
        var actions: [Action] = []
        if let surplus = links.surplusHandshake(for: address), let link = remove(surplus) {
            actions += [.disconnect(surplus), refuse(link.address, now: now)]
        }
        links.insert(.answering(Link.Connection(machine: machine, address: address)), connectionID)
        return (connectionID, actions + [.wake(by: machine.deadline)])
    }

    private mutating func refuse(_ address: PeerAddress?, now: Moment) -> Action {
        .refused(isStopping ? nil : limits.refused(address, now: now.uptime))
    }

    /// A dial succeeded.
    /// - Returns: `nil` for a dial that was given up.
    mutating func connected(_ connectionID: ConnectionID, to address: PeerAddress) -> [LinkMachine.Action]? {
        guard case .dialling(let target, _) = links[connectionID] else { return nil }
        dialer.reached(target, at: address)
        return links.updateConnection(connectionID) { connection in
            connection.address = address
            return connection.machine.start()
        }
    }

    /// A dial failed.
    /// - Returns: the failure to report, if the user has given the address.
    mutating func connectFailed(_ connectionID: ConnectionID, reason: String, now: Int64) -> LinkFailure? {
        guard case .dialling(let target, _) = links[connectionID] else { return nil }
        _ = remove(connectionID)
        if standingLink(for: target, of: nil) != nil {
            dialer.linked(target)
        } else {
            failed(target, now: now)
        }
        guard case .address(let address) = target else { return nil }
        return LinkFailure(
            address: address.description, userID: nil, code: ProtocolError.Code.unreachable.description,
            message: "\(address) cannot be reached: \(reason)")
    }

    /// Bytes came. Bytes of a connection that is gone are dropped.
    mutating func received(_ bytes: [UInt8], on connectionID: ConnectionID, now: Moment) -> [LinkMachine.Action] {
        links.updateMachine(connectionID) { $0.received(bytes, now: now) } ?? []
    }

    /// Notes what has come of a frame that is not whole.
    /// - Returns: a link of a stranger that gives way, if one must.
    mutating func noteUnfinished(on connectionID: ConnectionID, isStranger: Bool, now: Int64) -> ConnectionID? {
        guard isStranger, let frame = links[connectionID]?.machine.unfinished else {
            unfinished.forget(connectionID)
            return nil
        }
        unfinished.note(frame, on: connectionID, now: now)
        return unfinished.surplus
    }

    /// The node wants the peer that has introduced itself.
    mutating func accept(_ connectionID: ConnectionID, now: Moment) -> [LinkMachine.Action] {
        links.updateMachine(connectionID) { $0.accept(now: now) } ?? []
    }

    mutating func refuse(
        _ connectionID: ConnectionID, _ reason: CloseReason, _ error: ProtocolError, now: Moment
    ) -> [LinkMachine.Action] {
        links.updateMachine(connectionID) { $0.refuse(error, reason: reason, now: now) } ?? []
    }

    /// Whether a peer that has introduced itself has shown that it has the network key, too. The pattern proves it to
    /// the end that dialled only with the first message after the handshake; before that, nothing is noted about the
    /// peer.
    func provesMembership(_ connectionID: ConnectionID) -> Bool {
        local.link.networkKey == nil || links[connectionID]?.isOutbound == false
    }

    // MARK: - What goes over a link

    /// Adds a frame to those that leave at the end of the current input.
    mutating func send(_ frame: Frame, on connectionID: ConnectionID) {
        links.updateMachine(connectionID) { $0.enqueue(frame) }
        linksToFlush.insert(connectionID)
    }

    mutating func wantsFlush(_ connectionID: ConnectionID) { linksToFlush.insert(connectionID) }

    /// Links with frames to send, ascending; empty when everything is sent.
    mutating func takeLinksToFlush() -> [ConnectionID] {
        guard !linksToFlush.isEmpty else { return [] }
        defer { linksToFlush.removeAll(keepingCapacity: true) }
        return linksToFlush.sorted()
    }

    mutating func flush(_ connectionID: ConnectionID, now: Moment) -> [LinkMachine.Action] {
        links.updateMachine(connectionID) { $0.flush(now: now) } ?? []
    }

    mutating func tick(_ connectionID: ConnectionID, now: Moment) -> [LinkMachine.Action] {
        links.updateMachine(connectionID) { $0.deadline <= now.uptime ? $0.tick(now: now) : [] } ?? []
    }

    /// Notes that a link is used: links that were not used for long give way first.
    mutating func noteUse(of connectionID: ConnectionID, now: Int64) {
        links.updateEstablished(connectionID) { $0.lastUsed = now }
    }

    /// What a peer sent was worth so many requests, because it moved a log forward; or, if the number is negative, cost
    /// that many more.
    mutating func credit(_ requests: Int, on connectionID: ConnectionID) {
        links.updateEstablished(connectionID) { $0.credit += requests }
    }

    /// This node's own clock was set.
    mutating func clockWasSet(by jump: Int64) {
        links.updateMachines { $0.clockWasSet(by: jump) }
    }

    // MARK: - Links in doubt

    /// There is reason to doubt that a peer is still there: it is pinged.
    mutating func doubt(_ connectionID: ConnectionID, isAnew: Bool, now: Moment) -> [LinkMachine.Action]? {
        guard links[connectionID]?.peer != nil else { return nil }
        return links.updateMachine(connectionID) { $0.doubt(isAnew: isAnew, now: now) }
    }

    /// A peer does not answer: it is dialled before the link is given up. If the peer is there, its new link wins.
    mutating func dialBeside(_ connectionID: ConnectionID, now: Int64) {
        guard let link = links[connectionID]?.established else { return }
        let peer = link.peer
        let delay = local.deviceID < peer.deviceID ? 0 : Timing.dialDeference
        // If the device is known, only the device is dialled, and not its given address as well.
        if dialer.doubted(.device(peer.deviceID), delay: delay, now: now) { return }
        for target in link.targets where target != .device(peer.deviceID) {
            dialer.doubted(target, delay: delay, now: now)
        }
    }

    /// The peer answers after all.
    mutating func trusted(_ connectionID: ConnectionID) {
        for target in links[connectionID]?.targets ?? [] { dialer.linked(target) }
    }

    // MARK: - Established links

    /// A peer is accepted.
    /// - Returns: the link; `nil` if it is over, or was already established.
    mutating func establish(_ peer: LinkPeer, on connectionID: ConnectionID, now: Int64) -> EstablishedLink? {
        var dialled: Set<Dialer.Target> = []
        switch links[connectionID] {
        case .dialling(.device(let deviceID), _) where deviceID != peer.deviceID:
            failed(.device(deviceID), now: now)
        case .dialling(let target, _): dialled = [target]
        case .answering: break
        case .established, nil: return nil
        }
        guard let connection = links[connectionID]?.connection else { return nil }
        let link = EstablishedLink(connection, peer: peer, targets: dialled, establishedAt: now)
        for target in link.targets { dialer.linked(target) }
        if link.isOutbound, let address = link.address { dialer.proved(.device(peer.deviceID), at: address) }
        links.establish(link, connectionID)
        return link
    }

    /// Decides which of the links to a device stays.
    /// - Returns: whether this one does.
    mutating func choose(_ connectionID: ConnectionID, for peer: LinkPeer) -> Bool {
        let loser = links.choose(connectionID, isFirst: local.deviceID < peer.deviceID)
        if let loser { duplicates.append(loser) }
        return loser != connectionID
    }

    mutating func takeDuplicates() -> [ConnectionID] {
        defer { duplicates.removeAll() }
        return duplicates
    }

    // MARK: - The end of a link

    /// Closes a link, and tells the peer why.
    mutating func close(_ connectionID: ConnectionID, _ reason: CloseReason, now: Moment) -> [LinkMachine.Action]? {
        links.updateMachine(connectionID) { $0.close(reason, now: now) }
    }

    /// A link is over.
    /// - Returns: the link as it was.
    mutating func end(_ connectionID: ConnectionID, error: ProtocolError?, now: Int64) -> Link? {
        guard let link = remove(connectionID) else { return nil }
        for target in link.targets {
            if link.peer == nil { noteProof(of: target, by: link) }
            if let survivor = standingLink(for: target, of: link.peer) {
                links.updateEstablished(survivor) { $0.targets.insert(target) }
                dialer.linked(target)
            } else if case .address = target, error?.closeReason == .ownIdentity, error?.code == .closedHere {
                // Only if it is proved: anybody may answer at an address. And never a device: a device that is
                // advertised at this node's own address may also be elsewhere.
                dialer.dropped(target)
            } else if links.dials(of: target).isEmpty {
                let failure = failure(error, of: target, by: link)
                dialer.failed(target, failure, now: now)
                if link.peer == nil, failure == .lost { seek(target) }
            }
        }
        dialer.roomArose(linked: links.deviceCount, now: now)
        return link
    }

    /// A dial has not come to its target: it may be elsewhere by now.
    private mutating func failed(_ target: Dialer.Target, now: Int64) {
        dialer.failed(target, now: now)
        seek(target)
    }

    private mutating func seek(_ target: Dialer.Target) {
        if case .device(let deviceID) = target { sought.insert(deviceID) }
    }

    /// The devices whose dials have failed since this was last asked, ascending; a device that refuses is not among them.
    mutating func takeSought() -> [DeviceID] {
        guard !sought.isEmpty else { return [] }
        defer { sought.removeAll() }
        return sought.sorted()
    }

    /// A connection turns out to be no link: it is somebody else's from now on.
    /// - Returns: whether there is one.
    mutating func handOver(_ connectionID: ConnectionID) -> Bool { remove(connectionID) != nil }

    func drawKey() -> AgreementKey { ephemeralKey() }

    private mutating func remove(_ connectionID: ConnectionID) -> Link? {
        linksToFlush.remove(connectionID)
        unfinished.forget(connectionID)
        return links.remove(connectionID)
    }

    /// A link that failed may still have shown that the device is where it was dialled.
    private mutating func noteProof(of target: Dialer.Target, by link: Link) {
        guard link.isOutbound, let address = link.address, case .device(link.machine.introduced?.deviceID) = target
        else { return }
        dialer.proved(target, at: address)
    }

    /// Why a link to a target is over. Only a device that has proved itself can be refused here, or refuse this node.
    private func failure(_ error: ProtocolError?, of target: Dialer.Target, by link: Link) -> Dialer.Failure {
        if isCrowded(error, wasEstablished: link.peer != nil) { return .crowded }
        if case .device(let deviceID) = target, link.machine.introduced?.deviceID != deviceID { return .lost }
        return switch error?.closeReason {
        case .notAdmitted, .blocked, .identityConflict, .revoked: .refused
        case .tooManyRequests: .excessive
        default: .lost
        }
    }

    /// Whether one of the two ends gave a link up because it has too many.
    private func isCrowded(_ error: ProtocolError?, wasEstablished: Bool) -> Bool {
        // What comes faster than this node takes it closes a link for that reason, too, and comes again at once.
        wasEstablished && error?.closeReason == .overloaded && error?.code != .overloaded
    }

    /// The link that makes dialling a target unnecessary.
    private func standingLink(for target: Dialer.Target, of peer: LinkPeer?) -> ConnectionID? {
        if case .device(let deviceID) = target { return links.connection(to: deviceID) }
        return peer.flatMap { links.connection(to: $0.deviceID) }
    }

    /// The failure to report for a link that is over, if any.
    /// - Parameters:
    ///   - expectedID: who should have been at the other end.
    ///   - isStranger: whether the other end was a stranger, as far as that is proved.
    mutating func failure(
        of link: Link, _ error: ProtocolError, expectedID: UserID?, isStranger: Bool, now: Int64
    ) -> LinkFailure? {
        guard isWorthTelling(error, wasEstablished: link.peer != nil) else { return nil }
        // An identity costs nothing, and neither does being advertised.
        let isGiven = link.targets.contains { if case .address = $0 { true } else { false } }
        return limits.failed(link, error, expectedID: expectedID, isLimited: isStranger && !isGiven, now: now)
    }

    private func isWorthTelling(_ error: ProtocolError, wasEstablished: Bool) -> Bool {
        switch error.closeReason {
        case .shutdown, .duplicate, .ownIdentity, .logDiffers: false
        // Both ends go on without it until one has something for the other.
        case .overloaded where isCrowded(error, wasEstablished: wasEstablished): false
        // An event has said once that it is refused.
        case .revoked where error.code == .closedHere: false
        // A link that was open comes back with the next credential. If there is none, the next handshake says so.
        case .credentialExpired where wasEstablished: false
        default: true
        }
    }

    // MARK: - What peers may cost

    /// Charges a peer for what it sent since the last charge that moved no log forward.
    /// - Parameter isStranger: whether the peer's user is a stranger.
    /// - Returns: whether it was within its budget.
    mutating func charge(_ connectionID: ConnectionID, isStranger: Bool, now: Int64) -> Bool {
        let charged = links.updateEstablished(connectionID) { link in
            defer { link.credit = 0 }
            let payers = Self.payers(for: link.peer, at: link.address, isStranger: isStranger)
            return (cost: link.connection.machine.takeWork() - link.credit, payers: payers)
        }
        guard let (cost, payers) = charged else { return true }
        return limits.charge(cost, to: payers, now: now)
    }

    /// Charges a peer for a new link. A link that this node has begun is not charged to an address, because it did not
    /// come from there.
    mutating func chargeLink(_ link: EstablishedLink, isStranger: Bool, now: Int64) {
        let isAlone = link.isOutbound || !isStranger
        let payers = Self.payers(for: link.peer, at: link.address, isStranger: !isAlone)
        _ = limits.charge(Limits.linkRequests, to: payers, now: now)
    }

    /// The error that refuses a peer which has introduced itself and has asked for too much, until it has waited.
    func excess(of peer: LinkPeer, at address: PeerAddress?, isStranger: Bool, now: Int64) -> ProtocolError? {
        limits.excess(of: peer, payers: Self.payers(for: peer, at: address, isStranger: isStranger), now: now)
    }

    /// Throws in the middle of a frame as soon as the peer has asked for too much, before another signature is
    /// verified.
    func checkBudget(
        on connectionID: ConnectionID, isStranger: (UserID) -> Bool, now: Int64
    ) throws(ProtocolError) {
        guard let link = links[connectionID]?.established, link.credit < 0 else { return }
        let payers = Self.payers(for: link.peer, at: link.address, isStranger: isStranger(link.peer.userID))
        if let error = limits.excess(of: link.peer, payers: payers, beside: 1 - link.credit, now: now) { throw error }
    }

    private static func payers(
        for peer: LinkPeer, at address: PeerAddress?, isStranger: Bool
    ) -> [PeerBudgets.Payer] {
        isStranger ? [.user(peer.userID), .strangers(at: address?.host ?? "")] : [.user(peer.userID)]
    }
}
