import EarshotModel

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
    /// Bytes of entries that were received and not committed.
    var uncommittedBytes = 0

    var windowRoom: Int { max(0, Limits.windowBytes - windowUsed) }
}
