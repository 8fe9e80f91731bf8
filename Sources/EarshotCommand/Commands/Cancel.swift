import ArgumentParser
import Earshot
import EarshotGateway

struct Cancel: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Take back a message that has not left this machine.",
        discussion: """
            EXAMPLES:
              earshot cancel "$(earshot history bob --limit 1 --json | jq -r .id)"
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The message's id, from: earshot history NAME")
    var id: String

    func validate() throws { try MessageArgument.check(id) }

    func execute(_ output: Output) async throws {
        let message = try await Session.with(common.homeDirectory) { try await $0.client.cancel(id) }
        output.line("cancelled")
        try output.object(message)
    }
}
