/// Every span of time that the protocol waits, in milliseconds.
package enum Timing {
    /// A handshake that takes longer is closed.
    package static let handshake: Int64 = 10_000
    /// How often it is told that connections are refused because there are too many.
    package static let refusalNotice: Int64 = 10_000
    /// A link that was silent for this long is pinged.
    package static let pingAfterSilence: Int64 = 15_000
    /// A link that heard nothing for this long is dead.
    package static let deadAfterSilence: Int64 = 44_000
    /// A link that there is reason to doubt is pinged at once, and is dead if nothing is heard for this long.
    package static let probe: Int64 = 3_000
    /// A probe that is unanswered for this long lets the peer be dialled beside the link that may be dead.
    package static let probePatience: Int64 = 1_000
    /// A device that is seen anew gives reason to doubt a link to it that was silent for this long.
    package static let silenceBeforeDoubt: Int64 = 1_000
    /// A machine that is called this much later than it asked for was asleep, or was stopped.
    package static let lateness: Int64 = 5_000
    /// A wall clock that moves against the uptime by more than this was set.
    package static let clockJump: Int64 = 30_000
    /// The sending key of a link is renewed after this time, if it was used.
    package static let rekeyInterval: Int64 = 600_000
    /// The first wait before a failed dial is repeated; it doubles up to `redialCeiling`.
    package static let redialFloor: Int64 = 250
    package static let redialCeiling: Int64 = 30_000
    /// A dial that takes longer is begun anew when its peer is seen again or the network changes.
    package static let dialPatience: Int64 = 500
    /// How long a user's devices may take to say all that they hold, where they claim entries of this node's own that it
    /// lacks, and to give these back. They have more time for what they have given back: see
    /// `Limits.recoveryBytesPerSecond`.
    package static let recovery: Int64 = 15_000
    /// How long a user waits who has asked for more of their own entries than they may have at once.
    package static let returnPause: Int64 = 100
    /// How long nothing is taken back from a user who has had that time, and messages to them go their way.
    package static let recoveryPause: Int64 = 30_000
    /// How long a connection may take that a peer asks for to learn whether it can be reached.
    package static let dialBack: Int64 = 3_000
    /// How long after such a connection began another one is made for the same device.
    package static let dialBackInterval: Int64 = 5_000
    /// How long a node waits for peers to say whether it can be reached.
    package static let reachabilityCheck: Int64 = 6_000
    /// For how long a device that is not advertised is dialled where it was last: one day.
    package static let remembered: Int64 = 24 * 3600 * 1000
    /// For how long after seeing the first peer a node takes itself for the newcomer, who dials at once.
    package static let newcomer: Int64 = 2_000
    /// How long a node that is no newcomer leaves dialling to a lower device that it sees.
    package static let dialDeference: Int64 = 400
    /// Two links of a pair of devices that began within this time of each other are taken for simultaneous dials.
    package static let simultaneousDial: Int64 = 1_000
    /// How long a change of state that is true already may wait for company in a commit.
    package static let lazyCommit: Int64 = 20
    /// How long the store is left alone after a commit that failed.
    package static let commitRetry: Int64 = 500
    /// A message's time to live unless it names another: 30 days.
    package static let timeToLive: Int64 = 30 * 24 * 3600 * 1000
    /// How often messages are looked at for their expiry, at the least.
    package static let expiryCheck: Int64 = 3_600_000
    /// How long after the disk could not be asked for expired messages it is asked again.
    package static let expiryRetry: Int64 = 60_000
    /// How long a credential is valid: 30 days.
    package static let credentialLifetime: Int64 = 30 * 24 * 3600 * 1000
    /// How often the credentials of linked peers are looked at, at the least.
    package static let credentialCheck: Int64 = 3_600_000
    /// How often a running node looks at its credential, at the least: the wall clock may jump.
    package static let ownCredentialCheck: Int64 = 60_000
    /// How often it looks while the credential is not valid by this machine's clock, or could not be renewed.
    package static let credentialRetry: Int64 = 60_000
    /// How long before its end a credential that cannot be renewed is told of, beside the first time.
    package static let credentialWarnings: [Int64] = [3, 2, 1].map { $0 * 24 * 3600 * 1000 }
    /// A peer's timestamp that is further ahead than this is flagged and does not move this node's clock; and a peer's
    /// clock that is further away, ahead or behind, is flagged.
    package static let clockTolerance: Int64 = 60_000
    /// How much earlier than now a credential begins, for clocks that run behind.
    package static let credentialBackdating: Int64 = 3_600_000
}

/// When something happened, as a shell tells its machines: they read no clock of their own.
package struct Moment: Hashable, Sendable {
    /// The wall clock, in milliseconds since 1970 (UTC). It may jump.
    package var wallClock: Int64
    /// A monotonic clock, in milliseconds since an arbitrary start. Timeouts are measured with it.
    package var uptime: Int64

    package init(wallClock: Int64, uptime: Int64) {
        self.wallClock = wallClock
        self.uptime = uptime
    }
}
