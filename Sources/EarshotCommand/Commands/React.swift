import ArgumentParser
import Earshot
import EarshotGateway

struct React: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "react",
        abstract: "React to a message with an emoji.",
        discussion: """
            EXAMPLES:
              earshot react 3fk9qbmj-12 👍
              earshot react 3fk9qbmj-12 👍 --remove
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The message's id, from: earshot history NAME")
    var id: String

    @Argument(help: "The emoji, or another short text.")
    var emoji: String

    @Flag(help: "Take the reaction back.")
    var remove = false

    func validate() throws { try MessageArgument.check(id) }

    func execute(_ output: Output) async throws {
        let message = try await Session.with(common.homeDirectory) {
            try await $0.client.react(emoji, to: id, removing: remove)
        }
        output.line(remove ? "taken back" : "reacted")
        try output.object(message)
    }
}
