import Earshot
package import Foundation

/// Points in time as text.
package enum Timestamp {
    /// ISO 8601 in UTC with milliseconds, like `2026-01-31T09:30:00.125Z`.
    ///
    /// - Parameter milliseconds: since 1970. Of a time that no such text can name, that is the nearest one: others can claim
    ///   any time.
    static func text(_ milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.inCalendar().flooredDivision(by: 1000)
        // The fraction is written separately: a floating-point date may round it to the millisecond before.
        let fraction = "000\(rest)".suffix(3)
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).dropLast() + ".\(fraction)Z"
    }

    static func text(_ date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        return text(milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, -9e15), 9e15)))
    }

    /// - Parameter text: ISO 8601 with a time zone, with or without parts of a second.
    /// - Returns: `nil` for any other text.
    package static func date(_ text: String) -> Date? {
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            // A style throws for what is not in its form.
            if let date = try? style.parse(text) { return date }
        }
        return nil
    }

    /// - Parameter text: as for `date`.
    /// - Returns: milliseconds since 1970; `nil` for any other text, and for earlier times.
    static func milliseconds(_ text: String) -> Int64? {
        guard let date = date(text), date.timeIntervalSince1970 >= 0 else { return nil }
        return Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// When a message is due.
    /// - Throws: `GatewayError` `invalidRequest`.
    static func due(_ notBefore: String) throws(GatewayError) -> Date {
        guard let milliseconds = milliseconds(notBefore) else {
            throw GatewayError(
                .invalidRequest, "notBefore is a time like 2026-01-31T09:30:00Z", .init(name: "notBefore"))
        }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
