import Earshot
import Synchronization

/// How many requests a second programs may send: each token's, and of each user of the machine those without a valid one,
/// and logins apart from these. So nobody who floods a port keeps others out of it. The owner's requests on the Unix socket are
/// not counted.
final class RequestRates: Sendable {
    enum Sender: Hashable, Sendable {
        case token(String)
        /// Who shows no valid token, or whose tab does not prove its session.
        case stranger(SocketUser)
        /// Who tries a login.
        case login(SocketUser)
    }

    private struct Bucket {
        var left: Double
        var time: ContinuousClock.Instant
    }

    private let perSecond: Double
    private let now: @Sendable () -> ContinuousClock.Instant
    private let buckets = Mutex<[Sender: Bucket]>([:])

    /// - Parameter perSecond: on average. Twice as many may come at once.
    init(perSecond: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.perSecond = Double(perSecond)
        self.now = now
    }

    /// - Throws: `GatewayError` `tooManyRequests`.
    func take(_ sender: Sender) throws(GatewayError) {
        let now = now()
        let isAllowed = buckets.withLock { buckets in
            var bucket = buckets[sender] ?? Bucket(left: 2 * perSecond, time: now)
            bucket.left = min(2 * perSecond, bucket.left + (now - bucket.time) / .seconds(1) * perSecond)
            bucket.time = now
            let isAllowed = bucket.left >= 1
            if isAllowed { bucket.left -= 1 }
            // What is kept is bounded: now and then all senders are forgotten, and each begins with a full allowance.
            if buckets.count >= 2 * TokenBook.limit { buckets.removeAll() }
            buckets[sender] = bucket
            return isAllowed
        }
        guard isAllowed else {
            throw GatewayError(
                .tooManyRequests, "more than \(Int(perSecond)) requests a second", .init(limit: Int(perSecond)))
        }
    }
}
