import ArgumentParser
import EarshotGateway

struct Read: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Mark messages as read, which tells their authors so.",
        discussion: """
            EXAMPLES:
              earshot read bob                  everything that is here
              earshot read '#ops'
              earshot read bob --up-to ID       this message, and all that had arrived before it
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.conversationHelp, completion: UserArgument.completion)
    var name: String

    @Option(help: ArgumentHelp("The last message that you have read.", valueName: "id"))
    var upTo: String?

    func validate() throws {
        if let upTo { try MessageArgument.check(upTo) }
    }

    func execute(_ output: Output) async throws {
        let (left, conversation) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            let conversation = try await UserLookup(session: session).conversation(name, names)
            if let upTo {
                try await session.client.markRead(upTo: upTo, with: conversation.id)
            } else {
                try await session.client.markAllRead(with: conversation.id)
            }
            return (try await session.client.conversation(conversation.id), conversation)
        }
        try output.object(left)
        let count = Counted.text(left.unreadCount, "message is", "messages are")
        let which = conversation.isOfMany ? "in" : "of"
        output.line("read: messages \(which) \(conversation.shown)" + (left.unreadCount > 0 ? "; \(count) unread" : ""))
    }
}
