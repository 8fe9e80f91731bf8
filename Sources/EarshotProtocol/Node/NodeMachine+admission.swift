import EarshotCrypto
import EarshotModel

/// Who is let in, and which of two links to one device stays.
extension NodeMachine {
    mutating func decide(_ peer: LinkPeer, on connectionID: ConnectionID, now: Moment) {
        let address = links[connectionID]?.address
        if let (reason, error) = refusal(of: peer) ?? excess(of: peer, at: address, now: now) {
            if provesMembership(connectionID) { noteClaim(of: peer, at: address, now: now) }
            guard let output = links[connectionID]?.machine.refuse(error, reason: reason, now: now) else { return }
            run(output, on: connectionID, now: now)
            return
        }
        guard let output = links[connectionID]?.machine.accept(now: now) else { return }
        run(output, on: connectionID, now: now)
    }

    /// Whether a peer that has introduced itself has shown that it has the network key too. To whoever dialled, the
    /// pattern proves that only with the first message after the handshake: before that nothing is noted of a peer.
    func provesMembership(_ connectionID: ConnectionID) -> Bool {
        local.link.networkKey == nil || links[connectionID]?.isOutbound == false
    }

    private func refusal(of peer: LinkPeer) -> (CloseReason, ProtocolError)? {
        if peer.userID == local.userID {
            return (
                .ownIdentity,
                ProtocolError(.closedHere, "this node reached its own identity", closeReason: .ownIdentity)
            )
        }
        guard admission.admits(peer.userID) else {
            return (.notAdmitted, notAdmitted(peer.userID, name: peer.credential.name, closeReason: .notAdmitted))
        }
        if let user = directory.users[peer.userID], user.trust == .blocked {
            return (.blocked, ProtocolError(.closedHere, "\(user.name) is blocked", closeReason: .blocked))
        }
        if let conflict = directory.conflict(of: peer.credential) {
            return (.identityConflict, Self.error(of: conflict, closeReason: .identityConflict))
        }
        return nil
    }

    mutating func establish(_ peer: LinkPeer, on connectionID: ConnectionID, now: Moment) {
        // Another link may have been first meanwhile: whom this node wants is decided anew.
        if let (reason, error) = refusal(of: peer) {
            noteClaim(of: peer, at: links[connectionID]?.address, now: now)
            close(connectionID, reason, error: error, now: now)
            return
        }
        guard var link = links[connectionID] else { return }
        let device = Dialer.Target.device(peer.deviceID)
        for case .device(let deviceID) in link.targets.sorted() where deviceID != peer.deviceID {
            link.targets.remove(.device(deviceID))
            dialer.failed(.device(deviceID), now: now.uptime)
        }
        link.targets.insert(device)
        for target in link.targets { dialer.linked(target) }
        if link.isOutbound, let address = link.address { dialer.proved(device, at: address) }
        link.peer = peer
        link.establishedAt = now.uptime
        links[connectionID] = link
        noteEstablished(link)
        linksOfUser[peer.userID, default: []].append(connectionID)
        linksOfUser[peer.userID]?.sort()
        wake(by: link.machine.deadline)

        let earlier = linkOfDevice[peer.deviceID]
        if earlier == nil { closeLeastRecentlyUsed(except: connectionID, now: now) }
        note(peer, address: link.isOutbound ? link.address : nil, now: now)
        chargeLink(of: peer, link, now: now)
        guard let earlier, let earlierLink = links[earlier] else {
            linkOfDevice[peer.deviceID] = connectionID
            sendHeads(to: peer, on: connectionID)
            return
        }
        let isNewKept = keepsNew(link, over: earlierLink, peer: peer)
        linkOfDevice[peer.deviceID] = isNewKept ? connectionID : earlier
        if isNewKept { sendHeads(to: peer, on: connectionID) }
        duplicates.append(isNewKept ? earlier : connectionID)
    }

    /// Which of two links to one device stays. Both ends must come to the same answer.
    private func keepsNew(_ new: Link, over old: Link, peer: LinkPeer) -> Bool {
        if old.peer?.run != peer.run { return true }
        // Nobody dials a device that it has a link to: one that began later means that the peer has lost the old one.
        if new.openedAt > (old.establishedAt ?? 0) + Timing.simultaneousDial { return true }
        if new.isOutbound == old.isOutbound { return true }
        return new.isOutbound == (local.deviceID < peer.deviceID)
    }

