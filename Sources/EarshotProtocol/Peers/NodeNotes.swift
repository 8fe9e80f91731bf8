package import EarshotModel

/// What happened in a machine and needs no action, for logs and counts. A shell takes it after each input.
package struct NodeNotes: Sendable {
    /// The most that one input causes. Past this limit nothing more is noted until somebody takes the notes.
    static let limit = 1024

    package private(set) var links: [LinkNote] = []
    package internal(set) var receiptsSent = 0
    package internal(set) var receiptsReceived = 0
    /// Connections of strangers that were closed because there were too many.
    package internal(set) var connectionsRefused = 0

    package init() {}

    package var isEmpty: Bool {
        links.isEmpty && receiptsSent == 0 && receiptsReceived == 0 && connectionsRefused == 0
    }

    mutating func add(_ note: LinkNote) {
        guard links.count < Self.limit else { return }
        links.append(note)
    }
}

/// A link began or ended.
package struct LinkNote: Sendable, Hashable {
    package enum Change: Sendable, Hashable {
        case established
        /// An established link is over.
        case closed
        /// A handshake failed.
        case refused
    }

    package let change: Change
    /// The user at the other end, as far as that is proved.
    package let userID: UserID?
    package let address: PeerAddress?
    /// Whether this node dialled the other.
    package let isOutbound: Bool
    /// How long the connection or the established link had lasted, in milliseconds.
    package let duration: Int64
    /// Why it ended: the name of a close reason or the code of an error; `nil` if the connection just broke.
    package let reason: String?
    /// Whether the peer gave the reason.
    package let isByPeer: Bool
}

extension LinkNote {
    init(establishedOn link: EstablishedLink) {
        self.init(
            change: .established, userID: link.peer.userID, address: link.address, isOutbound: link.isOutbound,
            duration: link.establishedAt - link.connection.machine.startedAt, reason: nil, isByPeer: false)
    }

    /// - Parameter error: `nil` for a connection that just broke, and for one that only tested whether the port is
    ///   open, which is not worth a note.
    init?(endOf link: Link, _ error: ProtocolError?, now: Int64) {
        let established = link.established
        guard established != nil || error != nil else { return nil }
        self.init(
            change: established == nil ? .refused : .closed, userID: link.claimedPeer?.userID, address: link.address,
            isOutbound: link.isOutbound, duration: now - (established?.establishedAt ?? link.machine.startedAt),
            reason: error.map { $0.closeReason?.name ?? $0.code.description },
            isByPeer: error?.code == .closedByPeer)
    }
}
