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
    /// Whether the peer has said what it holds; before that nothing is sent.
    var hasHeads = false
    var outgoing: [LogID: Outgoing] = [:]
    /// Bytes of entries that were sent and not acknowledged.
    var windowUsed = 0
    /// Logs of this node's own that the peer holds more of than this node; the first is being taken back.
    var recoveries: [Recovery] = []
    var recovered = RecoveryTally()
    /// Whether the peer is owed entries of its own, for which it has asked.
    var isGivingBack = false
    /// The read for these, if it has to wait.
    var postponedReturn: EntriesRead?
    /// Bytes of entries that came again, before the disk had what came of them over an earlier link.
    var repeatedBytes = 0
    /// How much of what was received since the last charge has moved a log forward, in requests.
    var progress = 0

    /// Who is at the other end as far as that is proved, wanted or not.
    var claimedPeer: LinkPeer? { peer ?? machine.introduced }

    /// Whether it is a dial of a target, under way or in its handshake.
    func isDial(of target: Dialer.Target) -> Bool { isOutbound && peer == nil && targets.contains(target) }

    var windowRoom: Int { max(0, Limits.windowBytes - windowUsed) }
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
