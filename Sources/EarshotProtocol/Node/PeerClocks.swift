package import EarshotModel

/// How far the clocks of the users are away that introduced themselves, accepted or refused: the latest
/// `Limits.peerClocks`.
struct PeerClocks: Sendable {
    struct Entry: Sendable {
        let userID: UserID
        let name: UserName
        var offset: Int64
    }

    /// The latest last.
    private(set) var entries: [Entry] = []

    mutating func note(_ peer: LinkPeer) {
        guard let offset = peer.clockOffset else { return }
        entries.removeAll { $0.userID == peer.userID }
        entries.append(Entry(userID: peer.userID, name: peer.credential.name, offset: offset))
        if entries.count > Limits.peerClocks { entries.removeFirst() }
    }

    /// This node's own clock was set.
    mutating func shift(by jump: Int64) {
        entries = entries.compactMap { entry in
            ClockOffset.shifted(entry.offset, by: jump).map { offset in
                Entry(userID: entry.userID, name: entry.name, offset: offset)
            }
        }
    }
}

extension NodeMachine {
    /// How far the clocks of the users seen last are ahead of this node's, in milliseconds; negative for behind. Users
    /// that were refused are among them, under the names that they gave. By name.
    package var peerClocks: [(userID: UserID, name: UserName, offset: Int64)] {
        clocks.entries.sorted { $0.name == $1.name ? $0.userID < $1.userID : $0.name < $1.name }
            .map { ($0.userID, $0.name, $0.offset) }
    }

    mutating func noteClock(of peer: LinkPeer) {
        clocks.note(peer)
        guard let offset = peer.clockOffset, ClockOffset.isLarge(offset), skewedUsers.count < Limits.strangers,
            skewedUsers.insert(peer.userID).inserted
        else { return }
        post(.clockSkewed(ClockSkew(userID: peer.userID, ahead: offset)))
    }
}
