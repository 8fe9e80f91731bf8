import ArgumentParser
import Earshot
import EarshotGateway

struct Conversations: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the conversations, the one in which something arrived last first.",
        discussion: """
            UNREAD is how many messages of others you have not read: earshot chat NAME shows them.

            EXAMPLES:
              earshot conversations
              earshot conversations --json | jq -r 'select(.unreadCount > 0) | .peer.name'
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        let (conversations, names) = try await Session.with(common.homeDirectory) { session in
            (try await session.client.allConversations(), try await session.client.names())
        }
        for conversation in conversations { try output.object(conversation) }
        guard !conversations.isEmpty else {
            output.line("no conversations yet: write to somebody with: earshot send NAME TEXT")
            return
        }
        for line in table(conversations, names, output.style).lines(output.style) { output.line(line) }
    }

    /// The columns that the beginning of a message has.
    private static let excerptWidth = 48

    private func table(_ conversations: [GatewayConversation], _ names: NameBook, _ style: Style) -> Table {
        Table(
            titles: ["NAME", "UNREAD", "LAST", "MESSAGE"],
            rows: conversations.map { conversation in
                let last = conversation.lastMessage
                let text = last.map { SafeText.line($0.shownText) } ?? ""
                let excerpt = DisplayWidth.head(of: text, width: Self.excerptWidth)
                return [
                    .init(text: names.shown(conversation)),
                    .init(text: conversation.unreadCount > 0 ? "\(conversation.unreadCount)" : "", colour: style.bold),
                    .init(text: last.map { LocalTime.full($0.timestampMilliseconds) } ?? "", colour: style.dim),
                    .init(text: excerpt == text ? text : excerpt + "…"),
                ]
            })
    }
}
