import Earshot

/// Explains a command line that the argument parser does not understand: its own words say what is wrong, and not what
/// was probably meant.
enum UsageHint {
    /// Commands that end with a text, and what comes before it.
    private static let texts = ["send": "NAME", "reply": "ID", "edit": "ID"]

    /// - Parameters:
    ///   - message: what the parser says.
    ///   - arguments: without the program's name.
    /// - Returns: `nil` where the parser's words are the best there are.
    static func failure(for message: String, in arguments: [String]) -> Failure? {
        guard let command = arguments.first else { return nil }
        if let option = message.firstMatch(of: /^Missing value for '(-[^ ']+)/)?.output.1 {
            return missingValue(of: String(option), command, arguments)
        }
        guard let target = texts[command] else { return nil }
        if message.contains(/^(Unexpected argument|[0-9]+ unexpected arguments)\b/) {
            return Failure(
                .invalidUsage, "a text of several words is one argument",
                remedy: "earshot \(command) \(target) \"Lunch at noon?\", with quotation marks")
        }
        if let option = message.firstMatch(of: /^Unknown option '(-.*)'/)?.output.1, !message.contains("Did you mean") {
            return Failure(
                .invalidUsage, "there is no option \(option); if it is the text, -- comes before it",
                remedy: "earshot \(command) \(target) -- \"\(option)\"")
        }
        return nil
    }

    /// What begins with a hyphen is taken for an option, also where a value is expected.
    private static func missingValue(of option: String, _ command: String, _ arguments: [String]) -> Failure? {
        guard let place = arguments.firstIndex(of: option), arguments.indices.contains(place + 1),
            arguments[place + 1].hasPrefix("-")
        else { return nil }
        return Failure(
            .invalidUsage, "\"\(arguments[place + 1])\" is no value for \(option)",
            remedy: "earshot \(command) --help tells what it takes")
    }
}
