import DequeModule
import EarshotModel

/// For how long messages to a user wait because a log of this node's own is taken back from them.
///
/// A claim costs its sender nothing, so it holds no message for longer than `Timing.recovery`. Entries that are proved
/// give it more time: as much as they take at `Limits.recoveryBytesPerSecond`. There are only so many that this device
/// has signed and the user has not acknowledged. Then the messages go their way, and nothing is taken back from the user
/// for `Timing.recoveryPause`. It is a user's, not a link's: else whoever links anew would begin anew.
struct SendHold: Sendable {
    /// An uptime.
    private(set) var deadline: Int64
    private(set) var isPaused = false
    /// Whether entries came that this device has signed.
    private(set) var hasBroughtEntries = false

    init(now: Int64) { deadline = now + Timing.recovery }

    /// Entries came that this device has signed.
    mutating func prolong(bytes: Int) {
        hasBroughtEntries = true
        guard !isPaused else { return }
        deadline += Int64(bytes) * 1000 / Int64(Limits.recoveryBytesPerSecond)
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

    /// Puts one before all others.
    mutating func prepend(_ send: PendingSend) {
        sends.prepend(send)
        count += send.drafts.count
        bytes += send.bytes
    }

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
