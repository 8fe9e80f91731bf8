import EarshotModel

/// How often a node tells of connections of strangers: a flood of them must not become a flood of events.
struct StrangerNotices: Sendable {
    private var failures = AddressBudget(
        perAddress: Limits.failuresPerAddress, perAddressAndSecond: Limits.failuresPerAddressAndSecond,
        perSecond: Limits.failuresPerSecond)
    private var untoldFailures = 0
    private var untoldRefusals = 0
    /// When it was last told that connections are refused, as an uptime.
    private var refusalToldAt: Int64?

    /// A handshake has failed, or a link has ended, of somebody who is no more than an identity.
    /// - Returns: how many were passed over since the last was told; `nil` if this one is passed over too.
    mutating func failed(at host: String, now: Int64) -> Int? {
        guard failures.admits(host, now: now) else {
            untoldFailures += 1
            return nil
        }
        defer { untoldFailures = 0 }
        return untoldFailures
    }

    /// A connection was closed because there are too many.
    /// - Returns: how many were since that was last told; `nil` if it is not to be told now.
    mutating func refused(now: Int64) -> Int? {
        untoldRefusals += 1
        if let refusalToldAt, now - refusalToldAt < Timing.refusalNotice { return nil }
        refusalToldAt = now
        defer { untoldRefusals = 0 }
        return untoldRefusals
    }
}
