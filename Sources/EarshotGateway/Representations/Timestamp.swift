import Foundation

/// Points in time as text.
enum Timestamp {
    /// ISO 8601 in UTC with milliseconds, like `2026-01-31T09:30:00.125Z`.
    ///
    /// - Parameter milliseconds: since 1970.
    static func text(_ milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.flooredDivision(by: 1000)
        // The fraction is written separately: a floating-point date may round it to the millisecond before.
        let fraction = "000\(rest)".suffix(3)
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).dropLast() + ".\(fraction)Z"
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
