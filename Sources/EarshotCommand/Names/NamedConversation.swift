import EarshotGateway

/// A conversation that somebody has named on a command line.
struct NamedConversation: Sendable {
    /// By what the local API finds it.
    let id: String
    /// The name of the other user, or `#` and its own.
    let shown: String
    /// Whether it is none of two users.
    let isOfMany: Bool
    /// Whether it is that of this node's own user with themselves.
    var isOneself = false
}

extension NamedConversation {
    init(_ conversation: GatewayConversation, _ names: NameBook) {
        self.init(id: conversation.id, shown: names.shown(conversation), isOfMany: conversation.peer == nil)
    }
}

extension NameBook {
    /// The other user of a direct conversation, or `#` and the name of one of many.
    func shown(_ conversation: GatewayConversation) -> String {
        if let peer = conversation.peer { return shown(peer) }
        return conversation.uniqueName.map(shown(conversationNamed:)) ?? SafeText.line(conversation.id)
    }

    /// What names one of many on a command line, as one word of a shell.
    func typed(_ conversation: GatewayConversation) -> String {
        ShellWord.quote(conversation.uniqueName.map { "#" + $0 } ?? conversation.id)
    }

    /// Escaped like the name of a user: somebody else may have chosen it.
    func shown(conversationNamed name: String) -> String { "#" + looks(of: name) }
}
