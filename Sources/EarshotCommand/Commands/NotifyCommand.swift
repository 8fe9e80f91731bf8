import ArgumentParser
import Earshot
import EarshotGateway

struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Choose where you are notified of messages, and of which.",
        discussion: """
            The running node notifies you: on the desktop, by a program of yours, or by a request to a server. What came \
            while it did not run comes then. You are not notified of what you have read meanwhile, on whichever device.

            A target that takes nothing is notified again, after 1, 2, 4 seconds and so on, at most five minutes; after ten \
            attempts that message is left out, and "earshot notify list" counts it.

            EXAMPLES:
              earshot notify add desktop
              earshot notify add command ~/bin/announce
              earshot notify add webhook https://example.org/hook
              earshot notify list
              earshot notify level '#ops' mentions
              earshot notify remove desktop
            """,
        subcommands: [NotifyAdd.self, NotifyList.self, NotifyRemove.self, NotifyLevelCommand.self])
}

struct NotifyAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Be notified somewhere, once a test has got through.",
        discussion: """
            EXAMPLES:
              earshot notify add desktop
              earshot notify add command -- /usr/local/bin/announce --urgent
              earshot notify add webhook https://example.org/hook --name pager
            """,
        subcommands: [NotifyAddDesktop.self, NotifyAddCommand.self, NotifyAddWebhook.self])
}

struct NotifyAddDesktop: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "desktop", abstract: "Show notifications on the desktop, with notify-send.",
        discussion: """
            Several messages of a conversation are one notification. It says who has written and where, and not what: other \
            users of the machine could read that.

            EXAMPLES:
              earshot notify add desktop
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var target: TargetOptions

    func execute(_ output: Output) async throws { try await target.register(.desktop, common, output) }
}

struct NotifyAddCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "command", abstract: "Run a program for each message.",
        discussion: """
            It gets the notification as a line of JSON on its standard input, with what was written; no shell runs it. It has \
            a minute, and has taken the notification when it ends with 0. The first one is a test: {"type":"test"}.

            EXAMPLES:
              earshot notify add command ~/bin/announce
              earshot notify add command --name sound /usr/bin/paplay /usr/share/sounds/message.oga
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var target: TargetOptions

    @Argument(help: "The program, and its arguments; -- goes before those that begin with a dash.", completion: .file())
    var command: [String]

    func execute(_ output: Output) async throws {
        try await target.register(
            .command(path: try Self.wholePath(command[0]), arguments: Array(command.dropFirst())), common, output)
    }

    /// The node has another working directory, and may have another `PATH`.
    private static func wholePath(_ path: String) throws -> String {
        guard let found = ProgramPath.find(path) else {
            throw Failure(
                .programUnusable, "there is no program \(SafeText.line(path)) that can be run",
                remedy: "name it with its folder, and make it executable: chmod +x FILE")
        }
        return found
    }
}

