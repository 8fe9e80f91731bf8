/// What a line typed on a terminal asks for.
enum ChatCommand: Hashable {
    case send(String)
    /// Shows what is held back.
    case more
    case help
    case quit
    case conversations
    case people
    /// Goes to another dialog.
    case talk(String)
    case earlier
    case skip
    case search(String)
    case reply(String)
    case edit(String)
    case retract
    case react(String)
    case verify
    /// What programs have drafted here.
    case drafts
    /// Does something with a draft: its number; empty if there is only one.
    case draft(ChatDrafts.Deed, String)
    /// A command without what it needs.
    case incomplete(Entry)
    /// A line that begins with a slash, and is neither a command of the chat nor of the bot that it is for.
    case unknown(String)

    /// A command as the help lists it.
    struct Entry: Hashable {
        let name: String
        /// What follows the name; empty for nothing.
        var argument = ""
        let summary: String
    }

    /// The commands of a chat.
    static let entries = [
        Entry(
            name: "talk", argument: "NAME",
            summary: "talk with somebody else, or in '#ops' (Ctrl-T: and your draft waits here)"),
        Entry(name: "conversations", summary: "the conversations, and how much is unread in each"),
        Entry(name: "people", summary: "who is here"),
        Entry(name: "earlier", summary: "messages before the first one shown (PgUp)"),
        Entry(name: "latest", summary: "the last messages; what waits before them stays unread"),
        Entry(name: "search", argument: "WORDS", summary: "messages of all conversations"),
        Entry(name: "reply", argument: "TEXT", summary: "answer the last message of somebody else"),
        Entry(name: "react", argument: "EMOJI", summary: "react to it"),
        Entry(name: "edit", argument: "TEXT", summary: "give your last message another text"),
        Entry(name: "retract", summary: "take your last message back"),
        Entry(name: "drafts", summary: "what programs have drafted here, and which"),
        Entry(
            name: "draft", argument: "send|take|discard N",
            summary: "send draft N, take it into the line to change and send it, or discard it"),
        Entry(name: "verify", summary: "the safety number, to compare with the other one's"),
        Entry(name: "help", summary: "this list"),
        Entry(name: "quit", summary: "end the chat (Ctrl-D)"),
    ]

    static let keys = [
        "Enter sends; on an empty line it shows what waits (PgDn). Alt-Enter or Ctrl-J breaks the line. Tab completes.",
        "Up, Down: lines before. Ctrl-A, E, K, U, W, Y, Alt-B, F, D: as in a shell. //text sends /text.",
    ]

    /// - Parameter botCommands: the names that the other one has told, without their slashes.
    init(_ line: String, botCommands: Set<String> = []) {
        guard !line.isEmpty else {
            self = .more
            return
        }
        guard line.hasPrefix("/") else {
            self = .send(line)
            return
        }
        guard !line.hasPrefix("//") else {
            self = .send(String(line.dropFirst()))
            return
        }
        let name = String(line.dropFirst().prefix { !$0.isWhitespace })
        guard !botCommands.contains(name) else {
            self = .send(line)
            return
        }
        let argument = line.dropFirst(name.count + 1).drop { $0.isWhitespace }
        self = Self.command(name, String(argument)) ?? .unknown("/" + name)
    }

    private static func command(_ name: String, _ argument: String) -> ChatCommand? {
        guard let entry = entries.first(where: { $0.name == name }) else { return nil }
        guard entry.argument.isEmpty || !argument.isEmpty else { return .incomplete(entry) }
        return switch name {
        case "talk": .talk(argument)
        case "conversations": .conversations
        case "people": .people
        case "earlier": .earlier
        case "latest": .skip
        case "search": .search(argument)
        case "reply": .reply(argument)
        case "react": .react(argument)
        case "edit": .edit(argument)
        case "retract": .retract
        case "verify": .verify
        case "drafts": .drafts
        case "draft": draft(argument) ?? .incomplete(entry)
        case "help": .help
        case "quit": .quit
        default: nil
        }
    }

    /// - Returns: `nil` for what is done with no draft.
    private static func draft(_ argument: String) -> ChatCommand? {
        let words = argument.split(separator: " ").map(String.init)
        guard let deed = words.first.flatMap(ChatDrafts.Deed.init) else { return nil }
        return .draft(deed, words.dropFirst().joined(separator: " "))
    }

    /// The lines of the help.
    static var helpLines: [String] {
        let width = entries.map { $0.name.count + $0.argument.count }.max() ?? 0
        let commands = entries.map { entry in
            DisplayWidth.pad("/\(entry.name) \(entry.argument)", to: width + 4) + entry.summary
        }
        return commands + keys
    }
}
