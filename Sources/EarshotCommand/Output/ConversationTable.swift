import EarshotGateway

/// The conversations, each with what is unread and how it ends.
struct ConversationTable {
    private let conversations: [GatewayConversation]
    private let names: NameBook
    private let isNumbered: Bool

    /// The columns that the beginning of a message has.
    private static let excerptWidth = 48

    /// - Parameter isNumbered: whether each has a number to choose it by.
    init(_ conversations: [GatewayConversation], _ names: NameBook, isNumbered: Bool = false) {
        self.conversations = conversations
        self.names = names
        self.isNumbered = isNumbered
    }

    /// - Parameter columns: of the terminal, if no row may be longer.
    func rows(_ style: Style, columns: Int? = nil) -> [String] {
        let all = conversations.map { conversation in (conversation, names.shown(conversation)) }
        let width = all.map { DisplayWidth.of($1) }.max() ?? 0
        // Number, count and time take about 34 columns.
        let excerptWidth = min(Self.excerptWidth, max(0, (columns ?? .max) - width - 36))
        let table = Table(
            titles: (isNumbered ? ["#"] : []) + ["NAME", "UNREAD", "LAST", "MESSAGE"],
            rows: all.enumerated().map { index, conversation in
                let number: [Table.Cell] = isNumbered ? [.init(text: "\(index + 1)", colour: style.dim)] : []
                return number + cells(of: conversation.0, conversation.1, excerptWidth, style)
            })
        return table.lines(style)
    }

    private func cells(of conversation: GatewayConversation, _ name: String, _ excerptWidth: Int, _ style: Style)
        -> [Table.Cell]
    {
        let last = conversation.lastMessage
        let text = last.map { SafeText.line($0.shownText) } ?? ""
        let excerpt = excerptWidth > 0 ? DisplayWidth.head(of: text, width: excerptWidth) : ""
        return [
            .init(text: name),
            .init(text: conversation.unreadCount > 0 ? "\(conversation.unreadCount)" : "", colour: style.bold),
            .init(text: last.map { LocalTime.full($0.timestampMilliseconds) } ?? "", colour: style.dim),
            .init(text: excerpt == text || excerpt.isEmpty ? excerpt : excerpt + "…"),
        ]
    }
}
