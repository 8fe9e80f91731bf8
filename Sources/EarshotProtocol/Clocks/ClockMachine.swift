import EarshotModel

/// Keeps time: for this node's messages, for its next `tick`, and in comparison with its peers' clocks.
///
/// It finds out from the readings alone that this node was asleep, or that the wall clock was set. It never reads a
/// clock: each input brings the time. Its parent does what follows from a wake-up or a jump.
struct ClockMachine: Sendable {
    enum Action: Hashable, Sendable {
        /// This node was asleep, or stopped: links may be dead.
        case wokeUp
        /// The wall clock was set forward by so many milliseconds; backward if the number is negative.
        case wasSet(by: Int64)
    }

    private var hybrid = HybridClock()
    private var last: Moment?
    /// The latest time at which this node asked to be called: if the call comes later, it was asleep.
    private var expectedBy = Int64.max
    /// Nothing announced with `wake(by:)` needs a tick before this uptime. It may be early, never late.
    private(set) var deadline = Int64.min
    private var peers = PeerClocks()
    /// Users whose clock was far from this one and was reported, once each.
    private var skewedUsers: Set<UserID> = []
    /// How far the wall clock was set and is not followed yet, and until which uptime it is not.
    private var unsettled: (by: Int64, until: Int64)?
    /// How often the wall clock was set forward and stayed so, in the order of time.
    private var shifts: [ExpiryClock.Shift] = []
    /// The last time that the wall clock was set.
    private(set) var lastJump: (by: Int64, uptime: Int64)?

    // MARK: - This node's clocks

    /// Notes an input's time.
    mutating func notice(_ now: Moment) -> [Action] {
        var actions: [Action] = []
        if expectedBy < now.uptime, now.uptime - expectedBy > Timing.lateness { actions.append(woke()) }
        let jump = self.jump(to: now)
        last = now
        if jump.magnitude > UInt64(Timing.clockJump) { actions.append(wasSet(by: jump, now: now)) }
        if let unsettled, unsettled.until <= now.uptime { settle(unsettled.by, now: now) }
        return actions
    }

    /// The host reports that it resumed from sleep.
    mutating func woke() -> Action {
        expectedBy = .max
        return .wokeUp
    }

    /// The host reports that the wall clock was set.
    mutating func changed(_ now: Moment) -> Action {
        let jump = self.jump(to: now)
        last = now
        return wasSet(by: jump, now: now)
    }

    private func jump(to now: Moment) -> Int64 {
        guard let last else { return 0 }
        return (now.wallClock - last.wallClock) - (now.uptime - last.uptime)
    }

    private mutating func wasSet(by jump: Int64, now: Moment) -> Action {
        peers.shift(by: jump)
        lastJump = (jump, now.uptime)
        let by = (unsettled?.by ?? 0) + jump
        unsettled = by.magnitude > UInt64(Timing.clockJump) ? (by, now.uptime + Timing.clockSettling) : nil
        if let unsettled { wake(by: unsettled.until) }
        return .wasSet(by: jump)
    }

    // MARK: - What cannot be undone

    /// The time by which is decided what cannot be undone: for a while after the wall clock was set, it goes on as it was.
    func settled(_ now: Moment) -> Moment {
        let jump = jump(to: now)
        let unnoticed = jump.magnitude > UInt64(Timing.clockJump) ? jump : 0
        return Moment(wallClock: now.wallClock - (unsettled?.by ?? 0) - unnoticed, uptime: now.uptime)
    }

    /// The time by which messages expire.
    func expiryClock(_ now: Moment) -> ExpiryClock { ExpiryClock(settled(now).wallClock, shifts: shifts) }

    /// The wall clock has stayed as it was set.
    private mutating func settle(_ by: Int64, now: Moment) {
        unsettled = nil
        // The next tick looks at all that has waited for this.
        wake(by: now.uptime)
        var left = by
        while left < 0, let shift = shifts.popLast() {
            left += shift.milliseconds
            if left > 0 { shifts.append(ExpiryClock.Shift(end: shift.end, milliseconds: left)) }
        }
        guard by > 0 else { return }
        if shifts.count >= Limits.clockShifts {
            let first = shifts.removeFirst()
            shifts[0].milliseconds += first.milliseconds
        }
        shifts.append(ExpiryClock.Shift(end: now.wallClock - by, milliseconds: by))
    }

    /// How far the last timestamp is ahead of the wall clock, in milliseconds.
    func stampsAhead(now: Moment) -> Int64 { hybrid.latest.milliseconds - now.wallClock }

    // MARK: - The next tick

    /// Asks for a tick at this uptime, or before.
    mutating func wake(by uptime: Int64) { deadline = min(deadline, uptime) }

    /// A tick is under way: everything that needs another one asks again.
    mutating func restartDeadline() { deadline = .max }

    /// This node expects to be called by this uptime.
    mutating func expectCall(by uptime: Int64) { expectedBy = uptime }

    // MARK: - Timestamps

    /// Continues after what this device wrote in an earlier run.
    mutating func resume(after timestamp: HybridTimestamp) { hybrid.resume(after: timestamp) }

    /// Continues after what a peer wrote, within limits: a clock that is far ahead must not become this node's.
    mutating func follow(_ timestamp: HybridTimestamp, now: Moment) {
        _ = hybrid.hear(timestamp, wallClock: now.wallClock)
    }

    /// The timestamp of a message that is written now.
    mutating func tick(now: Moment) -> HybridTimestamp { hybrid.tick(wallClock: settled(now).wallClock) }

    // MARK: - Peers' clocks

    /// Follows a peer's clock within limits, so that an answer sorts after what it answers.
    /// - Returns: the skew of a clock that is too far ahead to follow, once a user.
    mutating func hear(_ timestamp: HybridTimestamp, of userID: UserID, now: Moment) -> ClockSkew? {
        guard !hybrid.hear(timestamp, wallClock: now.wallClock) else { return nil }
        return report(userID, ahead: timestamp.milliseconds - now.wallClock)
    }

    /// A peer has introduced itself, whether it is accepted or refused.
    mutating func met(_ peer: LinkPeer) { peers.note(peer) }

    /// A peer is linked.
    /// - Returns: the skew of a clock that is far from this one, once a user.
    mutating func linked(_ peer: LinkPeer) -> ClockSkew? {
        peers.note(peer)
        guard let offset = peer.clockOffset, ClockOffset.isLarge(offset) else { return nil }
        return report(peer.userID, ahead: offset)
    }

    private mutating func report(_ userID: UserID, ahead: Int64) -> ClockSkew? {
        guard skewedUsers.count < Limits.strangers, skewedUsers.insert(userID).inserted else { return nil }
        return ClockSkew(userID: userID, ahead: ahead)
    }

    var peerCount: Int { peers.entries.count }

    /// How far the clocks of the users seen last are ahead, in milliseconds; negative for behind. Ordered by name.
    var peersByName: [PeerClocks.Entry] {
        peers.entries.sorted { $0.name == $1.name ? $0.userID < $1.userID : $0.name < $1.name }
    }
}
