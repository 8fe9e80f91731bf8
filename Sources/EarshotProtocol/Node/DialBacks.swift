import EarshotModel

/// What peers were asked about this node's reachability, and what this node does for peers that ask.
struct DialBacks: Sendable {
    /// A peer that was asked, and what it said.
    struct Question: Sendable {
        let userID: UserID
        let nonce: UInt64
        /// The link that it was asked on, until it has answered or the link is gone.
        var connectionID: ConnectionID?
        var isReachable: Bool?
    }

    struct Check: Sendable {
        var requestIDs: [RequestID]
        let deadline: Int64
        var questions: [Question]
    }

    /// A connection that is being tried for a peer.
    struct Attempt: Sendable {
        let connectionID: ConnectionID
        let nonce: UInt64
    }

    /// There is one at a time: whoever asks meanwhile gets the same answer.
    var check: Check?
    var attempts: [ProbeID: Attempt] = [:]
    /// When a connection was tried for a device last, as an uptime; forgotten when it no longer matters.
    private var triedAt: [DeviceID: Int64] = [:]
    private var count: UInt64 = 0

    mutating func nextNumber() -> UInt64 {
        count += 1
        return count
    }

    /// Whether a connection is tried for this device now; takes note of it.
    mutating func admit(_ deviceID: DeviceID, on connectionID: ConnectionID, now: Int64) -> Bool {
        triedAt = triedAt.filter { now - $0.value < Timing.dialBackInterval }
        guard triedAt[deviceID] == nil, triedAt.count < Limits.links, attempts.count < Limits.concurrentDialBacks,
            !attempts.values.contains(where: { $0.connectionID == connectionID })
        else { return false }
        triedAt[deviceID] = now
        return true
    }
}
