import ArgumentParser
import Earshot
import EarshotGateway

struct Retract: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "retract",
        abstract: "Take back a message of yours that may have been delivered.",
        discussion: """
            Its text is erased from the disks of all who have it, when their nodes hear of it, and from this one when it is \
            delivered. Who is never reached again keeps it. What has not left this machine: earshot cancel

            EXAMPLES:
              earshot retract 3fk9qbmj-12
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The message's id, from: earshot history NAME")
    var id: String

    func validate() throws { try MessageArgument.check(id) }

    func execute(_ output: Output) async throws {
        let message = try await Session.with(common.homeDirectory) { try await $0.client.retract(id) }
        output.line("taken back")
        try output.object(message)
    }
}
