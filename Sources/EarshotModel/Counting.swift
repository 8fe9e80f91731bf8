/// Numbers that one device chooses and others go on from: counters, times, places in logs.
package enum Counting {
    /// No such number is taken that is above it. Arithmetic on what was taken cannot overflow then, and JSON holds all of
    /// it exactly (RFC 8259, section 6).
    package static let largest: UInt64 = 1 << 53
}

extension UInt64 {
    /// The counter after this one. After the largest there is no other: it is used again, and what else is compared
    /// decides, as a rule the time.
    package var nextCounter: UInt64 { self < Counting.largest ? self + 1 : Counting.largest }
}

extension Int64 {
    /// The time after this one, in milliseconds since 1970, as `UInt64.nextCounter`.
    package var nextTime: Int64 { self < Int64(Counting.largest) ? self + 1 : Int64(Counting.largest) }
}
