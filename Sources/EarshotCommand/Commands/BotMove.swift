import ArgumentParser
import Earshot
import EarshotGateway

struct BotMove: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Have a bot begin at another place.",
        discussion: """
            It gets again what it has dealt with behind that place, and never gets what is before it, not even what \
            earshot bot retry was to give it again. What is set aside for it and came before stays so.

            EXAMPLES:
              earshot bot move reminders --from beginning
              earshot bot move reminders --from 2026-01-31T12:00:00Z
              earshot bot move reminders --from now
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The bot's name.")
    var name: String

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "Where it begins: \(InboxStartOption.help).", valueName: InboxStartOption.valueName),
        transform: InboxStartOption.read)
    var start: String

    private struct Record: Encodable {
        let moved: String
        let from: String
        /// The messages that were to come again: now they come in their turn, or not at all.
        let notAgain: [String]
    }

    func execute(_ output: Output) async throws {
        let again = try await Session.with(common.homeDirectory, aboutBot: name) { client in
            let again = try await client.consumers().first { $0.ownersName == name }?.comingAgain ?? []
            try await client.moveConsumer(name, to: start)
            return again
        }
        try output.object(Record(moved: name, from: start, notAgain: again))
        output.line("\(SafeText.line(name)) begins with \(InboxStartOption.shown(start))")
        guard !again.isEmpty else { return }
        let count = Counted.text(again.count, "message", "messages")
        output.line("what was to come again (\(count)) comes in its turn, or not at all if it came before")
    }
}
