import ArgumentParser

struct BotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bot", abstract: "Run a program as a bot, and see how bots do.",
        discussion: """
            A bot is a program that gets messages and answers them. It misses none, and answers none twice, whenever \
            it or the node ends.

            EXAMPLES:
              earshot bot run echo --exec ./echo.py
              earshot bot status
              earshot bot status echo
              earshot bot retry echo --all
            """,
        subcommands: [BotRun.self, BotStatus.self, BotRetry.self, BotMove.self, BotRemove.self])
}
