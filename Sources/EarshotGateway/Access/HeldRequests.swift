import Earshot
import Synchronization

/// Counts the requests that hold their connection for long: event streams, and requests that wait for something to
/// arrive. One more than the limit is refused at once.
///
/// Fewer may be held than there are connections, so they never keep out requests that are answered at once. The owner's
/// are counted apart, so that programs do not keep out the owner's. What a token holds ends with the token.
final class HeldRequests: Sendable {
    private struct Counts {
        var owner = 0
        var programs = 0
    }

    private let limit: Int
    private let tokens: TokenBook?
    private let counts = Mutex(Counts())

    init(limit: Int = GatewayLimits.heldRequests, tokens: TokenBook? = nil) {
        self.limit = limit
        self.tokens = tokens
    }

    /// - Parameter end: ends the request when its token is revoked or expires.
    /// - Returns: what is to be called, once, when the request is over.
    /// - Throws: `GatewayError` `tooManyRequests`.
    func hold(
        for access: Access, ending end: @escaping @Sendable () -> Void = {}
    ) throws(GatewayError) -> @Sendable () -> Void {
        let isHeld = counts.withLock { counts in
            let place = Self.place(of: access)
            guard counts[keyPath: place] < limit else { return false }
            counts[keyPath: place] += 1
            return true
        }
        guard isHeld else {
            throw GatewayError(
                .tooManyRequests, "\(limit) event streams and waiting requests are open already", .init(limit: limit))
        }
        let unwatch = access.token.flatMap { tokens?.watch($0.id, end) }
        return { [self] in
            unwatch?()
            counts.withLock { $0[keyPath: Self.place(of: access)] -= 1 }
        }
    }

    private static func place(of access: Access) -> WritableKeyPath<Counts, Int> {
        access.token == nil ? \.owner : \.programs
    }
}
