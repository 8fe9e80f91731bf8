import EarshotModel

/// Decides what this node and the other devices of its user do for each other, and which devices of anybody are revoked.
///
/// It knows the devices of this node's user. It holds no key and no link: it returns actions that say what to sign, to
/// send and to write.
struct DevicesMachine: Sendable {
    enum Action: Sendable {
        case send(Frame, ConnectionID)
        /// The identity's key is to sign this, and `issued` is to be told.
        case issue(CredentialRequest)
        /// This device has a new credential, which is to be written before it is shown.
        case adopt(Credential)
        case write(OwnDeviceRecord)
        case forget(DeviceID)
        /// Write it, report it, and close the device's links.
        case revoke(Revocation)
    }

    private let userID: UserID
    private let deviceID: DeviceID
    /// This device among them, which is written once it has a name.
    private(set) var own: [DeviceID: OwnDeviceRecord]
    private(set) var revocations: Revocations
    private(set) var renewals = Renewals()
    /// The links to other devices of this node's user.
    private var links: [ConnectionID: DeviceID] = [:]

    init(_ local: LocalDevice, own: [OwnDeviceRecord] = [], revocations: [Revocation] = []) {
        userID = local.userID
        deviceID = local.deviceID
        self.own = Dictionary(uniqueKeysWithValues: own.map { ($0.deviceID, $0) })
        if self.own[deviceID] == nil {
            self.own[deviceID] = OwnDeviceRecord(
                deviceID: deviceID, credential: local.link.credential.encoded(), lastSeen: 0)
        }
        self.revocations = Revocations(revocations)
    }

    /// The user's other devices that may be dialled at their last addresses, those seen last first.
    var reachable: [OwnDeviceRecord] {
        own.values
            .filter { !$0.addresses.isEmpty && !revocations.contains($0.deviceID, of: userID) }
            .sorted { ($1.lastSeen, $0.deviceID) < ($0.lastSeen, $1.deviceID) }
    }

    /// Whether one more device of this node's user can be remembered.
    var hasRoom: Bool {
        own.count < Limits.ownDevices || own.keys.contains { revocations.contains($0, of: userID) }
    }

    /// Why a device gets no link; `nil` if nobody has revoked it.
    func refusal(of credential: Credential) -> ProtocolError? {
        guard revocations.contains(credential.deviceID, of: credential.userID) else { return nil }
        return ProtocolError(
            .closedHere, "\(credential.name) has revoked the device \(credential.deviceID)", closeReason: .revoked)
    }

    // MARK: - Links

    /// A device is linked, whosever it is: it hears of revoked devices of its own user, and of this node's.
    mutating func linked(
        _ peer: LinkPeer, at address: PeerAddress?, on connectionID: ConnectionID, local: Credential, now: Moment
    ) -> [Action] {
        var actions: [Action] = []
        let known = revocations.of(userID) + (peer.userID == userID ? [] : revocations.of(peer.userID))
        if !known.isEmpty { actions.append(.send(.revocations(known), connectionID)) }
        guard peer.userID == userID else { return actions }
        links[connectionID] = peer.deviceID
        actions += met(peer.credential, at: address, now: now)
        // Without names, too: the first frame tells the initiator that the link stands.
        actions.append(.send(.deviceNames(names), connectionID))
        if local.isPrimary, !peer.credential.isPrimary {
            renewals.linked(peer.credential, on: connectionID)
            actions += renewDue(now: now)
        }
        return actions
    }

    mutating func unlinked(_ connectionID: ConnectionID) {
        links[connectionID] = nil
        renewals.unlinked(connectionID)
    }

    /// Notes a device of this node's user that has shown its credential.
    mutating func met(_ credential: Credential, at address: PeerAddress?, now: Moment) -> [Action] {
        var actions: [Action] = []
        var record =
            own[credential.deviceID]
            ?? OwnDeviceRecord(deviceID: credential.deviceID, credential: [], lastSeen: now.wallClock)
        if own[credential.deviceID] == nil {
            guard let forgotten = makeRoom() else { return [] }
            actions += forgotten.map { .forget($0) }
        }
        record.credential = credential.encoded()
        record.lastSeen = now.wallClock
        if let address {
            record.addresses = Array(
                ([address] + record.addresses.filter { $0 != address }).prefix(Limits.addressesPerDevice))
        }
        own[record.deviceID] = record
        return actions + [.write(record)]
    }

    /// A user has a bounded number of devices. The one that was not seen for the longest time goes first; revoked ones,
    /// whose statement stays, before all others; devices that are linked and this one never.
    /// - Returns: which goes; `nil` if none may.
    private mutating func makeRoom() -> [DeviceID]? {
        guard own.count >= Limits.ownDevices else { return [] }
        let candidates = own.values.filter { $0.deviceID != deviceID && !links.values.contains($0.deviceID) }
        let oldest = candidates.min { rank($0) < rank($1) }
        guard let oldest else { return nil }
        own[oldest.deviceID] = nil
        return [oldest.deviceID]
    }

