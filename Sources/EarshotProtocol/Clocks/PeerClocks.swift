import EarshotModel

/// The clocks of the last `Limits.peerClocks` users who introduced themselves, accepted or refused.
struct PeerClocks: Sendable {
    struct Entry: Sendable {
        let userID: UserID
        let name: UserName
        let offset: Int64
    }

    /// In ascending order of time.
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
