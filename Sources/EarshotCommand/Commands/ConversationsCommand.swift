import ArgumentParser
import Earshot
import EarshotGateway

struct Conversations: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversations",
        abstract: "List the conversations, the one in which something arrived last first.",
        discussion: """
            UNREAD is how many messages of others you have not read: earshot chat NAME shows them.

            EXAMPLES:
              earshot conversations
              earshot conversations --json | jq -r 'select(.unreadCount > 0) | .peer.name'
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        try await Session.with(common.homeDirectory) { try await Self.list($0, output) }
    }

    static func list(_ session: Session, _ output: Output) async throws {
        let (conversations, names) = (try await session.client.allConversations(), try await session.names())
        for conversation in conversations { try output.object(conversation) }
        guard !conversations.isEmpty else {
            output.line("no conversations yet: write to somebody with: earshot send NAME TEXT")
            return
        }
        for line in ConversationTable(conversations, names).rows(output.style) { output.line(line) }
    }
}
