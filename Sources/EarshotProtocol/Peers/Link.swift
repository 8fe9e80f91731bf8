package import EarshotModel

/// A connection as the node sees it: its machine, and once it is established what goes over it.
struct Link: Sendable {
    var machine: LinkMachine
    /// What this link stands for in the dialler: none of it is dialled while the link lasts.
    var targets: Set<Dialer.Target>
    let isOutbound: Bool
    /// Where the other end is.
    var address: PeerAddress?
    /// Uptimes.
    let openedAt: Int64
    var establishedAt: Int64?
    var lastUsed: Int64

    /// Who is at the other end, once that is proved and accepted.
    var peer: LinkPeer?
    /// How much of what was received since the last charge has moved a log forward, in requests.
    var credit = 0

    /// Who is at the other end as far as that is proved, wanted or not.
    var claimedPeer: LinkPeer? { peer ?? machine.introduced }

    /// Whether it is a dial of a target, under way or in its handshake.
    func isDial(of target: Dialer.Target) -> Bool { isOutbound && peer == nil && targets.contains(target) }
}

/// A link that carries traffic.
package struct EstablishedLink: Sendable {
    package let peer: LinkPeer
    /// Where the other end is.
    package let address: PeerAddress?
    /// Whether this node dialled.
    package let isOutbound: Bool
    /// An uptime.
    package let establishedAt: Int64
    /// How far the peer's clock is ahead of this node's, in milliseconds; negative for behind. `nil` if it said nothing.
    package let clockOffset: Int64?

    /// - Returns: `nil` for a link whose peer is not accepted yet.
    init?(_ link: Link) {
        guard let peer = link.peer else { return nil }
        self.peer = peer
        address = link.address
        isOutbound = link.isOutbound
        establishedAt = link.establishedAt ?? link.openedAt
        clockOffset = link.machine.clockOffset
    }
}
