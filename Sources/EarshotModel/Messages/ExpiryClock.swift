/// The time by which messages expire: elapsed time, as far as this machine can know it.
///
/// A message says when its time is over by the clock with which it was written. If that clock was set forward since, its time
/// is over so much later.
package struct ExpiryClock: Hashable, Sendable {
    /// The clock was set forward by so much, in milliseconds; what was written until `end`, by the clock as it was, did not live
    /// through that.
    package struct Shift: Hashable, Sendable {
        package let end: Int64
        package var milliseconds: Int64

        package init(end: Int64, milliseconds: Int64) {
            self.end = end
            self.milliseconds = milliseconds
        }
    }

    /// Milliseconds since 1970.
    package let now: Int64
    /// In the order of time.
    package let shifts: [Shift]

    package init(_ now: Int64, shifts: [Shift] = []) {
        self.now = now
        self.shifts = shifts
    }

    /// When a message's time is over, by the clock as it is now.
    package func end(_ expiry: Int64, writtenAt timestamp: HybridTimestamp) -> Int64 {
        var (written, moved) = (timestamp.milliseconds, Int64(0))
        for shift in shifts where written <= shift.end {
            written = written.addingClamped(shift.milliseconds)
            moved = moved.addingClamped(shift.milliseconds)
        }
        return expiry.addingClamped(moved)
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }
}
