import ArgumentParser
import Earshot
import EarshotGateway

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Let programs use the node: make, list and revoke their tokens.",
        discussion: """
            A program on the node's Unix socket may do everything that you may, unless it shows a token. On TCP \
            (earshot up --http) nothing works without one.

            EXAMPLES:
              earshot token create reminders --scope read --scope send --to bob
              earshot token list
              earshot token revoke reminders
            """,
        subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}

struct TokenCreate: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a token for a program, and print it.",
        discussion: """
            The token is shown only now. The node keeps a hash of it. A program shows it with each request, in the \
            header "Authorization: Bearer TOKEN".

            SCOPES:
              draft messages that you send or discard, and what became of them; nothing else. --to as with send
              read  users, conversations, messages, events, and the inbox under names of its own
              send  messages, to everybody or with --to to some users and conversations only; and drafts
              all   everything that you may do, making tokens included

            EXAMPLES:
              earshot token create dashboard --scope read
              earshot token create reminders --scope read --scope send --to bob --expires 30d
              earshot token create builds --scope send --to '#ops'
              earshot token create quotes --scope draft --to bob
              export EARSHOT_TOKEN=$(earshot token create notifier --scope send)
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "What you call it: letters, digits, and any of -_.")
    var name: String

    @Option(
        name: .customLong("scope"), parsing: .singleValue,
        help: ArgumentHelp("What it is good for: draft, read, send or all. May be repeated.", valueName: "scope"))
    var scopes: [Scope]

    @Option(
        name: .customLong("to"), parsing: .singleValue,
        help: ArgumentHelp(
            "It may send to this user or conversation ('#ops') only, or insert drafts there. May be repeated.",
            valueName: "name"),
        completion: UserArgument.completion)
    var recipients: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long it works; as long as you do not revoke it unless given. \(SpanOfTime.units)",
            valueName: SpanOfTime.valueName), transform: SpanOfTime.readPositive)
    var expires: Duration?

    func validate() throws {
        guard !scopes.isEmpty else { throw ValidationError("What is it good for? --scope draft, read, send or all.") }
        let isLimitable = !scopes.contains(.all) && (scopes.contains(.send) || scopes.contains(.draft))
        guard recipients.isEmpty || isLimitable else {
            throw ValidationError("--to limits --scope send and --scope draft, and cannot limit all.")
        }
    }

    func execute(_ output: Output) async throws {
        let (name, scopes, recipients, expires) = (name, scopes, recipients, expires)
        let token = try await Session.with(common.homeDirectory) {
            try await $0.client.createToken(
                name, scopes: scopes, to: recipients.isEmpty ? nil : recipients, lifetime: expires)
        }
        try output.object(token)
        output.line(token.token)
    }
}

struct TokenList: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the tokens, with their last use.",
        discussion: """
            EXAMPLES:
              earshot token list
              earshot token list --json | jq -r 'select(.usedAt == null) | .name'
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        let (tokens, names) = try await Session.with(common.homeDirectory) { session in
            (try await session.client.tokens(), try await session.names())
        }
        for token in tokens { try output.object(token) }
        guard !tokens.isEmpty else {
            output.line("no tokens: earshot token create NAME --scope read")
            return
        }
        let table = Table(
            titles: ["NAME", "SCOPES", "TO", "EXPIRES", "LAST USED"],
            rows: tokens.map { token in
                [
                    token.name, token.scopes.joined(separator: ","),
                    recipients(of: token, names),
                    token.expiresAt ?? "never", token.usedAt ?? "never",
                ].map { Table.Cell(text: $0) }
            })
        for line in table.lines(output.style) { output.line(line) }
    }

    /// To whom a program with the token may send.
    private func recipients(of token: GatewayToken, _ names: NameBook) -> String {
        if let recipients = token.to { return recipients.map { names.shown($0) }.joined(separator: ", ") }
        return token.scopes == [Scope.read.rawValue] ? "nobody" : "everybody"
    }
}

struct TokenRevoke: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End a token at once.",
        discussion: """
            EXAMPLES:
              earshot token revoke reminders
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The token's name, or its id.")
    var token: String

    private struct Record: Encodable {
        let revoked: String
    }

    func execute(_ output: Output) async throws {
        let token = token
        try await Session.with(common.homeDirectory) { try await $0.client.revokeToken(token) }
        try output.object(Record(revoked: token))
        output.line("\(SafeText.line(token)) is revoked")
    }
}

extension Scope: ExpressibleByArgument {}
