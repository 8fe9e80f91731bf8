package import EarshotModel

/// Credentials begin and end while the node runs.
extension NodeMachine {
    /// This device has a new credential: every handshake from now on shows it, and who refused the old one is dialled at
    /// once. Links that stand stay.
    /// - Precondition: it is one of this node's user, device and keys.
    package mutating func renew(_ credential: Credential, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            node.peers.renew(credential, now: now.uptime)
            // Links that were made with an expired credential were for its renewal alone, and by the other's clock it may
            // have expired already.
            node.closeOwnLinks(now: now)
            node.post(
                .credentialRenewed(
                    CredentialNotice(notBefore: credential.notBefore, notAfter: credential.notAfter)))
        }
    }

    private mutating func closeOwnLinks(now: Moment) {
        for connectionID in connections(to: local.userID) {
            close(connectionID, .credentialExpired, error: nil, now: now)
        }
    }

    /// Closes the links of peers whose credential is over. Who has renewed it links anew. A device of this node's own user
    /// keeps its link, so that a primary device can renew its credential. One that was made for that alone, because a
    /// clock was wrong, ends when the clock is right.
    mutating func closeExpired(now: Moment) {
        for connectionID in openConnections {
            guard let peer = peer(on: connectionID) else { continue }
            let isOver =
                isOwn(peer)
                ? !replication.hasSession(on: connectionID) && mayReplicate(with: peer, now: now)
                : peer.credential.notAfter <= now.wallClock
            if isOver { close(connectionID, .credentialExpired, error: nil, now: now) }
        }
    }

    /// When the credential of a link's peer ends. The wall clock may be set without a word, so it is looked at once an
    /// hour at least.
    mutating func noteCredential(on connectionID: ConnectionID, now: Moment) {
        guard let peer = peer(on: connectionID) else { return }
        guard !isOwn(peer) || !replication.hasSession(on: connectionID) else { return }
        let left = isOwn(peer) ? Timing.credentialCheck : max(0, peer.credential.notAfter - now.wallClock)
        let wait = min(left, Timing.credentialCheck)
        wake(by: now.uptime + wait)
    }
}
