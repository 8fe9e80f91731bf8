package import EarshotModel

/// Inputs about peers and connections, on their way to `PeersMachine`, and what follows from a link for its siblings.
extension NodeMachine {
    // MARK: - Finding peers

    /// Somebody advertises a device. A hint: who is there is proved by the handshake.
    /// - Parameter fingerprint: the beginning of the user's key, as it is advertised.
    package mutating func found(
        _ deviceID: DeviceID, fingerprint: String? = nil, addresses: [PeerAddress], now: Moment
    ) -> [NodeAction] {
        handle(now: now) { node in
            guard deviceID != node.local.deviceID else { return }
            let remembered =
                node.trust.directory.devices[deviceID]?.addresses ?? node.devices.own[deviceID]?.addresses ?? []
            let owner = node.owner(of: deviceID)
            let silent = node.peers.found(
                deviceID, addresses: addresses, remembered: remembered, fingerprint: fingerprint,
                isFamiliar: owner.map { !node.isStranger($0) } ?? false, now: now.uptime)
            if let silent { node.doubt(silent, isAnew: false, now: now) }
        }
    }

    package mutating func lost(_ deviceID: DeviceID, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.peers.lost(deviceID, now: now.uptime) }
    }

    /// A peer at a known address, for networks without multicast. It is dialled for as long as the node runs.
    package mutating func addStaticPeer(_ address: PeerAddress, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.peers.add(address, now: now.uptime) }
    }

    /// Tries where known devices were reached last: they may still be there, and multicast may not.
    package mutating func dialRemembered(now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            let own = node.devices.reachable.map {
                DeviceRecord(
                    deviceID: $0.deviceID, userID: node.local.userID, credential: $0.credential, addresses: $0.addresses
                )
            }
            node.peers.recall(own + node.trust.reachableDevices, now: now.uptime)
        }
    }

    // MARK: - Connections

    /// Somebody connected. The shell gives the number that it knows the connection by.
    package mutating func accepted(from address: PeerAddress?, now: Moment) -> (ConnectionID, [NodeAction]) {
        handle(now: now) { node in
            let (connectionID, output) = node.peers.accepted(from: address, now: now)
            node.run(output)
            return connectionID
        }
    }

    /// A dial succeeded.
    package mutating func connected(_ connectionID: ConnectionID, to address: PeerAddress, now: Moment) -> [NodeAction]
    {
        handle(now: now) { node in
            guard let output = node.peers.connected(connectionID, to: address) else {
                node.emit(.disconnect(connectionID))
                return
            }
            node.run(output, on: connectionID, now: now)
        }
    }

    /// A dial failed.
    package mutating func connectFailed(_ connectionID: ConnectionID, reason: String, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            let failure = node.peers.connectFailed(connectionID, reason: reason, now: now.uptime)
            if let failure { node.post(.linkFailed(failure)) }
        }
    }

    /// Bytes came.
    package mutating func received(_ bytes: [UInt8], on connectionID: ConnectionID, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            guard !node.pairing.owns(connectionID) else {
                node.receivedForPairing(bytes, on: connectionID, now: now)
                return
            }
            node.run(node.peers.received(bytes, on: connectionID, now: now), on: connectionID, now: now)
            if !node.charge(connectionID, now: now), let peer = node.peer(on: connectionID) {
                node.close(connectionID, .tooManyRequests, error: PeerLimits.tooManyRequests(peer), now: now)
            }
            node.boundUnfinished(on: connectionID, now: now)
            if let link = node.peers.links[connectionID] {
                node.clocks.wake(by: link.machine.deadline)
                node.peers.wantsFlush(connectionID)
            }
        }
    }

    private mutating func boundUnfinished(on connectionID: ConnectionID, now: Moment) {
        guard let peer = peer(on: connectionID) else { return }
        let surplus = peers.noteUnfinished(on: connectionID, isStranger: isStranger(peer.userID), now: now.uptime)
        guard let surplus else { return }
        let error = ProtocolError(
            .overloaded,
            "strangers have left frames of more than \(Limits.strangersFrameBytes) bytes unfinished, and this one first",
            closeReason: .overloaded)
        close(surplus, .overloaded, error: error, now: now)
    }

    /// The connection is gone.
    package mutating func disconnected(_ connectionID: ConnectionID, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            guard let link = node.peers.links[connectionID] else {
                node.run(node.pairing.disconnected(connectionID), now: now)
                return
            }
            let error = ProtocolError(.closedByPeer, "the connection was closed before the handshake was finished")
            // Who connects and says nothing wanted to know whether this port can be reached.
            let isProbe = !link.isOutbound && !link.machine.hasHeard
            node.end(connectionID, error: link.peer != nil || isProbe ? nil : error, now: now)
        }
    }

    mutating func run(_ output: [PeersMachine.Action]) {
        for action in output {
            switch action {
            case .connect(let connectionID, let addresses): emit(.connect(connectionID, addresses))
            case .disconnect(let connectionID): emit(.disconnect(connectionID))
            case .wake(let uptime): clocks.wake(by: uptime)
            case .refused(let failure):
                note { $0.connectionsRefused += 1 }
                if let failure { post(.linkFailed(failure)) }
            }
        }
    }

    // MARK: - What a link wants

    mutating func run(_ output: [LinkMachine.Action], on connectionID: ConnectionID, now: Moment) {
        for action in output {
            // What came before may have ended it.
            guard isOpen(connectionID) else { return }
            switch action {
            case .write(let bytes): emit(.write(connectionID, bytes))
            case .decide(let peer): decide(peer, on: connectionID, now: now)
            case .established(let peer): establish(peer, on: connectionID, now: now)
            case .receive(let frame):
                do { try received(frame, on: connectionID, now: now) } catch {
                    close(connectionID, error.closeReason ?? .violation, error: error, now: now)
                }
            case .doubted: peers.dialBeside(connectionID, now: now.uptime)
            case .violated(let error): close(connectionID, .violation, error: error, now: now)
            case .trusted: peers.trusted(connectionID)
            case .pair(let tag, let input): beginPairing(on: connectionID, tag: tag, input: input, now: now)
            case .close(let error): end(connectionID, error: error, now: now)
            }
        }
    }

    mutating func flushLinks(now: Moment) {
        while case let connectionIDs = peers.takeLinksToFlush(), !connectionIDs.isEmpty {
            for connectionID in connectionIDs {
                run(peers.flush(connectionID, now: now), on: connectionID, now: now)
            }
        }
    }

    mutating func doubtLinks(isAnew: Bool, now: Moment) {
        for connectionID in openConnections { doubt(connectionID, isAnew: isAnew, now: now) }
    }

    private mutating func doubt(_ connectionID: ConnectionID, isAnew: Bool, now: Moment) {
        guard let output = peers.doubt(connectionID, isAnew: isAnew, now: now) else { return }
        run(output, on: connectionID, now: now)
        if let link = peers.links[connectionID] { clocks.wake(by: link.machine.deadline) }
    }

    // MARK: - Who is let in

    private mutating func decide(_ peer: LinkPeer, on connectionID: ConnectionID, now: Moment) {
        let address = peers.links[connectionID]?.address
        guard let (reason, error) = refusal(of: peer) ?? excess(of: peer, at: address, now: now) else {
            run(peers.accept(connectionID, now: now), on: connectionID, now: now)
            return
        }
        if peers.provesMembership(connectionID) { noteRefusal(of: peer, at: address, now: now) }
        run(peers.refuse(connectionID, reason, error, now: now), on: connectionID, now: now)
    }

    private func refusal(of peer: LinkPeer) -> (CloseReason, ProtocolError)? {
        guard peer.deviceID != local.deviceID else {
            return (.ownIdentity, ProtocolError(.closedHere, "this node reached itself", closeReason: .ownIdentity))
        }
        if let error = devices.refusal(of: peer.credential) { return (.revoked, error) }
        return isOwn(peer) ? nil : trust.refusal(of: peer)
    }

    func excess(of peer: LinkPeer, at address: PeerAddress?, now: Moment) -> (CloseReason, ProtocolError)? {
        let isStranger = isStranger(peer.userID)
        return peers.excess(of: peer, at: address, isStranger: isStranger, now: now.uptime)
            .map { (.tooManyRequests, $0) }
    }

    private mutating func noteRefusal(of peer: LinkPeer, at address: PeerAddress?, now: Moment) {
        guard !isOwn(peer) else { return }
        run(trust.refused(peer, at: address?.host, exchange: exchange, now: now), now: now)
    }

    mutating func establish(_ peer: LinkPeer, on connectionID: ConnectionID, now: Moment) {
        link(peer, on: connectionID, now: now)
        if let skew = clocks.linked(peer) { post(.clockSkewed(skew)) }
        noteCredential(on: connectionID, now: now)
    }

    private mutating func link(_ peer: LinkPeer, on connectionID: ConnectionID, now: Moment) {
        // Another link may have been first meanwhile: whom this node wants is decided anew.
        if let (reason, error) = refusal(of: peer) {
            noteRefusal(of: peer, at: peers.links[connectionID]?.address, now: now)
            close(connectionID, reason, error: error, now: now)
            return
        }
        // The other device judges by the credential that it was shown, and would replicate nothing over this link.
        if isOwn(peer), peers.links[connectionID]?.machine.configuration.credential != local.link.credential {
            close(connectionID, .credentialExpired, error: nil, now: now)
            return
        }
        guard let link = peers.establish(peer, on: connectionID, now: now.uptime) else { return }
        note { $0.add(LinkNote(establishedOn: link)) }
        if mayReplicate(with: peer, now: now), let handshakeHash = link.connection.machine.handshakeHash {
            replication.linkBegan(connectionID, to: peer, handshakeHash: handshakeHash)
        }
        clocks.wake(by: link.connection.machine.deadline)
        if peers.links.connection(to: peer.deviceID) == nil,
            let surplus = peers.links.surplusLink(
                beside: connectionID, now: now.uptime, isBusy: isBusy, standing: standing)
        {
            close(surplus, .overloaded, error: nil, now: now)
        }
        let address = link.isOutbound ? link.address : nil
        if !isOwn(peer) {
            run(trust.linked(peer, at: address, exchange: exchange, isIdle: isIdle, now: now), now: now)
        }
        peers.chargeLink(link, isStranger: isStranger(peer.userID), now: now.uptime)
        let isChosen = peers.choose(connectionID, for: peer)
        run(
            devices.linked(peer, at: address, on: connectionID, local: local.link.credential, now: now), now: now)
        wakeForRenewals(now: now)
        if isChosen {
            replication.linkChosen(connectionID)
            performReplication(now: now)
        }
    }

    /// A link with an expired credential is for its renewal alone.
    func mayReplicate(with peer: LinkPeer, now: Moment) -> Bool {
        !isOwn(peer)
            || local.link.credential.isValid(at: now.wallClock) && peer.credential.isValid(at: now.wallClock)
    }

    private func standing(of userID: UserID) -> LinkTable.Standing {
        if !isStranger(userID) { return .known }
        return trust.directory.users[userID]?.isPinned == true ? .stranger : .unpinned
    }

    /// Whether a device has no link and has written nothing.
    private var isIdle: (DeviceID) -> Bool {
        let (links, logs) = (peers.links, replication.logs)
        return { links.connection(to: $0) == nil && !logs.hasIncoming(of: $0) }
    }

    // MARK: - What peers may cost

    private mutating func charge(_ connectionID: ConnectionID, now: Moment) -> Bool {
        // Devices of one user trust each other with their machines.
        guard peer(on: connectionID).map(isOwn) != true else { return true }
        let isStranger = peer(on: connectionID).map { self.isStranger($0.userID) } ?? true
        return peers.charge(connectionID, isStranger: isStranger, now: now.uptime)
    }

    /// Throws in the middle of what a peer has sent as soon as that is too much.
    func checkBudget(on connectionID: ConnectionID, now: Moment) throws(ProtocolError) {
        guard peer(on: connectionID).map(isOwn) != true else { return }
        try peers.checkBudget(on: connectionID, isStranger: isStranger, now: now.uptime)
    }

    // MARK: - The end of a link

    /// Closes a link with a word to the peer.
    mutating func close(_ connectionID: ConnectionID, _ reason: CloseReason, error: ProtocolError?, now: Moment) {
        guard let output = peers.close(connectionID, reason, now: now) else { return }
        for case .write(let bytes) in output { emit(.write(connectionID, bytes)) }
        end(connectionID, error: error ?? ProtocolError(.closedHere, reason.description, closeReason: reason), now: now)
    }

    mutating func closeDuplicates(now: Moment) {
        for connectionID in peers.takeDuplicates() { close(connectionID, .duplicate, error: nil, now: now) }
    }

    private mutating func end(_ connectionID: ConnectionID, error: ProtocolError?, now: Moment) {
        _ = charge(connectionID, now: now)
        guard let link = peers.end(connectionID, error: error, now: now.uptime) else { return }
        emit(.disconnect(connectionID))
        run(reachability.ended(connectionID))
        files.linkEnded(connectionID)
        if let note = LinkNote(endOf: link, error, now: now.uptime) { self.note { $0.add(note) } }
        noteResting(now: now)
        if let peer = link.peer {
            devices.unlinked(connectionID)
            if !isOwn(peer) {
                run(trust.unlinked(peer, now: now), now: now)
                if peers.links.connection(to: peer.deviceID) == nil {
                    run(typing.unlinked(peer.deviceID, of: peer.userID))
                }
            }
            replication.linkEnded(connectionID)
            performReplication(now: now)
            if isWanted(peer.userID) { reach([peer.userID], delay: Timing.crowdedOutButNeeded, now: now) }
        } else if let stranger = link.machine.introduced, local.link.networkKey == nil || !link.isOutbound {
            clocks.met(stranger)
        }
        guard let error else { return }
        let isStranger = link.claimedPeer.map { self.isStranger($0.userID) } ?? true
        // Nobody proves who they are to another network, but it is known whose device was dialled.
        let expectedID = error.code == .otherNetwork ? trust.directory.owner(of: link.targets) : nil
        if let failure = peers.failure(
            of: link, error, expectedID: expectedID, isStranger: isStranger, now: now.uptime)
        {
            post(.linkFailed(failure))
        }
    }
}
