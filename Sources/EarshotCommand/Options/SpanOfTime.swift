import ArgumentParser

/// A span of time on a command line: a number with a unit, like `12h`, or a number of seconds.
enum SpanOfTime {
    static let valueName = "time"
    /// For the help of an option.
    static let units = "In seconds, or with a unit: 90s, 5m, 12h, 30d, 2w."

    private static let seconds: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 24 * 3600, "w": 7 * 24 * 3600]
    /// A hundred years. Clocks do not count much further.
    private static let longest = 100 * 365 * 24 * 3600.0

    /// - Throws: `ValidationError` for text that is no span of time, and for one of more than a hundred years.
    @Sendable static func read(_ text: String) throws -> Double {
        let unit = text.last.flatMap { seconds[$0] }
        let number = unit == nil ? text[...] : text.dropLast()
        // A Double's text may also be "inf", "nan", or hexadecimal.
        guard number.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let value = Double(number) else {
            throw ValidationError(
                "\"\(SafeText.line(text))\" is no time: 90s, 5m, 12h, 30d, 2w, or a number of seconds.")
        }
        let span = value * (unit ?? 1)
        guard span <= longest else { throw ValidationError("\(SafeText.line(text)) is more than a hundred years.") }
        return span
    }

    /// - Throws: `ValidationError` for no time at all, too.
    @Sendable static func readPositive(_ text: String) throws -> Double {
        let span = try read(text)
        guard span > 0 else { throw ValidationError("\"\(SafeText.line(text))\" is no time: it is to be above 0.") }
        return span
    }
}
