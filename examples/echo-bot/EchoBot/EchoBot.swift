public import Earshot

/// Answers every message with its own text, until its node stops.
public struct EchoBot: Sendable {
    private let bot: Bot

    /// - Parameter node: answers for its user.
    public init(on node: Node) {
        bot = Bot("echo", on: node).otherwise { message in
            try await message.reply("you said: \(message.text)")
            try await node.messages.markRead(message.message.messageID)
        }
    }

    /// From now on the bot misses no message, though it may not run yet.
    /// - Throws: `EarshotError` if the node cannot remember that.
    public func prepare() async throws(EarshotError) { try await bot.prepare() }

    /// Returns when the node has stopped.
    /// - Throws: `EarshotError` if another program is the bot `echo` of this node already.
    public func run() async throws(EarshotError) { try await bot.run() }
}
