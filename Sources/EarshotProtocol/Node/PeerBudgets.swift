import EarshotModel

/// What peers may still make this node do that moves no log forward: pings, heads, receipts and entries that say nothing
/// new, questions, frames that nobody knows, new links. What moves a log forward is bounded by the window and the disk,
/// and costs nothing here.
///
/// A budget is a user's, not a link's or a device's: else whoever used it up would link anew.
struct PeerBudgets: Sendable {
    private var buckets: [UserID: TokenBucket] = [:]

    /// - Returns: whether the user was within the budget.
    mutating func charge(_ cost: Int, to userID: UserID, now: Int64) -> Bool {
        guard cost > 0 else { return true }
        if buckets[userID] == nil, buckets.count >= Limits.peerBudgets { forgetFull(now: now) }
        let new = TokenBucket(capacity: Limits.peerRequests, perSecond: Limits.peerRequestsPerSecond, now: now)
        return buckets[userID, default: new].charge(cost, now: now)
    }

    /// Whether the user has gone over the budget, and not waited since.
    func isExceeded(by userID: UserID, now: Int64) -> Bool { buckets[userID]?.isInDebt(now: now) ?? false }

    /// A full budget is none that needs to be remembered. Where nobody's is full, those who owe nothing are forgotten.
    private mutating func forgetFull(now: Int64) {
        buckets = buckets.filter { !$0.value.isFull(now: now) }
        guard buckets.count >= Limits.peerBudgets else { return }
        buckets = buckets.filter { $0.value.isInDebt(now: now) }
        if buckets.count >= Limits.peerBudgets { buckets.removeAll() }
    }
}
