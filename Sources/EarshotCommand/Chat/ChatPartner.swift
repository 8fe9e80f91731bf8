import EarshotGateway

/// With whom a chat is.
enum ChatPartner: Sendable {
    case user(GatewayUser)
    case conversation(NamedConversation)

    /// By what the local API finds the conversation.
    var id: String {
        switch self {
        case .user(let user): user.id
        case .conversation(let conversation): conversation.id
        }
    }

    func shown(_ names: NameBook) -> String {
        switch self {
        case .user(let user): names.shown(user)
        case .conversation(let conversation): conversation.shown
        }
    }

    /// As one word of a shell.
    func typed(_ names: NameBook) -> String {
        switch self {
        case .user(let user): names.typed(user)
        case .conversation(let conversation): ShellWord.quote(conversation.shown)
        }
    }

    /// The other user of a direct conversation.
    var user: GatewayUser? { if case .user(let user) = self { user } else { nil } }
}
