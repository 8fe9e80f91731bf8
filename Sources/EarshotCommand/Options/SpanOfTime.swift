import ArgumentParser
import EarshotModel

/// A span of time on a command line.
enum SpanOfTime {
    static let valueName = "time"
    /// For the help of an option.
    static let units = "In seconds, or with units: 90s, 5m, 1d12h, 30d, 2w."

    /// - Throws: `ValidationError` for text that is no span of time, and for one of more than a hundred years.
    @Sendable static func read(_ text: String) throws -> Duration {
        do throws(DurationText.Fault) { return try DurationText.duration(text) } catch {
            switch error {
            case .malformed:
                throw ValidationError(
                    "\"\(SafeText.line(text))\" is no time: 90s, 5m, 1d12h, 30d, 2w, or a number of seconds.")
            case .tooLong: throw ValidationError("\(SafeText.line(text)) is more than a hundred years.")
            }
        }
    }

    /// - Throws: `ValidationError` for no time at all, too.
    @Sendable static func readPositive(_ text: String) throws -> Duration {
        let span = try read(text)
        guard span > .zero else { throw ValidationError("\"\(SafeText.line(text))\" is no time: it is to be above 0.") }
        return span
    }
}
