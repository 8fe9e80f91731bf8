import EarshotCrypto
package import EarshotModel

extension NodeMachine {
    // MARK: - Finding peers

    /// Somebody advertises a device. A hint: who is there is proved by the handshake.
    package mutating func found(_ deviceID: DeviceID, addresses: [PeerAddress], now: Moment) -> [NodeAction] {
        guard deviceID != local.deviceID else { return [] }
        // A newcomer sees those who are there before they see it, and dials at once. Those who are there leave that
        // to it for a moment, so that two dials seldom cross.
        let start = firstSight ?? now.uptime
        firstSight = start
        let isNewcomer = now.uptime - start < Timing.newcomer
        let delay = isNewcomer || local.deviceID < deviceID ? 0 : Timing.dialDeference
        dialer.found(
            .device(deviceID), addresses: addresses, remembered: trust.directory.devices[deviceID]?.addresses ?? [],
            delay: delay, now: now.uptime)
        if let standing = linkOfDevice[deviceID] {
            if links[standing]?.machine.isDoubted == false { dialer.linked(.device(deviceID)) }
            doubtIfSilent(standing, now: now)
        }
        return finish(now: now)
    }

    package mutating func lost(_ deviceID: DeviceID, now: Moment) -> [NodeAction] {
        dialer.lost(.device(deviceID), now: now.uptime)
        return finish(now: now)
    }

    /// A peer at a known address, for networks without multicast. It is dialled for as long as the node runs.
    package mutating func addStaticPeer(_ address: PeerAddress, now: Moment) -> [NodeAction] {
        dialer.found(.address(address), addresses: [address], now: now.uptime)
        return finish(now: now)
    }

    /// Tries where known devices were reached last: they may still be there, and multicast may not.
    package mutating func dialRemembered(now: Moment) -> [NodeAction] {
        recallDevices(now: now)
        return finish(now: now)
    }

    /// Devices beyond the limit are not dialled; those whose users were seen last go first.
    mutating func recallDevices(now: Moment) {
        let devices = trust.reachableDevices.filter { linkOfDevice[$0.deviceID] == nil }
        for record in devices.prefix(Limits.rememberedDevices) {
            dialer.recalled(
                .device(record.deviceID), addresses: record.addresses, delay: Timing.dialDeference, now: now.uptime)
        }
    }

    mutating func dialDue(now: Moment) {
        guard !isStopping else { return }
        for (target, addresses) in dialer.due(now: now.uptime) {
            abandonDials(of: target)
            nextConnection += 1
            let connectionID = ConnectionID(nextConnection)
            guard let machine = linkMachine(.initiator, now: now) else { continue }
            links[connectionID] = Link(
                machine: machine, targets: [target], isOutbound: true, address: addresses.first,
                openedAt: now.uptime, lastUsed: now.uptime)
            wake(by: machine.deadline)
            emit(.connect(connectionID, addresses))
        }
    }

    /// A dial that hangs gives way to the next.
    private mutating func abandonDials(of target: Dialer.Target) {
        for connectionID in links.keys.sorted() where isDial(connectionID, of: target) {
            links[connectionID] = nil
            linksToFlush.remove(connectionID)
            emit(.disconnect(connectionID))
        }
    }

    private func isDial(_ connectionID: ConnectionID, of target: Dialer.Target) -> Bool {
        guard let link = links[connectionID] else { return false }
        return link.isOutbound && link.peer == nil && link.targets.contains(target)
    }

    private func linkMachine(_ role: HandshakeState.Role, now: Moment) -> LinkMachine? {
        do {
            return try LinkMachine(role: role, configuration: local.link, ephemeralKey: ephemeralKey(), now: now)
        } catch {
            preconditionFailure("a handshake with this node's own keys can always begin: \(error)")
        }
    }

    // MARK: - Connections

    /// Somebody connected. The shell gives the number that it knows the connection by.
    package mutating func accepted(from address: PeerAddress?, now: Moment) -> (ConnectionID, [NodeAction]) {
        nextConnection += 1
        let connectionID = ConnectionID(nextConnection)
        guard !isStopping, gate.admits(address?.host ?? "", now: now.uptime),
            let machine = linkMachine(.responder, now: now)
        else {
            emit(.disconnect(connectionID))
            noteRefusal(of: address, now: now)
            return (connectionID, finish(now: now))
        }
        makeRoom(for: address, now: now)
        links[connectionID] = Link(
            machine: machine, targets: [], isOutbound: false, address: address, openedAt: now.uptime,
            lastUsed: now.uptime)
        wake(by: machine.deadline)
        return (connectionID, finish(now: now))
    }

