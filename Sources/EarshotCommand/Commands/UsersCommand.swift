import ArgumentParser
import Earshot
import EarshotGateway

struct Users: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "List the users that this node has met.",
        discussion: """
            A user is a key; the fingerprint is the beginning of it. If several users have one name, NAME shows what \
            to type for each, like bob@3fk9qbmj. "earshot users NAME" shows all of one user, with the whole key, which \
            every command takes for the name.

            UNREAD is how many messages of the user you have not read: earshot chat NAME shows them.

            TRUST:
              new         met, but no message was exchanged yet
              unverified  the name is pinned to the key, by the first message
              verified    the same, and you have compared safety numbers: earshot verify NAME
              blocked     nothing is sent to them and nothing is taken from them
              conflict    claims a name that is pinned to another key: earshot trust NAME

            EXAMPLES:
              earshot users
              earshot users bob
              earshot users --json | jq -r 'select(.isOnline) | .name'
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var name: String?

    func execute(_ output: Output) async throws {
        if let name { return try await show(name, output) }
        let (users, names, conversations) = try await Session.with(common.homeDirectory) { session in
            (
                try await session.client.users(), try await session.names(),
                output.isJSON ? [] : try await session.client.allConversations()
            )
        }
        let unread = Self.unread(conversations)
        for user in users { try output.object(user) }
        guard !users.isEmpty else {
            output.line("nobody known yet: a node finds others while it runs (earshot up)")
            return
        }
        for line in table(users, names, unread, output.style).lines(output.style) { output.line(line) }
        let remarks = users.compactMap { remark(on: $0, names, output.style) }
        if !remarks.isEmpty { output.line("") }
        for remark in remarks { output.line(remark) }
    }

    /// How much is unread of each user, by key.
    private static func unread(_ conversations: [GatewayConversation]) -> [String: Int] {
        Dictionary(
            conversations.compactMap { conversation in conversation.peer.map { ($0.id, conversation.unreadCount) } }
        ) { first, _ in first }
    }

    /// Shows all of one user, or of all who have the name.
    private func show(_ name: String, _ output: Output) async throws {
        try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            var users = names.users(called: name)
            if users.isEmpty { users = [try await UserLookup(session: session).known(name, names)] }
            for user in users { try output.object(user) }
            guard !output.isJSON else { return }
            let unread = Self.unread(try await session.client.allConversations())
            for (number, user) in users.enumerated() {
                if number > 0 { output.line("") }
                for line in rows(of: user, names, unread: unread[user.id] ?? 0, output.style) { output.line(line) }
            }
        }
    }

    private func rows(of user: GatewayUser, _ names: NameBook, unread: Int, _ style: Style) -> [String] {
        let rows = [
            ("name", names.shown(user)), ("key", user.id), ("fingerprint", user.fingerprint),
            ("trust", TrustWord.coloured(user.trust, of: user, style)), ("presence", user.presence),
            ("first seen", LocalTime.full(user.firstSeenMilliseconds)), ("unread", "\(unread)"),
            ("to type", names.typed(user)),
        ]
        let remarks = [remark(on: user, names, style)].compactMap(\.self)
        return rows.map { style.dim(DisplayWidth.pad($0, to: 13)) + $1 } + remarks
    }

    private func table(
        _ users: [GatewayUser], _ names: NameBook, _ unread: [String: Int], _ style: Style
    ) -> Table {
        Table(
            titles: ["NAME", "UNREAD", "PRESENCE", "TRUST", "FINGERPRINT"],
            rows: users.map { user in
                [
                    .init(text: names.shown(user)),
                    .init(text: unread[user.id].flatMap { $0 > 0 ? "\($0)" : nil } ?? "", colour: style.bold),
                    .init(text: user.presence, colour: user.isOnline ? style.green : { $0 }),
                    .init(text: user.trust) { TrustWord.coloured($0, of: user, style) },
                    .init(text: user.fingerprint),
                ]
            })
    }

    /// A remark for people who read the table.
    private func remark(on user: GatewayUser, _ names: NameBook, _ style: Style) -> String? {
        guard !user.isBlocked else { return nil }
        let shown = names.shown(user)
        if let claimed = user.claimedName {
            return "\(shown) calls themselves \(names.looks(of: claimed)) now. To agree: earshot trust "
                + "\(names.typed(user)) --accept"
        }
        guard user.isInConflict else {
            return names.likeness(of: user).map {
                "\(shown) \($0). To keep them out: earshot block \(names.typed(user))"
            }
        }
        let claim = "\(shown) claims the name \(names.looks(of: user.name)), which is pinned to another key."
        return style.red(claim)
            + " Nothing is sent to them. To decide: earshot trust \(names.typedName(of: user))"
    }
}

extension GatewayUser {
    var presence: String { isOnline ? "online" : "seen \(LocalTime.full(lastSeenMilliseconds))" }
}
