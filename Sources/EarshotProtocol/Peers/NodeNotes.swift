package import EarshotModel

/// What happened in a machine that nobody has to act on: for logs and counts. A shell takes it after each input.
package struct NodeNotes: Sendable {
    /// What one input can bring about; past it nothing more is noted until somebody takes the notes.
    static let limit = 1024

    package private(set) var links: [LinkNote] = []
    package internal(set) var receiptsSent = 0
    package internal(set) var receiptsReceived = 0
    /// Connections of strangers that were closed, because there were too many.
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

/// That a link began or ended.
package struct LinkNote: Sendable, Hashable {
    package enum Change: Sendable, Hashable {
        case established
        /// An established link is over.
        case closed
        /// A handshake came to nothing.
        case refused
    }

    package let change: Change
    /// Who is at the other end, as far as that is proved.
    package let userID: UserID?
    package let address: PeerAddress?
    /// Whether this node dialled.
    package let isOutbound: Bool
    /// Milliseconds that the connection, or the established link, took until this.
    package let duration: Int64
    /// Why it ended: the name of a close reason or the code of an error; `nil` where the connection was just gone.
    package let reason: String?
    /// Whether that is the peer's word.
    package let isByPeer: Bool
}

extension LinkNote {
    init(establishedOn link: EstablishedLink) {
        self.init(
            change: .established, userID: link.peer.userID, address: link.address, isOutbound: link.isOutbound,
            duration: link.establishedAt - link.connection.machine.startedAt, reason: nil, isByPeer: false)
    }

    /// - Parameter error: `nil` for a connection that is gone, and for one that only wanted to know whether the port is
    ///   open: that is not worth a note.
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