    private func rank(_ record: OwnDeviceRecord) -> (Int, Int64, DeviceID) {
        (revocations.contains(record.deviceID, of: userID) ? 0 : 1, record.lastSeen, record.deviceID)
    }

    // MARK: - Credentials

    /// What is due of the credentials that this node renews.
    mutating func renewDue(now: Moment) -> [Action] { renewals.due(now: now).map { .issue($0) } }

    /// The identity's key has signed what was asked for; `nil` if it is not at hand.
    mutating func issued(_ request: CredentialRequest, _ grant: CredentialGrant?, now: Moment) -> [Action] {
        renewals.issued(request, isSigned: grant != nil, now: now.uptime).compactMap { connectionID in
            grant.map { .send(.grant($0), connectionID) }
        }
    }

    /// A device of this node's user has sent a credential for this one. It counts whoever sent it, because the identity
    /// has signed it.
    /// - Throws: `ProtocolError` for what no honest device sends.
    func received(_ grant: CredentialGrant, local: LocalDevice, now: Moment) throws(ProtocolError) -> [Action] {
        let credential = try grant.signed(by: local.signingKey)
        let current = local.link.credential
        guard credential.userID == userID, credential.deviceID == deviceID,
            credential.agreementKey == current.agreementKey, credential.name == current.name
        else { throw ProtocolError(.violation, "a credential is for somebody else") }
        // A primary device looks after its own; an older credential than the present one is of no use.
        guard !current.isPrimary, !credential.isPrimary, credential.isValid(at: now.wallClock),
            !current.isValid(at: now.wallClock) || credential.notAfter > current.notAfter
        else { return [] }
        return [.adopt(credential)]
    }

    // MARK: - Revocation

    /// - Parameter isStranger: whether nothing was ever written to the user of the peer who says so.
    mutating func received(
        _ revocation: Revocation, from peer: UserID, isStranger: Bool
    ) throws(ProtocolError) -> [Action] {
        guard revocation.userID == peer || revocation.userID == userID,
            revocations.admits(revocation, isStranger: isStranger && revocation.userID != userID)
        else { return [] }
        guard revocation.isAuthentic else {
            throw ProtocolError(.unauthentic, "a revocation is not signed by the identity that it names")
        }
        revocations.add(revocation, isStranger: isStranger && revocation.userID != userID)
        return [.revoke(revocation)]
    }

    /// This node's user revokes a device of theirs.
    /// - Throws: `ProtocolError` `unknownDevice`; `tooManyDevices` where nobody would remember one more.
    mutating func revoke(_ revocation: Revocation) throws(ProtocolError) -> [Action] {
        guard own[revocation.deviceID] != nil else { throw unknown(revocation.deviceID) }
        guard revocations.contains(revocation.deviceID, of: userID) || revocations.hasRoom(for: userID) else {
            throw ProtocolError(
                .tooManyDevices, "a user revokes at most \(Limits.revocationsPerUser) devices: nobody remembers more")
        }
        return try received(revocation, from: userID, isStranger: false)
    }

    // MARK: - Names

    /// What the user calls their devices.
    private var names: [DeviceID: DeviceName] {
        own.values.reduce(into: [:]) { if !$1.name.text.isEmpty { $0[$1.deviceID] = $1.name } }
    }

    /// This node's user gives a device a name. It goes to those that are linked now, and to others when they are.
    mutating func rename(
        _ renamed: DeviceID, to text: String, now: Moment
    ) throws(ProtocolError) -> [Action] {
        guard let old = own[renamed] else { throw unknown(renamed) }
        guard let name = DeviceName(text, givenAt: max(now.wallClock, old.name.givenAt.nextTime)) else {
            throw ProtocolError(
                .invalidMessage, "the name of a device has at most \(Limits.nameBytes) bytes, on one line")
        }
        return received([renamed: name], except: nil)
    }

    /// Another device of this node's user says what the devices are called.
    /// - Parameter connectionID: the link from which this came, and to which it need not go.
    mutating func received(_ names: [DeviceID: DeviceName], except connectionID: ConnectionID?) -> [Action] {
        var news: [DeviceID: DeviceName] = [:]
        var actions: [Action] = []
        for (named, name) in names.sorted(by: { $0.key < $1.key }) {
            guard var record = own[named], name.replaces(record.name) else { continue }
            record.name = name
            own[named] = record
            news[named] = name
            actions.append(.write(record))
        }
        guard !news.isEmpty else { return [] }
        return actions + links.keys.filter { $0 != connectionID }.sorted().map { .send(.deviceNames(news), $0) }
    }

    private func unknown(_ deviceID: DeviceID) -> ProtocolError {
        ProtocolError(.unknownDevice, "this node's user has no device \(deviceID)")
    }
}
