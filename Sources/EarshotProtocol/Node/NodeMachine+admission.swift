import EarshotCrypto
import EarshotModel

/// Who is let in, and which of two links to one device stays.
extension NodeMachine {
    mutating func decide(_ peer: LinkPeer, on connectionID: ConnectionID, now: Moment) {
        let address = links[connectionID]?.address
        if let (reason, error) = refusal(of: peer) ?? excess(of: peer, at: address, now: now) {
            if provesMembership(connectionID) {
                run(trust.refused(peer, at: address?.host, exchange: exchange, now: now), now: now)
            }
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
        return trust.refusal(of: peer)
    }

    mutating func establish(_ peer: LinkPeer, on connectionID: ConnectionID, now: Moment) {
        // Another link may have been first meanwhile: whom this node wants is decided anew.
        if let (reason, error) = refusal(of: peer) {
            run(trust.refused(peer, at: links[connectionID]?.address?.host, exchange: exchange, now: now), now: now)
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
        run(
            trust.linked(
                peer, at: link.isOutbound ? link.address : nil, exchange: exchange, isIdle: isIdle, now: now),
            now: now)
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

    /// Whether a device has no link and has written nothing.
    private var isIdle: (DeviceID) -> Bool {
        let (linkOfDevice, incomingLogs) = (linkOfDevice, incomingLogs)
        return { linkOfDevice[$0] == nil && !incomingLogs.hasLogs(of: $0) }
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
        return trust.directory.users[userID]?.isPinned == true ? .stranger : .unpinned
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