struct NotifyAddWebhook: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Post each message to a server.",
        discussion: """
            The node sends the notification as JSON, with what was written, and signs it as Standard Webhooks says: \
            libraries for many languages check that. The secret is printed once; give it to the server. It has taken a \
            notification when it answers with a status from 200 to 299. Needs curl.

            EXAMPLES:
              earshot notify add webhook https://example.org/hook
              earshot notify add webhook http://192.0.2.7:8000/earshot --name pager
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var target: TargetOptions

    @Argument(help: "Where to: http or https.")
    var url: String

    func execute(_ output: Output) async throws { try await target.register(.webhook(url: url), common, output) }
}

/// What all targets have.
struct TargetOptions: ParsableArguments {
    @Option(help: "What you call it: letters, digits, and any of -_. By default desktop, command or webhook.")
    var name: String?

    fileprivate func register(_ target: NotificationTarget, _ common: CommonOptions, _ output: Output) async throws {
        let name = name
        let (registered, isShortLived) = try await Session.with(common.homeDirectory) {
            (try await $0.client.register(target, name: name), $0.isShortLived)
        }
        try output.object(registered)
        output.line("a test got through; from now on you are notified here: \(registered.target.name)")
        if isShortLived { output.note("a node notifies you while it runs, and none does: earshot up --detach") }
        guard let secret = registered.secret else { return }
        output.line("its secret, which is not shown again:")
        output.line("")
        output.line("  \(secret)")
    }
}

struct NotifyList: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List where you are notified, and how that does.",
        discussion: """
            EXAMPLES:
              earshot notify list
              earshot notify list --json | jq -r 'select(.failure) | .name'
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        let targets = try await Session.with(common.homeDirectory) { try await $0.client.notificationTargets() }
        for target in targets { try output.object(target) }
        guard !targets.isEmpty else {
            output.line("you are notified nowhere: earshot notify add desktop")
            return
        }
        let table = Table(
            titles: ["NAME", "WHERE", "LAST", "LEFT OUT", "STATE"],
            rows: targets.map { cells(of: $0, output.style) })
        for line in table.lines(output.style) { output.line(line) }
    }

    private func cells(of target: GatewayTarget, _ style: Style) -> [Table.Cell] {
        [
            Table.Cell(text: target.name), Table.Cell(text: Self.place(of: target)),
            Table.Cell(text: target.deliveredAt ?? "never"), Table.Cell(text: "\(target.lostCount)"),
            Table.Cell(text: Self.state(of: target)) { target.failure == nil ? style.green($0) : style.red($0) },
        ]
    }

    private static func place(of target: GatewayTarget) -> String {
        SafeText.line(target.url ?? target.command?.map(ShellWord.quote).joined(separator: " ") ?? target.kind)
    }

    private static func state(of target: GatewayTarget) -> String {
        guard let failure = target.failure else { return "works" }
        return SafeText.line("fails since \(target.failingSince ?? "now"): \(failure)")
    }
}

struct NotifyRemove: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "No longer be notified somewhere.",
        discussion: """
            EXAMPLES:
              earshot notify remove desktop
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The target's name: earshot notify list.")
    var name: String

    private struct Record: Encodable {
        let removed: String
    }

    func execute(_ output: Output) async throws {
        let name = name
        try await Session.with(common.homeDirectory) { try await $0.client.deregister(name) }
        try output.object(Record(removed: name))
        output.line("you are no longer notified at \(SafeText.line(name))")
    }
}

struct NotifyLevelCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "level", abstract: "Say of which messages of a conversation you are notified.",
        discussion: """
            LEVELS:
              all       of each message; what applies if you say nothing
              mentions  of those that mention you, or answer a message of yours
              none      of none

            It holds for this device. Without a level it shows the present one.

            EXAMPLES:
              earshot notify level '#ops' mentions
              earshot notify level bob none
              earshot notify level bob
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.conversationHelp, completion: UserArgument.completion)
    var name: String

    @Argument(
        help: "all, mentions or none.", completion: .list(NotificationLevel.allCases.map(\.rawValue)),
        transform: NotificationLevel.read)
    var level: NotificationLevel?

    func execute(_ output: Output) async throws {
        let (name, level) = (name, level)
        let (conversation, shown) = try await Session.with(common.homeDirectory) { session in
            let (partner, names) = try await ChatPartner.find(name, session)
            let conversation =
                if let level {
                    try await session.client.setNotificationLevel(level, of: partner.id)
                } else { try await session.client.conversation(partner.id) }
            return (conversation, partner.shown(names))
        }
        try output.object(conversation)
        let words =
            switch NotificationLevel(rawValue: conversation.notificationLevel) {
            case .all: "you are notified of each message"
            case .mentions: "you are notified of what mentions you, or answers you"
            case .none?: "you are notified of nothing"
            case nil: conversation.notificationLevel
            }
        output.line("\(shown): \(words)")
    }
}

extension NotificationLevel {
    @Sendable fileprivate static func read(_ text: String) throws -> NotificationLevel {
        guard let level = NotificationLevel(rawValue: text) else {
            throw ValidationError("There is no level \"\(SafeText.line(text))\". There are: all, mentions, none.")
        }
        return level
    }
}
