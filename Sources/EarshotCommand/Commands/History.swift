import ArgumentParser
import Earshot
import EarshotGateway

struct History: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the conversation with a user, or one of many, oldest first.",
        discussion: """
            Each message is shown with the beginning of its id, which every command takes for the whole.

            EXAMPLES:
              earshot history bob
              earshot history '#ops'
              earshot history bob --limit 10 --json | jq -r .text
              earshot history bob --before ID
              earshot history bob --after ID      what has arrived since, in that order
              earshot history bob --unread        what you have not read; it stays unread: see earshot read

            ↪ stands before the id of the message that one answers, and reactions below the message.
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.conversationHelp, completion: UserArgument.completion)
    var name: String

    @Option(help: "How many messages, 1 to \(Limits.historyPage).")
    var limit = GatewayLimits.defaultPage

    @Option(help: ArgumentHelp("The messages just before this one.", valueName: "id"))
    var before: String?

    @Option(help: ArgumentHelp("The messages that arrived just after this one.", valueName: "id"))
    var after: String?

    @Flag(help: "Only messages that you have not read; with --after, only those written later.")
    var unread = false

    func validate() throws {
        guard (1...Limits.historyPage).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to \(Limits.historyPage).")
        }
        guard before == nil || after == nil else { throw ValidationError("--before or --after, not both.") }
        guard before == nil || !unread else { throw ValidationError("--unread goes with --after, not with --before.") }
        for id in [before, after].compactMap(\.self) { try MessageArgument.check(id) }
    }

    func execute(_ output: Output) async throws {
        let (messages, conversation, names, goesOn) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.client.names()
            let conversation = try await UserLookup(session: session).conversation(name, names)
            let messages = try await page(of: conversation, session.client, before: before, after: after, limit: limit)
            return (messages, conversation, names, try await isMore(than: messages, of: conversation, session.client))
        }
        if goesOn, isBackward { output.note(next(of: messages)) }
        for message in messages {
            try output.object(message)
            describe(message, isOwn: message.sender.id == names.own.id, names, on: output)
        }
        if goesOn, !isBackward { output.note(next(of: messages)) }
        if messages.isEmpty {
            output.line(
                "no \(unread ? "unread " : "")messages \(conversation.isOfMany ? "in" : "with") \(conversation.shown)")
        }
    }

    /// Whether a page ends with the newest message that is asked for, and others come before it.
    private var isBackward: Bool { after == nil && !unread }

    /// Whether there is more where a page ends.
    private func isMore(
        than messages: [GatewayMessage], of conversation: NamedConversation, _ client: GatewayClient
    ) async throws -> Bool {
        guard messages.count == limit, let first = messages.first, let last = messages.last else { return false }
        let next = try await page(
            of: conversation, client, before: isBackward ? first.id : nil, after: isBackward ? nil : last.id, limit: 1)
        return !next.isEmpty
    }

    /// How to see the next page.
    private func next(of messages: [GatewayMessage]) -> String {
        guard let first = messages.first, let last = messages.last else { return "" }
        return isBackward
            ? "there are earlier ones: --before \(ShortMessageID.shown(first.id))"
            : "there are more: --after \(ShortMessageID.shown(last.id))"
    }

    private func page(
        of conversation: NamedConversation, _ client: GatewayClient, before: String?, after: String?, limit: Int
    ) async throws -> [GatewayMessage] {
        unread
            ? try await client.unread(with: conversation.id, after: after, limit: limit)
            : try await client.history(with: conversation.id, before: before, after: after, limit: limit)
    }

    private func describe(_ message: GatewayMessage, isOwn: Bool, _ names: NameBook, on output: Output) {
        let time = output.style.dim(LocalTime.full(message.timestampMilliseconds))
        let id = output.style.dim(ShortMessageID.shown(message.id))
        let sender = names.shown(message.sender)
        let mark = isOwn ? "  " + Mark.of(message) : ""
        let lines = SafeText.lines(message.shownText).map { message.isPlaceholder ? output.style.dim($0) : $0 }
        // Lines after the first are indented, so that no text can pass for another message.
        let indented = ([lines[0]] + lines.dropFirst().map { "    " + $0 }).joined(separator: "\n")
        output.line("\(time)  \(id)  \(output.style.bold(sender)): \(indented)\(mark)")
        let reactions = message.shownReactions { names.shown($0) }
        if !reactions.isEmpty { output.line("    \(output.style.dim(reactions))") }
    }
}
