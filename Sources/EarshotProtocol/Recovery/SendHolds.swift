import EarshotModel

/// For how long messages to a conversation wait because a log of this node's own is taken back.
///
/// A claim costs its sender nothing, so it holds no message for longer than `Timing.recovery`. Entries that are proved
/// give it more time: as much as they take at `Limits.recoveryBytesPerSecond`. There are only so many that this device
/// has signed, and each counts once, from whichever device it comes and however often. Then the messages go their way,
/// and nothing of the conversation is taken back for `Timing.recoveryPause`. It is a conversation's, not a link's: else
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

    /// The time is over.
    mutating func pause() {
        isPaused = true
        deadline += Timing.recoveryPause
    }
}

/// Which conversations' messages are held because a log of this node's own is taken back.
///
/// It decides how long that may take, and when it is tried again. The messages themselves are in the `Outbox`.
struct SendHolds: Sendable {
    private var holds: [ConversationID: SendHold] = [:]
    /// None of these needs a look before this uptime. It may be early, never late.
    private(set) var due = Int64.max

    /// Ascending.
    var conversationIDs: [ConversationID] { holds.keys.sorted() }

    /// Whether a conversation has had the time, and nothing of it is asked for again yet.
    func isPaused(_ conversationID: ConversationID) -> Bool { holds[conversationID]?.isPaused == true }

    /// Somebody claims a log of a conversation. If that was in vain before, there is no more time for it.
    mutating func begin(_ conversationID: ConversationID, now: Moment, isRecovering: (ConversationID) -> Bool) {
        guard holds[conversationID] == nil else { return }
        if holds.count >= Limits.recoveryHolds { forgetOldest(isRecovering: isRecovering) }
        holds[conversationID] = SendHold(now: now.uptime)
        due = min(due, now.uptime + Timing.recovery)
    }

    private mutating func forgetOldest(isRecovering: (ConversationID) -> Bool) {
        let oldest = holds.filter { !isRecovering($0.key) }.min {
            ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key)
        }
        if let oldest { holds[oldest.key] = nil }
    }

    /// Entries came that this device has signed.
    mutating func prolong(_ conversationID: ConversationID, by entries: [EntryRecord], of logID: LogID) {
        holds[conversationID]?.prolong(by: entries, of: logID)
    }

    mutating func end(_ conversationID: ConversationID) { holds[conversationID] = nil }

    /// This node's own disk has ended what was under way: that is held against nobody.
    mutating func forgetEnded(isRecovering: (ConversationID) -> Bool) { holds = holds.filter { isRecovering($0.key) } }

    // MARK: - The end of the wait

    /// Ends a hold that has taken too long.
    /// - Returns: the hold as it was, if it ends now.
    mutating func pauseIfOver(_ conversationID: ConversationID, now: Moment) -> SendHold? {
        guard let hold = holds[conversationID], !hold.isPaused, hold.deadline <= now.uptime else { return nil }
        holds[conversationID]?.pause()
        return hold
    }

    /// Begins anew, after the pause, where there is still something to take back.
    /// - Returns: whether it did.
    mutating func renewIfOver(_ conversationID: ConversationID, isRecovering: Bool, now: Moment) -> Bool {
        guard let hold = holds[conversationID], hold.isPaused, hold.deadline <= now.uptime else { return false }
        holds[conversationID] = isRecovering ? SendHold(now: now.uptime) : nil
        return isRecovering
    }

    /// All were looked at.
    mutating func rearm() { due = holds.values.reduce(.max) { min($0, $1.deadline) } }
}
