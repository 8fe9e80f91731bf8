/// A budget that begins full and refills with time: so much at once, and so much a second.
struct TokenBucket: Sendable {
    /// In thousandths, so that a millisecond fills by a whole number.
    private let capacity: Int64
    private let perSecond: Int64
    private var level: Int64
    private var filledAt: Int64

    /// - Parameter now: an uptime, as everywhere here.
    init(capacity: Int, perSecond: Int, now: Int64) {
        self.capacity = Int64(capacity) * 1000
        self.perSecond = Int64(perSecond)
        level = self.capacity
        filledAt = now
    }

    /// Takes tokens if all of them are there.
    mutating func take(_ count: Int, now: Int64) -> Bool {
        fill(now: now)
        guard level >= Int64(count) * 1000 else { return false }
        level -= Int64(count) * 1000
        return true
    }

    /// Takes tokens whether they are there or not. Missing tokens are owed, up to the capacity.
    /// - Returns: whether they were there.
    mutating func charge(_ count: Int, now: Int64) -> Bool {
        fill(now: now)
        level = max(-capacity, level - Int64(count) * 1000)
        return level >= 0
    }

    /// Whether so many tokens are there.
    func has(_ count: Int, now: Int64) -> Bool { filled(now: now) >= Int64(count) * 1000 }

    /// Whether tokens are owed.
    func isInDebt(now: Int64) -> Bool { !has(0, now: now) }

    /// Whether all tokens are there, as if none had ever been taken.
    func isFull(now: Int64) -> Bool { filled(now: now) == capacity }

    private mutating func fill(now: Int64) {
        level = filled(now: now)
        filledAt = max(filledAt, now)
    }

    private func filled(now: Int64) -> Int64 {
        // After this time the bucket is full, whatever the debt was.
        let elapsed = min(max(0, now - filledAt), 2 * capacity / perSecond + 1)
        return min(capacity, level + elapsed * perSecond)
    }
}
