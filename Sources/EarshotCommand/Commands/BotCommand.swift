import ArgumentParser
import Earshot
import EarshotGateway

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

extension Session {
    /// As `with`, for commands about bots, which the node calls consumers.
    /// - Parameter bot: the one that the command names.
    static func with<Result: Sendable>(
        _ home: Home, aboutBot bot: String?, _ body: @Sendable (GatewayClient) async throws -> Result
    ) async throws -> Result {
        do { return try await with(home) { try await body($0.client) } } catch {
            let failure = Failure(error)
            guard let bot else { throw failure }
            switch failure.code {
            case .unknownConsumer:
                throw Failure(
                    failure.code, "no bot called \(SafeText.line(bot)) has run here",
                    remedy: "see which have: earshot bot status")
            case .unknownMessage:
                throw Failure(
                    failure.code, failure.message, remedy: "take its id from: earshot bot status \(SafeText.line(bot))")
            default: throw failure
            }
        }
    }
}
