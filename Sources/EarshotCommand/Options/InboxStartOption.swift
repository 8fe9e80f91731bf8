import ArgumentParser
import EarshotGateway

/// Where a bot begins, on a command line: `now`, `beginning`, or a time.
enum InboxStartOption {
    static let valueName = "place"
    static let help = "now, beginning, or a time like 2026-01-31T12:00:00Z, for the first message that is not older"

    /// - Throws: `ValidationError`.
    @Sendable static func read(_ text: String) throws -> String {
        guard ["now", "beginning"].contains(text) || Timestamp.date(text) != nil else {
            throw ValidationError("\"\(SafeText.line(text))\" is no place to begin: \(help).")
        }
        return text
    }

    /// The messages with which a bot begins there.
    static func shown(_ text: String) -> String {
        switch text {
        case "now": "what arrives from now on"
        case "beginning": "the first message"
        default: "messages of \(text) and later"
        }
    }
}
