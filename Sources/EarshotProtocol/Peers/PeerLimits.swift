import EarshotModel

/// Limits what strangers and peers cost this node, before and after they have proved who they are.
///
/// It never closes anything. Its parent says who is a stranger.
struct PeerLimits: Sendable {
    /// Which connections of strangers may begin a handshake.
    private var gate = AddressBudget(
        perAddress: Limits.connectionsPerAddress, perAddressAndSecond: Limits.connectionsPerAddressAndSecond,
        perSecond: Limits.connectionsPerSecond)
    private var notices = StrangerNotices()
    private(set) var budgets = PeerBudgets()

    // MARK: - Before authentication

    /// Whether a connection may begin a handshake; counts it.
    mutating func admitsConnection(from address: PeerAddress?, now: Int64) -> Bool {
        gate.admits(address?.host ?? "", now: now)
    }

    /// A connection was closed because there are too many.
    /// - Returns: the failure to report, which is only now and then.
    mutating func refused(_ address: PeerAddress?, now: Int64) -> LinkFailure? {
        guard let count = notices.refused(now: now) else { return nil }
        let others = count > 1 ? "; \(count) were closed since that was last told" : ""
        return LinkFailure(
            address: address?.description ?? "unknown", userID: nil,
            code: ProtocolError.Code.overloaded.description,
            message: "connections of strangers are closed, because too many come at once\(others)")
    }

    /// A link is over.
    /// - Parameters:
    ///   - expectedID: who should have been at the other end, for a peer that has not said who it is.
    ///   - isLimited: whether a stranger caused the link, so there may be many more.
    /// - Returns: the failure to report; for strangers only now and then.
    mutating func failed(
        _ link: Link, _ error: ProtocolError, expectedID: UserID?, isLimited: Bool, now: Int64
    ) -> LinkFailure? {
        var message = error.message
        if isLimited {
            guard let untold = notices.failed(at: link.address?.host ?? "", now: now) else { return nil }
            if untold > 0 { message += "; \(untold) more such connections failed before it" }
        }
        return LinkFailure(
            address: link.address?.description ?? "unknown", userID: link.claimedPeer?.userID ?? expectedID,
            code: error.code.description, message: message, closeReason: error.closeReason?.name)
    }

    // MARK: - After authentication

    /// Charges a peer for what it sent that moved no log forward.
    /// - Returns: whether it was within its budget.
    mutating func charge(_ cost: Int, to payers: [PeerBudgets.Payer], now: Int64) -> Bool {
        budgets.charge(cost, to: payers, now: now)
    }

    /// The error for a peer that has asked for too much, until it has waited; `nil` if it has not.
    func excess(of peer: LinkPeer, payers: [PeerBudgets.Payer], beside cost: Int = 0, now: Int64) -> ProtocolError? {
        budgets.isExceeded(by: payers, beside: cost, now: now) ? Self.tooManyRequests(peer) : nil
    }

    static func tooManyRequests(_ peer: LinkPeer) -> ProtocolError {
        ProtocolError(
            .tooManyRequests,
            "\(peer.credential.name), alone or with other strangers of the same address, makes more than "
                + "\(Limits.peerRequestsPerSecond) requests a second that move no conversation forward, and is kept "
                + "out until the excess is made up",
            closeReason: .tooManyRequests)
    }
}
