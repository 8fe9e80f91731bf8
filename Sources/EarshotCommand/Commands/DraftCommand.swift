import ArgumentParser
import Earshot
import EarshotGateway

struct DraftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draft",
        abstract: "See what programs have drafted for you; send or discard it.",
        discussion: """
            A program whose token has the scope draft (earshot token create NAME --scope draft) prepares messages and cannot \
            send them. A draft stays on this machine until you send it, and the program hears what you do with it.

            EXAMPLES:
              earshot draft list
              earshot draft list bob
              earshot draft send 3fk9qbmj
              earshot draft edit 3fk9qbmj "See you at one."
              earshot draft discard 3fk9qbmj
            """,
        subcommands: [DraftList.self, DraftInsert.self, DraftEdit.self, DraftSend.self, DraftDiscard.self],
        defaultSubcommand: DraftList.self)
}

/// The argument that names a draft.
struct DraftArgument: ParsableArguments {
    @Argument(help: "The draft's id, or its beginning, from: earshot draft list")
    var id: String
}

struct DraftList: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the drafts, with who inserted them.",
        discussion: """
            EXAMPLES:
              earshot draft list
              earshot draft list '#ops'
              earshot draft list --json | jq -r 'select(.insertedBy == "quotes") | .text'
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "A user or a conversation; all without it.", completion: UserArgument.completion)
    var name: String?

    func execute(_ output: Output) async throws {
        let name = name
        let (drafts, names) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            guard let name else { return (try await session.client.drafts(), names) }
            let conversation = try await UserLookup(session: session).conversation(name, names)
            return (try await session.client.drafts(in: conversation.id), names)
        }
        for draft in drafts { try output.object(draft) }
        guard !drafts.isEmpty else {
            output.line("no drafts")
            return
        }
        let table = Table(
            titles: ["ID", "BY", "TO", "TEXT"],
            rows: drafts.map { draft in
                [
                    Self.short(draft.id, among: drafts), ChatDrafts.author(draft), names.shown(draft.recipient),
                    SafeText.line(draft.shownWhole),
                ].map { Table.Cell(text: $0) }
            })
        for line in table.lines(output.style) { output.line(line) }
    }

    /// As much of an id as tells it from the others.
    private static func short(_ id: String, among drafts: [GatewayDraft]) -> String {
        let lengths = [8, 12, 16, 20]
        let length = lengths.first { length in
            drafts.count { $0.id.hasPrefix(id.prefix(length)) } == 1
        }
        return length.map { String(id.prefix($0)) } ?? id
    }
}

struct DraftInsert: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "insert", abstract: "Prepare a message that somebody sends later.",
        discussion: """
            EXAMPLES:
              earshot draft insert bob "See you at one?"
              fortune | earshot draft insert '#ops' --by quotes
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "A user or a conversation, as in: earshot send", completion: UserArgument.completion)
    var name: String

    @Argument(help: "The text; standard input if it is left out or -. One line break at its end is dropped.")
    var text: String?

    @Option(help: ArgumentHelp("The name of the program that it is from; none for you.", valueName: "name"))
    var by: String?

    func execute(_ output: Output) async throws {
        let text = try await TextArgument.read(text)
        let (name, by) = (name, by)
        let draft = try await Session.with(common.homeDirectory) {
            try await $0.client.insertDraft(text, to: name, by: by)
        }
        try output.object(draft)
        output.line("inserted; to send it: earshot draft send \(draft.id.prefix(8))")
    }
}

struct DraftEdit: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Give a draft another text.",
        discussion: """
            EXAMPLES:
              earshot draft edit 3fk9qbmj "See you at one."
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var draft: DraftArgument

    @Argument(help: "The text; standard input if it is left out or -. One line break at its end is dropped.")
    var text: String?

    func execute(_ output: Output) async throws {
        let text = try await TextArgument.read(text)
        let id = draft.id
        let edited = try await Session.with(common.homeDirectory) { try await $0.client.editDraft(id, text) }
        try output.object(edited)
        output.line("edited")
    }
}

struct DraftSend: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send a draft, as a message of yours.",
        discussion: """
            Prints the state of the message. If no node runs, it is delivered when one does.

            EXAMPLES:
              earshot draft send 3fk9qbmj
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var draft: DraftArgument

    func execute(_ output: Output) async throws {
        let id = draft.id
        let message = try await Session.with(common.homeDirectory) { try await $0.client.sendDraft(id) }
        output.line(Mark.state(of: message))
        try output.object(message)
    }
}

struct DraftDiscard: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Discard a draft: its text is gone.",
        discussion: """
            EXAMPLES:
              earshot draft discard 3fk9qbmj
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var draft: DraftArgument

    func execute(_ output: Output) async throws {
        let id = draft.id
        try await Session.with(common.homeDirectory) { try await $0.client.discardDraft(id) }
        output.line("discarded")
    }
}
