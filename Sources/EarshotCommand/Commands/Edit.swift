import ArgumentParser
import Earshot
import EarshotGateway

struct Edit: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Give a message of yours another text.",
        discussion: """
            Whoever has the message sees the new text, when their node hears of it.

            EXAMPLES:
              earshot edit 3fk9qbmj-12 "Lunch at one?"
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The message's id, from: earshot history NAME")
    var id: String

    @Argument(help: "The text; standard input if it is left out or -. One line break at its end is dropped.")
    var text: String?

    func validate() throws { try MessageArgument.check(id) }

    func execute(_ output: Output) async throws {
        let text = try await TextArgument.read(text)
        let message = try await Session.with(common.homeDirectory) { try await $0.client.edit(id, text) }
        output.line("edited")
        try output.object(message)
    }
}
