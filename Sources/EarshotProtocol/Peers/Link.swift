import EarshotCrypto
package import EarshotModel

/// A connection as the node sees it, from the first dial or byte to its end.
enum Link: Sendable {
    /// This node dials the target: the connection is being made, or the handshake is under way.
    case dialling(Dialer.Target, Connection)
    /// Somebody has connected, and the handshake is under way.
    case answering(Connection)
    /// The peer is proved and accepted.
    case established(EstablishedLink)

    /// What every link has.
    struct Connection: Sendable {
        var machine: LinkMachine
        /// Where the other end is.
        var address: PeerAddress?
    }

    var connection: Connection {
        switch self {
        case .dialling(_, let connection), .answering(let connection): connection
        case .established(let link): link.connection
        }
    }

    var machine: LinkMachine { connection.machine }

    /// Where the other end is.
    var address: PeerAddress? { connection.address }

    /// Whether this node dialled.
    var isOutbound: Bool { connection.machine.role == .initiator }

    /// What this link stands for in the dialler: none of it is dialled while the link lasts.
    var targets: Set<Dialer.Target> {
        switch self {
        case .dialling(let target, _): [target]
        case .answering: []
        case .established(let link): link.targets
        }
    }

    var established: EstablishedLink? {
        if case .established(let link) = self { link } else { nil }
    }

    /// Who is at the other end, once that is proved and accepted.
    var peer: LinkPeer? { established?.peer }

    /// Who is at the other end as far as that is proved, wanted or not.
    var claimedPeer: LinkPeer? { peer ?? machine.introduced }

    /// Whether it is a dial of a target, under way or in its handshake.
    func isDial(of target: Dialer.Target) -> Bool {
        if case .dialling(target, _) = self { true } else { false }
    }

    /// Changes what every link has, in place: `consume` leaves no second owner of the machine's buffers.
    mutating func updateConnection<Result>(_ change: (inout Connection) -> Result) -> Result {
        switch consume self {
        case .dialling(let target, var connection):
            defer { self = .dialling(target, connection) }
            return change(&connection)
        case .answering(var connection):
            defer { self = .answering(connection) }
            return change(&connection)
        case .established(var link):
            defer { self = .established(link) }
            return change(&link.connection)
        }
    }

    /// Changes it in place.
    /// - Returns: `nil` where it is not established.
    mutating func updateEstablished<Result>(_ change: (inout EstablishedLink) -> Result) -> Result? {
        switch consume self {
        case .established(var link):
            defer { self = .established(link) }
            return change(&link)
        case let other:
            self = other
            return nil
        }
    }
}

/// A link that carries traffic.
package struct EstablishedLink: Sendable {
    var connection: Link.Connection
    package let peer: LinkPeer
    /// An uptime.
    package let establishedAt: Int64
    /// What this link stands for in the dialler, the peer's device included.
    var targets: Set<Dialer.Target>
    /// The uptime at which a frame that counts last went over it, or its connection began.
    var lastUsed: Int64
    /// How much of what was received since the last charge has moved a log forward, in requests.
    var credit = 0

    /// - Parameter targets: what was dialled, beside the peer's device.
    init(_ connection: Link.Connection, peer: LinkPeer, targets: Set<Dialer.Target>, establishedAt: Int64) {
        self.connection = connection
        self.peer = peer
        self.establishedAt = establishedAt
        self.targets = targets.union([.device(peer.deviceID)])
        lastUsed = connection.machine.startedAt
    }

    /// Where the other end is.
    package var address: PeerAddress? { connection.address }

    /// Whether this node dialled.
    package var isOutbound: Bool { connection.machine.role == .initiator }

    /// How far the peer's clock is ahead of this node's, in milliseconds; negative for behind. `nil` if it said nothing.
    package var clockOffset: Int64? { connection.machine.clockOffset }
}
