/// Decides which of the kernel's messages are worth a report: a pure value that hears of all of them.
///
/// The first message opens a window. When it closes, the state after it is compared with the state before. So a burst
/// makes one report, and messages that change nothing important make none.
struct NetworkChangeFilter {
    /// How long messages are gathered.
    static let window = Duration.milliseconds(100)

    private var reported: NetworkSnapshot?
    private var closing: ContinuousClock.Instant?
    private var isOverrun = false

    /// - Parameter snapshot: what is so in the beginning. It is taken after the kernel was asked for messages.
    init(_ snapshot: NetworkSnapshot) { reported = snapshot }

    /// When the next snapshot is due, if any is.
    var deadline: ContinuousClock.Instant? { closing }

    /// The kernel said something.
    /// - Parameter isOverrun: there was more than could be read. What was lost may have come and gone again.
    mutating func heard(isOverrun: Bool, at now: ContinuousClock.Instant) {
        self.isOverrun = self.isOverrun || isOverrun
        if closing == nil { closing = now.advanced(by: Self.window) }
    }

    /// The snapshot that was due.
    /// - Parameter snapshot: `nil` where none could be taken. That counts as a change, and so does the next one.
    /// - Returns: whether it is a change.
    mutating func closed(with snapshot: NetworkSnapshot?) -> Bool {
        defer {
            reported = snapshot
            closing = nil
            isOverrun = false
        }
        return isOverrun || snapshot == nil || snapshot != reported
    }
}
