import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

struct History: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the conversation with a user, or one of many, oldest first.",
        discussion: """
            Each message is shown with the beginning of its id, which every command takes for the whole.

            EXAMPLES:
              earshot history bob
              earshot history '#ops'
              earshot history bob --limit 10 --json | jq -r .text
              earshot history bob --since yesterday
              earshot history bob --before ID
              earshot history bob --after ID
              earshot history bob --order arrival              the last that reached this machine
              earshot history bob --order arrival --after ID   what has reached it since
              earshot history bob --unread        what you have not read; it stays unread: see earshot read

            Go from page to page in one order: what was long on its way stands among the messages of its time, unless you
            ask for the order of arrival.

            ↪ stands before the id of the message that one answers, and reactions below the message.
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.conversationHelp, completion: UserArgument.completion)
    var name: String

    @Option(
        help: ArgumentHelp(
            "How many messages, 1 to \(Limits.historyPage). (default: \(GatewayLimits.defaultPage); with --since all)"))
    var limit: Int?

    @Option(
        help: ArgumentHelp(
            "What was written at this time or later: \(PastTime.forms)", valueName: PastTime.valueName),
        transform: PastTime.read)
    var since: Date?

    @Option(help: ArgumentHelp("The messages just before this one.", valueName: "id"))
    var before: String?

    @Option(help: ArgumentHelp("The messages just after this one.", valueName: "id"))
    var after: String?

    @Option(help: "time, as it was written, or arrival, as it reached this machine.")
    var order = HistoryOrder.time

    @Flag(help: "In a group, also what users wrote whom you have blocked.")
    var blocked = false

    @Flag(help: "Only messages that you have not read; with --after, only those written later.")
    var unread = false

    func validate() throws {
        guard limit.map((1...Limits.historyPage).contains) ?? true else {
            throw ValidationError("--limit takes a number from 1 to \(Limits.historyPage).")
        }
        guard before == nil || after == nil else { throw ValidationError("--before or --after, not both.") }
        guard before == nil || !unread else { throw ValidationError("--unread goes with --after, not with --before.") }
        guard since == nil || (after == nil && !unread) else {
            throw ValidationError("--since goes neither with --after nor with --unread.")
        }
        guard order == .time || (since == nil && !unread) else {
            throw ValidationError("--since and --unread go by time: leave --order arrival out.")
        }
        for id in [before, after].compactMap(\.self) { try MessageArgument.check(id) }
    }

    func execute(_ output: Output) async throws {
        let (messages, conversation, names, goesOn) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            let conversation = try await UserLookup(session: session).conversation(name, names)
            let (messages, goesOn) = try await read(conversation, session.client)
            return (messages, conversation, names, goesOn)
        }
        for message in messages { try output.object(message) }
        if goesOn, isBackward { output.note(next(of: messages)) }
        let list = MessageLines(names: names, style: output.style)
        await Pager.show(messages.flatMap { list.lines(of: $0) }, output)
        if goesOn, !isBackward { output.note(next(of: messages)) }
        if messages.isEmpty {
            output.line(
                "no \(unread ? "unread " : "")messages \(conversation.isOfMany ? "in" : "with") \(conversation.shown)"
                    + (since == nil ? "" : " since then"))
        }
    }

    /// The most messages that a time asks for.
    private static let mostSince = 100 * Limits.historyPage

    /// - Returns: `goesOn`: whether there is more.
    private func read(
        _ conversation: NamedConversation, _ client: GatewayClient
    ) async throws -> (messages: [GatewayMessage], goesOn: Bool) {
        guard let since else {
            let limit = limit ?? GatewayLimits.defaultPage
            let messages = try await page(of: conversation, client, before: before, after: after, limit: limit)
            return (messages, try await isMore(than: messages, limit, of: conversation, client))
        }
        // Backwards from the end, until a page begins before that time.
        var pages: [[GatewayMessage]] = []
        var count = 0
        var first = before
        while count < limit ?? Self.mostSince {
            let page = try await page(of: conversation, client, before: first, after: nil, limit: Limits.historyPage)
            let new = page.filter { $0.timestampMilliseconds >= PastTime.milliseconds(since) }
            pages.append(new)
            count += new.count
            guard new.count == Limits.historyPage else { break }
            first = new.first?.id
        }
        let found = pages.reversed().flatMap(\.self)
        let shown = Array(found.suffix(limit ?? Self.mostSince))
        return (shown, shown.count < found.count || count >= Self.mostSince)
    }

    /// Whether a page ends with the newest message that is asked for, and others come before it.
    private var isBackward: Bool { after == nil && !unread }

    /// Whether there is more where a page ends.
    private func isMore(
        than messages: [GatewayMessage], _ limit: Int, of conversation: NamedConversation, _ client: GatewayClient
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
            ? "there are earlier ones: \(inOrder)--before \(ShortMessageID.shown(first.id))"
            : "there are more: \(inOrder)--after \(ShortMessageID.shown(last.id))"
    }

    private var inOrder: String { order == .time ? "" : "--order \(order.rawValue) " }

    private func page(
        of conversation: NamedConversation, _ client: GatewayClient, before: String?, after: String?, limit: Int
    ) async throws -> [GatewayMessage] {
        unread
            ? try await client.unread(with: conversation.id, after: after, limit: limit)
            : try await client.history(
                with: conversation.id, before: before, after: after, order: order.order, limit: limit,
                includingBlocked: blocked)
    }
}

/// The order of a history, as the command line names it.
enum HistoryOrder: String, CaseIterable, ExpressibleByArgument {
    case time, arrival

    fileprivate var order: Conversation.Order { self == .time ? .time : .arrival }
}
