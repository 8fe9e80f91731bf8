import ArgumentParser
import Earshot
import EarshotGateway

struct BotStatus: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how far bots have come, and what is set aside.",
        discussion: """
            LAG is how many messages wait for the bot, and FAILING how often in a row it failed on the next one. Its last \
            error is shown until there is another one. After five failures, or as bot run --attempts says, a message is \
            set aside; earshot bot retry has it come again, before those that wait. With the name of a bot, the messages \
            that come again and those that are set aside are shown, these with their reasons.

            EXAMPLES:
              earshot bot status
              earshot bot status reminders --json
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The bot's name.")
    var name: String?

    func execute(_ output: Output) async throws {
        let (consumers, setAside) = try await Session.with(common.homeDirectory, aboutBot: name) { client in
            let all = try await client.consumers()
            guard let name else { return (all, [GatewaySetAside]()) }
            return (all.filter { $0.ownersName == name }, try await client.setAside(for: name))
        }
        for consumer in consumers { try output.object(consumer) }
        for message in setAside { try output.object(message) }
        guard !consumers.isEmpty else {
            output.line("no program has read the inbox yet: earshot bot run NAME --exec PROGRAM")
            return
        }
        for line in table(consumers).lines(output.style) { output.line(line) }
        for consumer in consumers {
            guard let failure = consumer.lastFailure else { continue }
            output.line("")
            output.line("last error of \(SafeText.line(consumer.ownersName)), \(failure.time):")
            output.line("  \(SafeText.line(failure.reason))")
        }
        for consumer in consumers where name != nil && !consumer.comingAgain.isEmpty {
            output.line("")
            output.line("comes again: \(consumer.comingAgain.map(ShortMessageID.shown).joined(separator: ", "))")
        }
        for aside in setAside {
            output.line("")
            output.line("set aside: \(aside.message.id)")
            output.line("  from \(SafeText.line(aside.message.sender.name ?? aside.message.sender.id))")
            output.line("  \(SafeText.line(Excerpt.of(aside.message.text)))")
            output.line("  \(SafeText.line(aside.reason))")
        }
    }

    private func table(_ consumers: [GatewayConsumer]) -> Table {
        Table(
            titles: ["BOT", "LAG", "LAST DONE", "FAILING", "COMING AGAIN", "SET ASIDE"],
            rows: consumers.map { consumer in
                [
                    .init(text: SafeText.line(consumer.ownersName)), .init(text: "\(consumer.lag)"),
                    .init(text: consumer.acknowledgedAt ?? "never"), .init(text: "\(consumer.fruitless)"),
                    .init(text: "\(consumer.comingAgain.count)"), .init(text: "\(consumer.setAsideCount)"),
                ]
            })
    }
}
