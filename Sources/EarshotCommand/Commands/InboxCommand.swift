import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

struct InboxCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Show what you have not read, in all conversations.",
        discussion: """
            It stays unread: earshot chat NAME and earshot read NAME mark it as read.

            EXAMPLES:
              earshot inbox
              earshot inbox --since 1h
              earshot inbox --json | jq -r .text
            """)

    @OptionGroup var common: CommonOptions

    @Option(
        help: ArgumentHelp(
            "Only what was written at this time or later: \(PastTime.forms)", valueName: PastTime.valueName),
        transform: PastTime.read)
    var since: Date?

    @Option(help: "How many messages of each conversation, 1 to \(Limits.historyPage).")
    var limit = GatewayLimits.defaultPage

    func validate() throws {
        guard (1...Limits.historyPage).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to \(Limits.historyPage).")
        }
    }

    private struct Section {
        let conversation: GatewayConversation
        let messages: [GatewayMessage]
    }

    func execute(_ output: Output) async throws {
        let (sections, names) = try await Session.with(common.homeDirectory) { session in
            let unread = try await session.client.allConversations().filter { $0.unreadCount > 0 }
            var sections: [Section] = []
            for conversation in unread {
                let messages = try await messages(of: conversation, session.client)
                if !messages.isEmpty { sections.append(Section(conversation: conversation, messages: messages)) }
            }
            return (sections, try await session.names())
        }
        let list = MessageLines(names: names, style: output.style)
        var lines: [String] = []
        for section in sections {
            for message in section.messages { try output.object(message) }
            let name = names.shown(section.conversation)
            let rest = section.conversation.unreadCount - section.messages.count
            lines.append(
                "\(output.style.bold(name))  \(section.conversation.unreadCount) unread"
                    + (rest > 0 && since == nil ? ", the first \(section.messages.count):" : ""))
            lines += section.messages.flatMap { list.lines(of: $0) }
        }
        if lines.isEmpty { lines = ["nothing unread" + (since == nil ? "" : " since then")] }
        await Pager.show(lines, output)
    }

    private func messages(
        of conversation: GatewayConversation, _ client: GatewayClient
    ) async throws -> [GatewayMessage] {
        let id = conversation.peer?.id ?? conversation.id
        guard let since else { return try await client.unread(with: id, limit: limit) }
        var found: [GatewayMessage] = []
        var last: String?
        while found.count < limit {
            let page = try await client.unread(with: id, after: last, limit: Limits.historyPage)
            found += page.filter { $0.timestampMilliseconds >= PastTime.milliseconds(since) }
            guard page.count == Limits.historyPage, let id = page.last?.id else { break }
            last = id
        }
        return Array(found.prefix(limit))
    }
}