    private mutating func note(_ peer: LinkPeer, address: PeerAddress?, now: Moment) {
        let (user, device, changes) = directory.linked(peer, address: address, now: now)
        queue.devices[device.deviceID] = device
        queue.forgottenDevices.remove(device.deviceID)
        forgetSurplusDevice(of: device)
        noteMeeting(user, changes: changes, now: now)
    }

    /// Takes note of somebody who has proved who they are: what is to be written, and told when it is.
    mutating func noteMeeting(_ user: UserRecord, changes: Set<UserChange>?, now: Moment) {
        queue.users[user.userID] = user
        guard let changes else {
            queue.add(.userDiscovered(directory.shown(user)), isMerged: hasStorageFailed)
            queue.isUrgent = true
            forgetSurplusStranger(except: user.userID)
            return
        }
        markLazily(now: now)
        guard !changes.isEmpty else { return }
        queue.add(.userUpdated(directory.shown(user), changes: changes), isMerged: hasStorageFailed)
    }

    /// A node remembers a bounded number of those whom it only ever met.
    private mutating func forgetSurplusStranger(except newcomer: UserID) {
        let (currentLog, incomingLogs) = (currentLog, incomingLogs)
        let forgotten = directory.forgetSurplus(except: newcomer) {
            currentLog[$0] == nil && incomingLogs.count(of: $0) == 0
        }
        guard let userID = forgotten else { return }
        queue.users[userID] = nil
        queue.devices = queue.devices.filter { $0.value.userID != userID }
        if hasStorageFailed { queue.dropEvents(about: userID) }
        queue.forgottenUsers.append(userID)
        toldConflicts = toldConflicts.filter { $0.claimedBy != userID }
    }

    /// A node remembers a bounded number of a user's devices, beside those that have written to it. Which of the others
    /// is forgotten matters little: all that is known of it is where it was.
    private mutating func forgetSurplusDevice(of newcomer: DeviceRecord) {
        let (linkOfDevice, incomingLogs) = (linkOfDevice, incomingLogs)
        let forgotten = directory.forgetSurplusDevice(of: newcomer.userID, except: newcomer.deviceID) {
            linkOfDevice[$0] == nil && !incomingLogs.hasLogs(of: $0)
        }
        guard let deviceID = forgotten else { return }
        queue.devices[deviceID] = nil
        queue.forgottenDevices.insert(deviceID)
    }

    private mutating func closeLeastRecentlyUsed(except connectionID: ConnectionID, now: Moment) {
        let established = links.filter { $0.value.peer != nil && $0.key != connectionID }
        guard established.count >= Limits.links else { return }
        let standings = established.mapValues { standing(of: $0.peer) }
        guard let lowest = standings.values.min() else { return }
        let oldest = established.filter { standings[$0.key] == lowest }
            .min { ($0.value.lastUsed, $0.key) < ($1.value.lastUsed, $1.key) }
        if let oldest { close(oldest.key, .overloaded, error: nil, now: now) }
    }

    /// How much this node has to do with a user. Whoever comes with many identities must not push out those whom it
    /// knows, not even by writing from each of them.
    private enum Standing: Comparable {
        case unpinned, stranger, known
    }

    private func standing(of peer: LinkPeer?) -> Standing {
        guard let userID = peer?.userID else { return .unpinned }
        if !isStranger(userID) { return .known }
        return directory.users[userID]?.isPinned == true ? .stranger : .unpinned
    }

    /// Tells a peer what this node holds of its logs, so that it sends what is missing.
    private mutating func sendHeads(to peer: LinkPeer, on connectionID: ConnectionID) {
        let receipts = incomingLogs.logs(of: peer.deviceID)
            .filter { $0.authorID == peer.userID }
            .compactMap { ownReceipt(for: $0.description.logID) }
        var start = 0
        repeat {
            let end = min(start + Limits.logsPerHeads, receipts.count)
            let frame = Frame.heads(Array(receipts[start..<end]), isComplete: end == receipts.count)
            links[connectionID]?.machine.enqueue(frame)
            start = end
        } while start < receipts.count
        linksToFlush.insert(connectionID)
    }
}
