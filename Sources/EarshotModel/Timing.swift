/// The spans of time that the protocol waits, in milliseconds.
package enum Timing {
    /// A handshake that takes longer is closed.
    package static let handshake: Int64 = 10_000
    /// How often a node reports that it refuses connections because there are too many.
    package static let refusalNotice: Int64 = 10_000
    /// A link that was silent for this long is pinged.
    package static let pingAfterSilence: Int64 = 15_000
    /// A link that heard nothing for this long is dead.
    package static let deadAfterSilence: Int64 = 44_000
    /// A link in doubt is pinged at once, and is dead if nothing is heard for this long.
    package static let probe: Int64 = 3_000
    /// If a probe is unanswered for this long, the peer may be dialled beside the link that may be dead.
    package static let probePatience: Int64 = 1_000
    /// When a device is seen anew, a link to it that was silent for this long is in doubt.
    package static let silenceBeforeDoubt: Int64 = 1_000
    /// A machine that is called this much later than it asked for was asleep, or was stopped.
    package static let lateness: Int64 = 5_000
    /// A wall clock that moves against the uptime by more than this was set.
    package static let clockJump: Int64 = 30_000
    /// After the wall clock was set, what cannot be undone is decided by the clock as it was for so long: it may be set back.
    package static let clockSettling: Int64 = 60_000
    /// The sending key of a link is renewed after this time, if it was used.
    package static let rekeyInterval: Int64 = 600_000
    /// The first wait before a failed dial is repeated; it doubles up to `redialCeiling`.
    package static let redialFloor: Int64 = 250
    package static let redialCeiling: Int64 = 30_000
    /// How long a device is not dialled whose link one of the two ends closed because the other asks for more than it may: by then
    /// what it may is whole again.
    package static let excessive = Int64(Limits.peerRequests / Limits.peerRequestsPerSecond) * 1000
    /// How long a device is not dialled whose link one of the two ends closed because it has too many; and how long if this
    /// node has something for it.
    package static let crowdedOut: Int64 = 15_000
    package static let crowdedOutButNeeded: Int64 = 500
    /// A link that was used more recently than this gives way to another one only if all were.
    package static let linkRest: Int64 = 1_000
    /// How often a node with all the links that it makes unasked links with another device, all the same; and how often if
    /// it has never met one.
    package static let roaming: Int64 = 30_000
    package static let roamingToNew: Int64 = 5_000
    /// Devices that were found within this time of each other have waited for room about as long.
    package static let aboutAsLong: Int64 = 4_000
    /// A dial that takes longer is begun anew when its peer is seen again or the network changes.
    package static let dialPatience: Int64 = 500
    /// How long a user's devices that claim entries which this node lacks may take to complete their heads and give the
    /// entries back. They get more time for what they have given back: see `Limits.recoveryBytesPerSecond`.
    package static let recovery: Int64 = 15_000
    /// How long a peer may take to send some of what it was asked for, before another one is asked.
    package static let fetchPatience: Int64 = 5_000
    /// How long a peer that does not have a file, or gives nothing of it, is not asked for it again, unless it says that it has
    /// it.
    package static let fileAbsence: Int64 = 30_000
    /// How long after a change of a conversation of many digests are compared.
    package static let comparison: Int64 = 30_000
    /// How long a node waits before it announces entries to a user whom their author does not reach.
    package static let announcement: Range<Int64> = 500..<2_000
    /// How long a user waits who asked for more of their own entries than they may have at once.
    package static let returnPause: Int64 = 100
    /// How long nothing is taken back from a user whose time is over; messages to them go out meanwhile.
    package static let recoveryPause: Int64 = 30_000
    /// A user of whom nobody repeats for this long that they type no longer does.
    package static let typing: Int64 = 10_000
    /// How often, at most, a node repeats that its user types.
    package static let typingRepeat: Int64 = 4_000
    /// How long a connection may take that a peer asked for to learn whether it can be reached.
    package static let dialBack: Int64 = 3_000
    /// The least time between two such connections for the same device.
    package static let dialBackInterval: Int64 = 5_000
    /// How long a node waits for peers to say whether they can reach it.
    package static let reachabilityCheck: Int64 = 6_000
    /// How long a device that is no longer advertised is dialled at its last address: one day.
    package static let remembered: Int64 = 24 * 3600 * 1000
    /// How long after it saw its first peer a node counts as a newcomer, which dials at once.
    package static let newcomer: Int64 = 2_000
    /// How long a node that is no newcomer waits for a device with a lower id to dial.
    package static let dialDeference: Int64 = 400
    /// Two links between the same devices that began within this time of each other count as simultaneous dials.
    package static let simultaneousDial: Int64 = 1_000
    /// How long a change of state that is already true may wait for company in a commit.
    package static let lazyCommit: Int64 = 20
    /// How long a node waits before it tries a failed commit again.
    package static let commitRetry: Int64 = 500
    /// A message's time to live unless it names another: 30 days.
    package static let timeToLive: Int64 = 30 * 24 * 3600 * 1000
    /// How long the journal is kept at least, if it is not too long: 30 days.
    package static let journalAge: Int64 = 30 * 24 * 3600 * 1000
    /// How often, at least, a node looks for expired messages.
    package static let expiryCheck: Int64 = 3_600_000
    /// How long a node waits to look for expired messages again if the disk did not answer.
    package static let expiryRetry: Int64 = 60_000
    /// How long a credential is valid: 30 days.
    package static let credentialLifetime: Int64 = 30 * 24 * 3600 * 1000
    /// How long a pairing code is good for: 10 minutes.
    package static let pairing: Int64 = 600_000
    /// The least time between two handshakes with one code that fail.
    package static let pairingPause: Int64 = 1_000
    /// The shortest time for which a credential of a linked device is issued: one hour.
    package static let shortestCredential: Int64 = 3_600_000
    /// How long a linked device's credential is valid, unless its user chose otherwise: 90 days.
    package static let linkedCredentialLifetime: Int64 = 90 * 24 * 3600 * 1000
    /// How often, at least, a node checks the credentials of linked peers.
    package static let credentialCheck: Int64 = 3_600_000
    /// How often, at least, a running node checks its own credential: the wall clock may jump.
    package static let ownCredentialCheck: Int64 = 60_000
    /// How often it checks while the credential is not valid by this machine's clock, or could not be renewed.
    package static let credentialRetry: Int64 = 60_000
    /// How long before its end a node warns of a credential that it cannot renew, besides the first time.
    package static let credentialWarnings: [Int64] = [3, 2, 1].map { $0 * 24 * 3600 * 1000 }
    /// A peer's timestamp that is further ahead than this is flagged, and does not move this node's clock. A peer's
    /// clock that is further away, ahead or behind, is flagged.
    package static let clockTolerance: Int64 = 60_000
    /// How much earlier than its issue a credential begins, for clocks that run behind.
    package static let credentialBackdating: Int64 = 3_600_000
}

/// When something happened. Shells pass it to their machines, which read no clock of their own.
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
