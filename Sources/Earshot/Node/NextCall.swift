/// The timer for the machine's next call.
///
/// One that comes sooner than needed stays: a call too early does no harm, and most inputs put the next call off.
struct NextCall {
    private var timer: (any NodeTimer)?
    private var deadline = Int64.max

    /// Whether the timer that is set comes too late, or none is set.
    /// - Parameter deadline: an uptime, in milliseconds.
    func isLate(for deadline: Int64) -> Bool { deadline < self.deadline }

    mutating func set(_ timer: any NodeTimer, at deadline: Int64) {
        cancel()
        (self.timer, self.deadline) = (timer, deadline)
    }

    /// The time has come.
    mutating func fired() { self = NextCall() }

    func cancel() { timer?.cancel() }
}
