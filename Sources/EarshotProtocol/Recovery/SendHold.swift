import DequeModule
import EarshotModel

/// For how long messages to a user wait because a log of this node's own is taken back from them.
///
/// A claim costs its sender nothing, so it holds no message for longer than `Timing.recovery`. Entries that are proved
/// give it that time again, `Timing.recoveryHold` in all. Then the messages go their way, and nothing is taken back from
/// the user for `Timing.recoveryPause`. It is a user's, not a link's: else whoever links anew would begin anew.
struct SendHold: Sendable {
    /// Uptimes.
    private let beganAt: Int64
    private(set) var deadline: Int64
    private(set) var isPaused = false
    /// Whether entries came that this device has signed.
    private(set) var hasBroughtEntries = false

    init(now: Int64) {
        beganAt = now
        deadline = now + Timing.recovery
    }

    /// Entries came that this device has signed.
    mutating func prolong(now: Int64) {
        hasBroughtEntries = true
        guard !isPaused else { return }
        deadline = max(deadline, min(now + Timing.recovery, beganAt + Timing.recoveryHold))
    }

    /// The user has had the time.
    mutating func pause() {
        isPaused = true
        deadline += Timing.recoveryPause
    }
}

/// Messages to one user that wait because a log is taken back from them.
struct HeldSends: Sendable {
    private(set) var sends: Deque<PendingSend> = []
    private(set) var count = 0
    private(set) var bytes = 0

    var first: PendingSend? { sends.first }

    mutating func append(_ send: PendingSend) {
        sends.append(send)
        count += send.drafts.count
        bytes += send.bytes
    }

    @discardableResult
    mutating func removeFirst() -> PendingSend {
        let send = sends.removeFirst()
        count -= send.drafts.count
        bytes -= send.bytes
        return send
    }
}