    /// A dial succeeded.
    package mutating func connected(_ connectionID: ConnectionID, to address: PeerAddress, now: Moment) -> [NodeAction]
    {
        links[connectionID]?.address = address
        for target in links[connectionID]?.targets ?? [] { dialer.reached(target, at: address) }
        guard let output = links[connectionID]?.machine.start() else { return [.disconnect(connectionID)] }
        run(output, on: connectionID, now: now)
        return finish(now: now)
    }

    /// A dial failed.
    package mutating func connectFailed(_ connectionID: ConnectionID, reason: String, now: Moment) -> [NodeAction] {
        guard let link = links.removeValue(forKey: connectionID) else { return [] }
        for target in link.targets {
            if standingLink(for: target, of: nil) != nil {
                dialer.linked(target)
            } else {
                dialer.failed(target, now: now.uptime)
            }
            guard case .address(let address) = target else { continue }
            let failure = LinkFailure(
                address: address.description, userID: nil, code: ProtocolError.Code.unreachable.description,
                message: "\(address) cannot be reached: \(reason)")
            post(.linkFailed(failure))
        }
        return finish(now: now)
    }

    /// Bytes came.
    package mutating func received(_ bytes: [UInt8], on connectionID: ConnectionID, now: Moment) -> [NodeAction] {
        guard let output = links[connectionID]?.machine.received(bytes, now: now) else { return [] }
        run(output, on: connectionID, now: now)
        charge(connectionID, now: now)
        if let link = links[connectionID] {
            wake(by: link.machine.deadline)
            linksToFlush.insert(connectionID)
        }
        return finish(now: now)
    }

    /// The connection is gone.
    package mutating func disconnected(_ connectionID: ConnectionID, now: Moment) -> [NodeAction] {
        guard let link = links[connectionID] else { return finish(now: now) }
        let error = ProtocolError(.closedByPeer, "the connection was closed before the handshake was finished")
        // Who connects and says nothing wanted to know whether this port can be reached.
        let isProbe = !link.isOutbound && !link.machine.hasHeard
        end(connectionID, error: link.peer != nil || isProbe ? nil : error, now: now)
        return finish(now: now)
    }

    /// The node stops: says goodbye on every link, and writes what waits.
    package mutating func stop(now: Moment) -> [NodeAction] {
        isStopping = true
        for connectionID in links.keys.sorted() {
            close(connectionID, .shutdown, error: nil, now: now)
        }
        queue.isUrgent = true
        queue.retryAt = nil
        return finish(now: now)
    }

    /// Whether everything that waited is on the disk, after `stop`.
    package var isSettled: Bool { queue.inFlight == nil && (!queue.hasWork || hasStorageFailed) }

    // MARK: - What links want

    mutating func run(_ output: [LinkMachine.Action], on connectionID: ConnectionID, now: Moment) {
        for action in output {
            guard links[connectionID] != nil else { return }
            switch action {
            case .write(let bytes): emit(.write(connectionID, bytes))
            case .decide(let peer): decide(peer, on: connectionID, now: now)
            case .established(let peer):
                establish(peer, on: connectionID, now: now)
                if let skew = clocks.linked(peer) { post(.clockSkewed(skew)) }
                noteCredential(on: connectionID, now: now)
            case .receive(let frame):
                do { try received(frame, on: connectionID, now: now) } catch {
                    close(connectionID, error.closeReason ?? .violation, error: error, now: now)
                }
            case .doubted: dialBeside(connectionID, now: now)
            case .trusted: for target in links[connectionID]?.targets ?? [] { dialer.linked(target) }
            case .close(let error): end(connectionID, error: error, now: now)
            }
        }
    }

    /// Closes a link with a word to the peer.
    mutating func close(_ connectionID: ConnectionID, _ reason: CloseReason, error: ProtocolError?, now: Moment) {
        guard let output = links[connectionID]?.machine.close(reason, now: now) else { return }
        for case .write(let bytes) in output { emit(.write(connectionID, bytes)) }
        end(connectionID, error: error ?? ProtocolError(.closedHere, reason.description, closeReason: reason), now: now)
    }

