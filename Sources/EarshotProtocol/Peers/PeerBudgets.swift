import EarshotModel

/// Limits what peers may make this node do that moves no log forward: pings; heads, receipts and entries that say
/// nothing new; questions; unknown frames; new links. The window and the disk limit what moves a log forward; it costs
/// nothing here.
///
/// A budget belongs to a user, not to a link or a device: otherwise a peer that has used it up would just link again.
/// Identities cost nothing either, so strangers of one address share another budget.
struct PeerBudgets: Sendable {
    enum Payer: Hashable, Sendable {
        case user(UserID)
        /// All strangers at a host.
        case strangers(at: String)

        fileprivate var isAddress: Bool { if case .strangers = self { true } else { false } }
    }

    private var buckets: [Payer: TokenBucket] = [:]

    /// Charges all of them.
    /// - Returns: whether all were within their budgets.
    mutating func charge(_ cost: Int, to payers: [Payer], now: Int64) -> Bool {
        guard cost > 0 else { return true }
        var isWithin = true
        for payer in payers where !charge(cost, to: payer, now: now) { isWithin = false }
        return isWithin
    }

    private mutating func charge(_ cost: Int, to payer: Payer, now: Int64) -> Bool {
        if buckets[payer] == nil, buckets.count >= Limits.peerBudgets { forgetFull(now: now) }
        return buckets[payer, default: Self.full(payer, now: now)].charge(cost, now: now)
    }

    /// Whether one of them is over budget and has not waited since, or would be over with this cost.
    func isExceeded(by payers: [Payer], beside cost: Int = 0, now: Int64) -> Bool {
        payers.contains { !(buckets[$0] ?? Self.full($0, now: now)).has(cost, now: now) }
    }

    private static func full(_ payer: Payer, now: Int64) -> TokenBucket {
        switch payer {
        case .user:
            TokenBucket(capacity: Limits.peerRequests, perSecond: Limits.peerRequestsPerSecond, now: now)
        case .strangers:
            TokenBucket(capacity: Limits.strangerRequests, perSecond: Limits.strangerRequestsPerSecond, now: now)
        }
    }

    /// A full budget need not be remembered. If none is full, users who owe nothing are forgotten first, and addresses
    /// only after that: otherwise a stream of new identities would make their address's budget full again.
    private mutating func forgetFull(now: Int64) {
        buckets = buckets.filter { !$0.value.isFull(now: now) }
        guard buckets.count >= Limits.peerBudgets else { return }
        buckets = buckets.filter { $0.key.isAddress || $0.value.isInDebt(now: now) }
        guard buckets.count >= Limits.peerBudgets else { return }
        buckets = buckets.filter { $0.value.isInDebt(now: now) }
        if buckets.count >= Limits.peerBudgets { buckets.removeAll() }
    }
}
