import EarshotModel

/// How many connections a second may begin a handshake, before anything is spent on them.
///
/// Each address has a budget of its own. Beside that all share one; but an address that was quiet until now is let in
/// whatever the others do, so that a flood from some addresses shuts nobody out who comes from another.
struct ConnectionGate: Sendable {
    private var addresses: [String: TokenBucket] = [:]
    private var shared: TokenBucket?

    /// - Parameters:
    ///   - host: where the connection comes from.
    ///   - now: an uptime.
    mutating func admits(_ host: String, now: Int64) -> Bool {
        if addresses[host] == nil { makeRoom(now: now) }
        guard addresses[host] != nil || addresses.count < Limits.gateAddresses else { return takeShared(now: now) }
        var own =
            addresses[host]
            ?? TokenBucket(
                capacity: Limits.connectionsPerAddress, perSecond: Limits.connectionsPerAddressAndSecond, now: now)
        defer { addresses[host] = own }
        let wasQuiet = own.isFull(now: now)
        guard own.take(1, now: now) else { return false }
        return wasQuiet || takeShared(now: now)
    }

    private mutating func takeShared(now: Int64) -> Bool {
        var bucket =
            shared
            ?? TokenBucket(
                capacity: Limits.connectionsPerSecond, perSecond: Limits.connectionsPerSecond, now: now)
        defer { shared = bucket }
        return bucket.take(1, now: now)
    }

    /// Addresses that were quiet for long enough need not be remembered.
    private mutating func makeRoom(now: Int64) {
        guard addresses.count >= Limits.gateAddresses else { return }
        addresses = addresses.filter { !$0.value.isFull(now: now) }
    }
}
