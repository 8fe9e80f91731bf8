/// A span of time as people type it: numbers with units, the largest unit first, like `90s`, `1.5h` or `1d12h`. A number
/// without a unit is one of seconds.
package enum DurationText {
    package enum Fault: Error {
        case malformed
        /// More than a hundred years. Clocks do not count much further.
        case tooLong
    }

    private static let units: [(letter: Character, seconds: Double)] = [
        ("w", 7 * 86_400), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]
    private static let longest = 100 * 365 * 86_400.0

    /// - Returns: the span, to the nearest millisecond; it may be zero.
    package static func duration(_ text: some StringProtocol) throws(Fault) -> Duration {
        if let seconds = number(text) { return try duration(seconds: seconds) }
        var (rest, left, seconds) = (Substring(text.lowercased()), units[...], 0.0)
        repeat {
            let digits = rest.prefix { isDigit($0) || $0 == "." }
            guard let number = number(digits), let letter = rest.dropFirst(digits.count).first,
                let place = left.firstIndex(where: { $0.letter == letter })
            else { throw .malformed }
            seconds += number * left[place].seconds
            left = left[(place + 1)...]
            rest = rest.dropFirst(digits.count + 1)
        } while !rest.isEmpty
        return try duration(seconds: seconds)
    }

    private static func duration(seconds: Double) throws(Fault) -> Duration {
        guard seconds <= longest else { throw .tooLong }
        return .milliseconds(Int64((seconds * 1000).rounded()))
    }

    private static func number(_ text: some StringProtocol) -> Double? {
        // A Double's text may also be "inf", "nan", or hexadecimal.
        guard text.allSatisfy({ isDigit($0) || $0 == "." }) else { return nil }
        return Double(text)
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
