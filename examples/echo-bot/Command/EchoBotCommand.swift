import Earshot
import EchoBot

/// Runs the bot: `echo-bot HOME`. Make the home directory with `earshot init`; no other node may run on it.
@main
struct EchoBotCommand {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: echo-bot HOME")
            return
        }
        let node = try await Node.open(Home(path: CommandLine.arguments[1]))
        let bot = EchoBot(on: node)
        async let running: Void = node.run()
        try await bot.run()
        try await running
    }
}
