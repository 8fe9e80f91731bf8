import EarshotModel

/// For how long messages to a user wait because a log of this node's own is taken back from them.
///
/// A claim costs its sender nothing, so it holds no message for longer than `Timing.recovery`. Entries that are proved
/// give it more time: as much as they take at `Limits.recoveryBytesPerSecond`. There are only so many that this device
/// has signed, and each counts once, by whichever device of the user it comes and however often. Then the messages go
/// their way, and nothing is taken back from the user for `Timing.recoveryPause`. It is a user's, not a link's: else
/// whoever links anew would begin anew.
struct SendHold: Sendable {
    /// An uptime.
    private(set) var deadline: Int64
    private(set) var isPaused = false
    /// Up to where each log has given time already.
    private var counted: [LogID: UInt64] = [:]
    /// Whether entries came that this device has signed.
    private(set) var hasBroughtEntries = false

    init(now: Int64) { deadline = now + Timing.recovery }

    /// Entries came that this device has signed, in ascending order.
    mutating func prolong(by entries: [EntryRecord], of logID: LogID) {
        hasBroughtEntries = true
        guard !isPaused, let last = entries.last, counted[logID] != nil || counted.count < Limits.logsPerHeads
        else { return }
        let end = counted[logID] ?? 0
        let bytes = entries.reduce(0) { $0 + ($1.sequence > end ? $1.windowBytes : 0) }
        counted[logID] = max(end, last.sequence)
        deadline += Int64(bytes) * 1000 / Int64(Limits.recoveryBytesPerSecond)
    }

    /// The user has had the time.
    mutating func pause() {
        isPaused = true
        deadline += Timing.recoveryPause
    }
}

/// Whose messages are held because a log of this node's own is taken back from them.
///
/// It decides how long that may take, and when it is tried again. The messages themselves are in the `Outbox`.
struct SendHolds: Sendable {
    private var holds: [UserID: SendHold] = [:]
    /// None of these needs a look before this uptime. It may be early, never late.
    private(set) var due = Int64.max

    /// Ascending.
    var users: [UserID] { holds.keys.sorted() }

    /// Whether a user has had the time, and is not asked again yet.
    func isPaused(_ userID: UserID) -> Bool { holds[userID]?.isPaused == true }

    /// A device of a user claims a log. Whoever claimed one before, in vain, gets no more time for it.
    mutating func begin(_ userID: UserID, now: Moment, isRecovering: (UserID) -> Bool) {
        guard holds[userID] == nil else { return }
        if holds.count >= Limits.recoveryHolds { forgetOldest(isRecovering: isRecovering) }
        holds[userID] = SendHold(now: now.uptime)
        due = min(due, now.uptime + Timing.recovery)
    }

    private mutating func forgetOldest(isRecovering: (UserID) -> Bool) {
        let oldest = holds.filter { !isRecovering($0.key) }.min {
            ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key)
        }
        if let oldest { holds[oldest.key] = nil }
    }

    /// Entries came that this device has signed.
    mutating func prolong(_ userID: UserID, by entries: [EntryRecord], of logID: LogID) {
        holds[userID]?.prolong(by: entries, of: logID)
    }

    mutating func end(_ userID: UserID) { holds[userID] = nil }

    /// This node's own disk has ended what was under way: that is held against nobody.
    mutating func forgetEnded(isRecovering: (UserID) -> Bool) { holds = holds.filter { isRecovering($0.key) } }

    // MARK: - The end of the wait

    /// Ends a hold that has taken too long.
    /// - Returns: the hold as it was, if it ends now.
    mutating func pauseIfOver(_ userID: UserID, now: Moment) -> SendHold? {
        guard let hold = holds[userID], !hold.isPaused, hold.deadline <= now.uptime else { return nil }
        holds[userID]?.pause()
        return hold
    }

    /// Begins anew, after the pause, where there is still something to take back.
    /// - Returns: whether it did.
    mutating func renewIfOver(_ userID: UserID, isRecovering: Bool, now: Moment) -> Bool {
        guard let hold = holds[userID], hold.isPaused, hold.deadline <= now.uptime else { return false }
        holds[userID] = isRecovering ? SendHold(now: now.uptime) : nil
        return isRecovering
    }

    /// All were looked at.
    mutating func rearm() { due = holds.values.reduce(.max) { min($0, $1.deadline) } }
}
