/// What a bot is to do with a text.
enum BotRoute: Hashable, Sendable {
    /// Answer with this: the help, or what is wrong with the text.
    case answer(String)
    /// Run a command with these values, by the names of its parameters.
    case command(String, [String: BotValue])
    /// It is no command.
    case otherwise
}

/// Reads texts as commands: `/remind 2h buy milk`. It knows which commands there are and who may use them, and writes
/// the help. It runs nothing.
struct BotRouter: Sendable {
    struct Command: Hashable, Sendable {
        let name: String
        let summary: String
        let parameters: [BotParameter]
        let audience: BotAudience

        /// How it is written: `/remind IN WHAT`.
        var usage: String { (["/\(name)"] + parameters.map(\.shown)).joined(separator: " ") }
    }

    static let help = "help"
    /// A name that is similar to what was written has at most so many letters that differ.
    private static let tolerance = 2

    private var commands: [Command] = []
    /// Whether the bot does something with texts that are no commands.
    var hasOtherwise = false

    /// Why the bot cannot run: the first command that cannot be.
    private(set) var fault: EarshotError?

    /// A command that cannot be is not added, and noted as the bot's fault.
    mutating func add(_ command: Command) {
        if let reason = reasonAgainst(command) {
            fault = fault ?? EarshotError(.invalidCommand, reason, .init(name: Excerpt.of(command.name)))
        } else {
            commands.append(command)
        }
    }

    /// - Returns: `nil` for a command that can be added.
    private func reasonAgainst(_ command: Command) -> String? {
        let shown = "the command \"\(Excerpt.of(command.name))\""
        if !Self.isName(command.name[...]) {
            return "\(shown) cannot be: a name is made of lowercase letters, digits and hyphens, such as remind-me"
        }
        if command.name == Self.help { return "\(shown) cannot be: every bot has /\(Self.help) already" }
        if commands.contains(where: { $0.name == command.name }) { return "\(shown) is declared twice" }
        if commands.count == Limits.botCommands {
            return "\(shown) is one too many: a bot has at most \(Limits.botCommands)"
        }
        let parameters = command.parameters
        if let text = parameters.dropLast().first(where: { $0.kind == .text }) {
            return "\(shown) cannot be: its parameter \(text.shown) takes the rest of a message, "
                + "so it has to be the last"
        }
        let twice = parameters.enumerated().first { place, parameter in
            parameters[..<place].contains { $0.name == parameter.name }
        }
        return twice.map { "\(shown) cannot be: two of its parameters are called \($0.element.shown)" }
    }

    /// The commands that everybody may use, for the bot's profile. A face need not offer what is longer than a profile takes.
    var declared: [BotProfile.Command] {
        let everyones = commands.filter { $0.audience == .everyone }.map {
            BotProfile.Command(name: $0.name, summary: $0.summary, usage: $0.usage)
        }
        guard !everyones.isEmpty else { return [] }
        let help = BotProfile.Command(name: Self.help, summary: "Lists the commands.", usage: "/\(Self.help)")
        return (everyones + [help]).filter { $0.byteCount <= Limits.profileCommandBytes }
    }

    func parameters(of name: String) -> [BotParameter] { commands.first { $0.name == name }?.parameters ?? [] }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    // MARK: - Reading

    /// Whether a text is written as a command, known or not. A path is none.
    static func isCommand(_ text: String) -> Bool { commandWords(text) != nil }

    /// The name of the command that a text is written as, and what follows it.
    private static func commandWords(_ text: String) -> (name: Substring, rest: Substring)? {
        let words = text.drop { $0.isWhitespace }
        guard words.first == "/" else { return nil }
        let typed = words.dropFirst().prefix { !$0.isWhitespace }
        let name = typed.lowercased()[...]
        guard isName(name) else { return nil }
        return (name, words.dropFirst(1 + typed.count).drop { $0.isWhitespace })
    }

    func route(_ text: String, from sender: BotSender) -> BotRoute {
        guard let (name, rest) = Self.commandWords(text) else { return notACommand }
        if name == Self.help { return .answer(help(rest, for: sender)) }
        guard let command = commands.first(where: { $0.name == name }) else { return unknown(name, for: sender) }
        guard command.audience.admits(sender) else { return .answer("You may not use /\(command.name).") }
        return read(rest, command)
    }

    private var notACommand: BotRoute { hasOtherwise ? .otherwise : .answer("I know only commands. \(Self.seeHelp)") }
    private static let seeHelp = "/help lists them."

    private func unknown(_ name: Substring, for sender: BotSender) -> BotRoute {
        // A bot without commands takes every text for what it is.
        if commands.isEmpty { return notACommand }
        let typed = Excerpt.of(String(name))
        let similar = usable(by: sender).map { ($0.name, EditDistance.between($0.name, typed)) }
            .filter { $0.1 <= Self.tolerance }.min { $0.1 < $1.1 }
        guard let similar else { return .answer("There is no /\(typed). \(Self.seeHelp)") }
        return .answer("There is no /\(typed). Did you mean /\(similar.0)? \(Self.seeHelp)")
    }

    private func read(_ text: Substring, _ command: Command) -> BotRoute {
        var (rest, values) = (text, [String: BotValue]())
        for parameter in command.parameters {
            guard !rest.isEmpty else { return wrong("\(parameter.shown) is missing.", command) }
            let word = parameter.kind == .text ? rest : rest.prefix { !$0.isWhitespace }
            guard let value = parameter.value(word) else {
                let written = Excerpt.of(String(word))
                return wrong("\(parameter.shown) is \(parameter.expected), and not “\(written)”.", command)
            }
            values[parameter.name] = value
            rest = rest.dropFirst(word.count).drop { $0.isWhitespace }
        }
        guard rest.isEmpty else { return wrong("“\(Excerpt.of(String(rest)))” is too much.", command) }
        return .command(command.name, values)
    }

    private func wrong(_ sentence: String, _ command: Command) -> BotRoute {
        .answer("\(sentence)\nUsage: \(command.usage)")
    }

    /// What to answer if a value is of the right kind and still cannot be used.
    func refusal(_ reason: String, command name: String) -> String {
        guard let command = commands.first(where: { $0.name == name }) else { return reason }
        return "\(reason)\nUsage: \(command.usage)"
    }

    // MARK: - Help

    private func usable(by sender: BotSender) -> [Command] { commands.filter { $0.audience.admits(sender) } }

    private func help(_ rest: Substring, for sender: BotSender) -> String {
        let name = rest.prefix { !$0.isWhitespace }.drop { $0 == "/" }.lowercased()
        let usable = usable(by: sender)
        if let command = usable.first(where: { $0.name == name }) {
            let parameters = command.parameters.map { "\($0.shown): \($0.expected)" }
            return (["\(command.usage)\n\(command.summary)"] + parameters).joined(separator: "\n")
        }
        guard !usable.isEmpty else { return "I have no commands for you." }
        return usable.map { "\($0.usage): \($0.summary)" }.joined(separator: "\n")
    }
}
