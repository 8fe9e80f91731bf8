/// A span of time as people type it: whole numbers with units, the largest unit first, like `90s`, `2h` or `1d12h`.
enum DurationText {
    private static let units: [(letter: Character, seconds: Int64)] = [
        ("w", 7 * 86_400), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]
    /// A hundred years. Clocks do not count much further.
    private static let longest: Int64 = 100 * 365 * 86_400

    /// - Returns: `nil` for text that is no span of time, for no time at all, and for more than a hundred years.
    static func duration(_ text: some StringProtocol) -> Duration? {
        var (rest, seconds) = (Substring(text.lowercased()), Int64(0))
        var left = units[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int64(digits), number <= longest, let letter = rest.dropFirst(digits.count).first,
                let place = left.firstIndex(where: { $0.letter == letter })
            else { return nil }
            let (span, overflow) = number.multipliedReportingOverflow(by: left[place].seconds)
            guard !overflow, span <= longest else { return nil }
            seconds += span
            left = left[(place + 1)...]
            rest = rest.dropFirst(digits.count + 1)
        }
        guard (1...longest).contains(seconds) else { return nil }
        return .seconds(seconds)
    }
}
