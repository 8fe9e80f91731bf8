import ArgumentParser
import Earshot
import EarshotGateway

struct Reply: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "reply",
        abstract: "Answer a message, in its conversation.",
        discussion: """
            EXAMPLES:
              earshot reply 3fk9qbmj-12 "Gladly!"
              uptime | earshot reply 3fk9qbmj-12
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup(title: "How it looks where there is room") var layout: LayoutOptions

    @Argument(help: "The id of the message that it answers, from: earshot history NAME")
    var id: String

    @Argument(help: "The text; standard input if it is left out or -. One line break at its end is dropped.")
    var text: String?

    func validate() throws { try MessageArgument.check(id) }

    func execute(_ output: Output) async throws {
        let text = try await TextArgument.read(text)
        let message = try await Session.with(common.homeDirectory) {
            try await $0.client.reply(text, to: id, layout: layout.request)
        }
        output.line(Mark.state(of: message))
        try output.object(message)
    }
}
