import EarshotModel

/// Limits how often a node reports connections of strangers: a flood of them must not become a flood of events.
struct StrangerNotices: Sendable {
    private var failures = AddressBudget(
        perAddress: Limits.failuresPerAddress, perAddressAndSecond: Limits.failuresPerAddressAndSecond,
        perSecond: Limits.failuresPerSecond)
    private var untoldFailures = 0
    private var untoldRefusals = 0
    /// The uptime at which refused connections were last reported.
    private var refusalToldAt: Int64?

    /// A handshake or a link of a stranger has ended.
    /// - Returns: how many were left out since the last report; `nil` if this one is left out too.
    mutating func failed(at host: String, now: Int64) -> Int? {
        guard failures.admits(host, now: now) else {
            untoldFailures += 1
            return nil
        }
        defer { untoldFailures = 0 }
        return untoldFailures
    }

    /// A connection was closed because there are too many.
    /// - Returns: how many there were since the last report; `nil` if this is not reported now.
    mutating func refused(now: Int64) -> Int? {
        untoldRefusals += 1
        if let refusalToldAt, now - refusalToldAt < Timing.refusalNotice { return nil }
        refusalToldAt = now
        defer { untoldRefusals = 0 }
        return untoldRefusals
    }
}
