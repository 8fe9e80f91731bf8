import EarshotModel

/// Limits how often a second strangers may cause something, before anything is spent on them.
///
/// Each address has a budget of its own, and all addresses share one. Addresses that were quiet until now share another
/// one, so a flood from some addresses shuts out nobody who comes from elsewhere.
struct AddressBudget: Sendable {
    private let perAddress: Int
    private let perAddressAndSecond: Int
    private let perSecond: Int
    private var addresses: [String: TokenBucket] = [:]
    private var shared: TokenBucket?
    private var quiet: TokenBucket?

    /// - Parameters:
    ///   - perAddress: how often one address may at once.
    ///   - perAddressAndSecond: how often it may in a second after that.
    ///   - perSecond: how often all addresses may, and as often again those that were quiet.
    init(perAddress: Int, perAddressAndSecond: Int, perSecond: Int) {
        self.perAddress = perAddress
        self.perAddressAndSecond = perAddressAndSecond
        self.perSecond = perSecond
    }

    /// - Parameter now: an uptime.
    mutating func admits(_ host: String, now: Int64) -> Bool {
        if addresses[host] == nil { makeRoom(now: now) }
        var own =
            addresses[host]
            ?? TokenBucket(capacity: perAddress, perSecond: perAddressAndSecond, now: now)
        let wasQuiet = own.isFull(now: now)
        guard own.take(1, now: now) else { return false }
        addresses[host] = own
        return wasQuiet && take(from: &quiet, now: now) || take(from: &shared, now: now)
    }

    private func take(from bucket: inout TokenBucket?, now: Int64) -> Bool {
        var new = bucket ?? TokenBucket(capacity: perSecond, perSecond: perSecond, now: now)
        defer { bucket = new }
        return new.take(1, now: now)
    }

    /// Addresses that were quiet for long enough need not be remembered. If there are too many, none is.
    private mutating func makeRoom(now: Int64) {
        guard addresses.count >= Limits.addressBudgets else { return }
        addresses = addresses.filter { !$0.value.isFull(now: now) }
        if addresses.count >= Limits.addressBudgets { addresses.removeAll(keepingCapacity: true) }
    }
}
