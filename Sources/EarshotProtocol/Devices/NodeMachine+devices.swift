package import EarshotCrypto
package import EarshotModel

/// What a shell does for a node's devices.
package enum DeviceTask: Hashable, Sendable {
    /// Have the identity's key sign it, and call `issued`.
    /// - `withIdentity`: whether the new device gets the identity's key, too.
    case issue(CredentialRequest, withIdentity: Bool)
    /// Write it to the home directory, and call `renew`.
    case adopt(Credential)
    /// `pairingStatus` is another one.
    case pairingChanged
}

/// The devices of this node's user, and revoked devices of everybody.
extension NodeMachine {
    /// The devices of this node's user that it knows, itself among them.
    package var ownDevices: [OwnDeviceRecord] { devices.own.values.sorted { $0.deviceID < $1.deviceID } }

    /// The credential that this device shows.
    package var localCredential: Credential { local.link.credential }

    package func isRevoked(_ deviceID: DeviceID, of userID: UserID) -> Bool {
        devices.revocations.contains(deviceID, of: userID)
    }

    /// The answer to `DeviceTask.issue`; `nil` if the identity's key is not at hand.
    package mutating func issued(
        _ request: CredentialRequest, _ grant: CredentialGrant?, identity: SecretBytes? = nil, now: Moment
    ) -> [NodeAction] {
        handle(now: now) { node in
            let networkKey = node.local.link.networkKey
            node.run(node.pairing.issued(request, grant, identity: identity, networkKey: networkKey), now: now)
            node.run(node.devices.issued(request, grant, now: now), now: now)
            node.wakeForRenewals(now: now)
        }
    }

    /// The last entries of a device that this node holds, in each conversation in which it matters where they end.
    package func ends(of deviceID: DeviceID) -> [ConversationID: [LogPlace]] { replication.ends(of: deviceID) }

    /// This node's user has revoked a device: the statement goes to whoever is linked, now and later.
    /// - Parameter cuts: what of the device counts, by conversation, as the identity key has signed it.
    package mutating func revoke(
        _ revocation: Revocation, cuts: [ConversationID: DeviceCut] = [:], requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            let consequences = try node.devices.revoke(revocation)
            if !consequences.isEmpty { node.replication.write(cuts) }
            node.run(consequences, now: now)
            node.replication.answer(requestID, .deviceChanged(revocation.deviceID))
        }
    }

    /// This node's user calls a device by another name.
    package mutating func rename(
        _ deviceID: DeviceID, to name: String, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            node.run(try node.devices.rename(deviceID, to: name, now: now), now: now)
            node.replication.answer(requestID, .deviceChanged(deviceID))
        }
    }

    /// This node's user has erased contents here: the other devices are told, from the commit on that answers this.
    package mutating func handleErased(_ runs: [ErasedRun], requestID: RequestID, now: Moment) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            node.replication.share(erased: runs)
            node.replication.answer(requestID, .erased)
        }
    }

    func isOwn(_ peer: LinkPeer) -> Bool { peer.userID == local.userID }

    /// Takes a frame about devices.
    mutating func received(
        _ frame: Frame, of peer: LinkPeer, on connectionID: ConnectionID, now: Moment
    ) throws(ProtocolError) {
        switch frame {
        case .grant(let grant):
            guard isOwn(peer) else { return }
            try checkBudget(on: connectionID, now: now)
            run(try devices.received(grant, local: local, now: now), now: now)
        case .revocations(let revocations):
            for revocation in revocations where isOpen(connectionID) {
                try checkBudget(on: connectionID, now: now)
                run(
                    try devices.received(
                        revocation, from: peer.userID, isStranger: isStranger(peer.userID)), now: now)
            }
        case .deviceNames(let names):
            guard isOwn(peer) else { return }
            run(devices.received(names, except: connectionID), now: now)
        case .contacts(let contacts):
            guard isOwn(peer) else { return }
            for wire in contacts {
                let credential = try Credential(wire: wire)
                guard credential.userID != local.userID else { continue }
                run(trust.introduce(credential, exchange: exchange, now: now), now: now)
            }
        default: break
        }
    }

    mutating func run(_ output: [DevicesMachine.Action], now: Moment) {
        for action in output {
            switch action {
            case .send(let frame, let connectionID): send(frame, on: connectionID)
            case .issue(let request): emit(.device(.issue(request, withIdentity: false)))
            case .adopt(let credential): emit(.device(.adopt(credential)))
            case .write(let record):
                replication.write(record)
                replication.mayWait(now: now)
            case .forget(let deviceID): replication.forgetOwn(deviceID)
            case .revoke(let revocation): revoke(revocation, now: now)
            }
        }
    }

    private mutating func revoke(_ revocation: Revocation, now: Moment) {
        replication.write(revocation)
        replication.hurry()
        replication.tell(
            .deviceRevoked(RevokedDevice(userID: revocation.userID, deviceID: revocation.deviceID)))
        for connectionID in openConnections {
            guard let peer = peer(on: connectionID) else { continue }
            // Who is refused hears why.
            if peer.userID == revocation.userID || revocation.userID == local.userID {
                send(.revocations([revocation]), on: connectionID)
            }
            guard let error = devices.refusal(of: peer.credential) else { continue }
            close(connectionID, .revoked, error: error, now: now)
        }
    }

    mutating func renewLinkedDevices(now: Moment) {
        run(devices.renewDue(now: now), now: now)
        wakeForRenewals(now: now)
    }

    mutating func wakeForRenewals(now: Moment) { wake(by: devices.renewals.deadline(now: now)) }
}
