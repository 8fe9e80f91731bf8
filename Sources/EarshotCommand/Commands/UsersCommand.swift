import ArgumentParser
import Earshot
import EarshotGateway

struct Users: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the users that this node has met.",
        discussion: """
            A user is a key; the fingerprint is the beginning of it. If several users have one name, NAME shows what \
            to type for each, like bob@3fk9qbmj.

            UNREAD is how many messages of the user you have not read: earshot chat NAME shows them.

            TRUST:
              new         met, but no message was exchanged yet
              unverified  the name is pinned to the key, by the first message
              verified    the same, and you have compared safety numbers: earshot verify NAME
              blocked     nothing is sent to them and nothing is taken from them
              conflict    claims a name that is pinned to another key: earshot trust NAME

            EXAMPLES:
              earshot users
              earshot users --json | jq -r 'select(.isOnline) | .name'
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        let (users, names, conversations) = try await Session.with(common.homeDirectory) { session in
            (
                try await session.client.users(), try await session.client.names(),
                output.isJSON ? [] : try await session.client.allConversations()
            )
        }
        let unread = Dictionary(
            conversations.compactMap { conversation in conversation.peer.map { ($0.id, conversation.unreadCount) } }
        ) { first, _ in first }
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
