import EarshotModel

/// How fast users are given back entries of their own. Asking costs them next to nothing, and answering costs this node a
/// look at its disk and up to a megabyte on the wire. Who asks for more waits for it: a device that was restored is not
/// turned away.
struct ReturnBudgets: Sendable {
    private var buckets: [UserID: TokenBucket] = [:]

    func isExceeded(by userID: UserID, now: Int64) -> Bool { buckets[userID]?.isInDebt(now: now) ?? false }

    mutating func charge(bytes: Int, to userID: UserID, now: Int64) {
        if buckets[userID] == nil, buckets.count >= Limits.peerBudgets { forgetFull(now: now) }
        let new = TokenBucket(
            capacity: Limits.returnedBytes, perSecond: Limits.returnedBytesPerSecond, now: now)
        _ = buckets[userID, default: new].charge(bytes, now: now)
    }

    /// A full budget is none that needs to be remembered. Where nobody's is full, those who owe nothing are forgotten.
    private mutating func forgetFull(now: Int64) {
        buckets = buckets.filter { !$0.value.isFull(now: now) }
        guard buckets.count >= Limits.peerBudgets else { return }
        buckets = buckets.filter { $0.value.isInDebt(now: now) }
        if buckets.count >= Limits.peerBudgets { buckets.removeAll() }
    }
}