    /// A link is over.
    private mutating func end(_ connectionID: ConnectionID, error: ProtocolError?, now: Moment) {
        guard var link = links.removeValue(forKey: connectionID) else { return }
        _ = charge(&link, now: now)
        emit(.disconnect(connectionID))
        linksToFlush.remove(connectionID)
        run(reachability.ended(connectionID))
        noteEnd(of: link, error, now: now)
        if let peer = link.peer {
            unlink(peer, connectionID, now: now)
            forgetRecoveries(of: link, connectionID, peer)
        } else if let stranger = link.machine.introduced, local.link.networkKey == nil || !link.isOutbound {
            clocks.met(stranger)
        }
        for target in link.targets {
            if link.peer == nil { noteProof(of: target, by: link) }
            if let survivor = standingLink(for: target, of: link.peer) {
                links[survivor]?.targets.insert(target)
                dialer.linked(target)
            } else if case .address = target, error?.closeReason == .ownIdentity, error?.code == .closedHere {
                // Not because somebody says so: who answers at an address may be anybody. And no device: who is advertised
                // at this node's own address may be elsewhere, too.
                dialer.dropped(target)
            } else if !links.keys.contains(where: { isDial($0, of: target) }) {
                dialer.failed(target, isRefusal: isRefusal(error, of: target, by: link), now: now.uptime)
            }
        }
        if let error, isWorthTelling(error, wasEstablished: link.peer != nil) { tell(error, of: link, now: now) }
    }

    /// A link that came to nothing may have shown all the same that the device is where it was dialled.
    private mutating func noteProof(of target: Dialer.Target, by link: Link) {
        guard link.isOutbound, let address = link.address, case .device(link.machine.introduced?.deviceID) = target
        else { return }
        dialer.proved(target, at: address)
    }

    private mutating func tell(_ error: ProtocolError, of link: Link, now: Moment) {
        let userID = (link.peer ?? link.machine.introduced)?.userID
        var message = error.message
        if isLimited(link) {
            guard let untold = notices.failed(at: link.address?.host ?? "", now: now.uptime) else { return }
            if untold > 0 { message += "; \(untold) more such connections failed before it" }
        }
        post(
            .linkFailed(
                LinkFailure(
                    address: link.address?.description ?? "unknown", userID: userID, code: error.code.description,
                    message: message, closeReason: error.closeReason?.name)))
    }

    /// Whether it is a stranger's doing that this link was there: there may be many more. An identity costs nothing, and
    /// neither does being advertised.
    private func isLimited(_ link: Link) -> Bool {
        if let userID = (link.peer ?? link.machine.introduced)?.userID, !isStranger(userID) { return false }
        return !link.targets.contains { if case .address = $0 { true } else { false } }
    }

    /// Whether a device that has proved to be the one that was dialled is not wanted here, or does not want this node.
    private func isRefusal(_ error: ProtocolError?, of target: Dialer.Target, by link: Link) -> Bool {
        if case .device(let deviceID) = target, link.machine.introduced?.deviceID != deviceID { return false }
        return switch error?.closeReason {
        case .notAdmitted, .blocked, .identityConflict, .tooManyRequests: true
        default: false
        }
    }

    /// The link that makes dialling a target needless.
    private func standingLink(for target: Dialer.Target, of peer: LinkPeer?) -> ConnectionID? {
        if case .device(let deviceID) = target { return linkOfDevice[deviceID] }
        return peer.flatMap { linkOfDevice[$0.deviceID] }
    }

    private func isWorthTelling(_ error: ProtocolError, wasEstablished: Bool) -> Bool {
        switch error.closeReason {
        case .shutdown, .duplicate, .ownIdentity, .logDiffers: false
        // What stood until then comes back with the next credential. If there is none, the next handshake says so.
        case .credentialExpired where wasEstablished: false
        default: true
        }
    }

    private mutating func unlink(_ peer: LinkPeer, _ connectionID: ConnectionID, now: Moment) {
        if linkOfDevice[peer.deviceID] == connectionID { linkOfDevice[peer.deviceID] = nil }
        linksOfUser[peer.userID]?.removeAll { $0 == connectionID }
        if linksOfUser[peer.userID]?.isEmpty == true { linksOfUser[peer.userID] = nil }
        run(trust.unlinked(peer, now: now), now: now)
    }
}
