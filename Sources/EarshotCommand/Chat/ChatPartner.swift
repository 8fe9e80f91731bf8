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

extension ChatPartner {
    /// Whom a name means.
    /// - Throws: `Failure` or `GatewayError`, as `UserLookup` does.
    static func find(_ name: String, _ session: Session) async throws -> (ChatPartner, NameBook) {
        let lookup = UserLookup(session: session)
        if let own = try await lookup.oneself(name) { return (.conversation(own), try await session.names()) }
        guard name.hasPrefix("#") else {
            let (user, names) = try await lookup.recipient(name)
            return (.user(user), names)
        }
        let names = try await session.names()
        return (.conversation(try await lookup.conversation(name, names)), names)
    }
}
