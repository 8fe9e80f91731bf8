import ArgumentParser
import Earshot
import EarshotGateway

struct BotRetry: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Give a bot messages again that are set aside.",
        discussion: """
            Each comes alone, before all others. The ids of what is set aside are in: earshot bot status NAME

            EXAMPLES:
              earshot bot retry reminders --all
              earshot bot retry reminders 3fk9qbmj-12
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The bot's name.")
    var name: String

    @Argument(help: "Ids of messages.")
    var ids: [String] = []

    @Flag(name: .customLong("all"), help: "All that are set aside for the bot.")
    var isForAll = false

    func validate() throws {
        guard ids.isEmpty == isForAll else { throw ValidationError("Name messages, or all of them with --all.") }
        for id in ids { try MessageArgument.check(id) }
    }

    private struct Record: Encodable {
        let retried: [String]
    }

    func execute(_ output: Output) async throws {
        let retried = try await Session.with(common.homeDirectory, aboutBot: name) { client in
            let chosen = isForAll ? try await client.setAside(for: name).map(\.message.id) : ids
            for id in chosen { try await client.handOutAgain(id, to: name) }
            return chosen
        }
        try output.object(Record(retried: retried))
        output.line("\(Counted.text(retried.count, "message comes", "messages come")) again")
    }
}
