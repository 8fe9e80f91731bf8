import ArgumentParser
import Earshot
import EarshotGateway

struct BotRemove: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a bot: its place in the inbox, and what is set aside for it.",
        discussion: """
            It makes room where a node has as many bots as it may have. The messages stay. A bot that runs again under the \
            name begins anew.

            EXAMPLES:
              earshot bot remove reminders
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The bot's name.")
    var name: String

    private struct Record: Encodable {
        let removed: String
    }

    func execute(_ output: Output) async throws {
        try await Session.with(common.homeDirectory, aboutBot: name) { try await $0.removeConsumer(name) }
        try output.object(Record(removed: name))
        output.line("\(SafeText.line(name)) is removed")
    }
}
