import ArgumentParser
import EarshotGateway

struct Read: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark a user's messages as read, which tells them so.",
        discussion: """
            EXAMPLES:
              earshot read bob                  everything that is here
              earshot read bob --up-to ID       this message, and all that had arrived before it
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var name: String

    @Option(help: ArgumentHelp("The last message that you have read.", valueName: "id"))
    var upTo: String?

    func validate() throws {
        if let upTo { try MessageArgument.check(upTo) }
    }

    func execute(_ output: Output) async throws {
        let (left, peer, names) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.client.names()
            let peer = try await UserLookup(session: session).peer(name, names)
            if let upTo {
                try await session.client.markRead(upTo: upTo, with: peer.id)
            } else {
                try await session.client.markAllRead(with: peer.id)
            }
            return (try await session.client.conversation(peer.id), peer, names)
        }
        try output.object(left)
        let count = Counted.text(left.unreadCount, "message is", "messages are")
        output.line("read: messages of \(names.shown(peer))" + (left.unreadCount > 0 ? "; \(count) unread" : ""))
    }
}
