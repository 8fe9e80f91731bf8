import ArgumentParser
import Earshot
import EarshotGateway

struct BotMove: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Have a bot begin at another place.",
        discussion: """
            It gets again what it has dealt with behind that place, and never gets what is before it. What is set \
            aside for it stays so.

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
    }

    func execute(_ output: Output) async throws {
        try await Session.with(common.homeDirectory) { try await $0.client.moveConsumer(name, to: start) }
        try output.object(Record(moved: name, from: start))
        output.line("\(SafeText.line(name)) begins with \(InboxStartOption.shown(start))")
    }
}
