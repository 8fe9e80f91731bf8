import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

struct Search: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find messages by their words, in all conversations.",
        discussion: """
            Finds messages that hold all of the words, in any order; case and accents do not matter. "see you" in quotes \
            stands together, and a star ends the beginning of a word. What arrived last is shown last.

            EXAMPLES:
              earshot search lunch friday
              earshot search '"see you"' --in bob
              earshot search 'depl*' --from carol --since 2d
              earshot search invoice --json | jq -r .text
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The words.")
    var words: [String]

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("Only in the conversation with this user, or in '#ops'.", valueName: "name"),
        completion: UserArgument.completion)
    var place: String?

    @Option(
        help: ArgumentHelp("Only what this user wrote; me for your own.", valueName: "name"),
        completion: UserArgument.completion)
    var from: String?

    @Option(
        help: ArgumentHelp(
            "Only what was written at this time or later: \(PastTime.forms)", valueName: PastTime.valueName),
        transform: PastTime.read)
    var since: Date?

    @Option(
        help: ArgumentHelp("Only what was written before this time.", valueName: PastTime.valueName),
        transform: PastTime.read)
    var until: Date?

    @Option(help: "How many messages, 1 to \(Limits.historyPage).")
    var limit = GatewayLimits.defaultPage

    @Option(help: ArgumentHelp("Only what arrived before this message.", valueName: "id"))
    var before: String?

    func validate() throws {
        guard (1...Limits.historyPage).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to \(Limits.historyPage).")
        }
        if let before { try MessageArgument.check(before) }
    }

    func execute(_ output: Output) async throws {
        let (found, names, places) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            let lookup = UserLookup(session: session)
            var conversation: String?
            if let place { conversation = try await lookup.conversation(place, names).id }
            let found = try await session.client.search(
                words.joined(separator: " "), in: conversation, from: from, since: since, until: until, before: before,
                limit: limit)
            let places = try await session.client.allConversations().map { ($0.id, $0) }
            return (found, names, Dictionary(places, uniquingKeysWith: { $1 }))
        }
        guard !found.isEmpty else { return output.line("no message holds these words") }
        for message in found { try output.object(message) }
        let list = MessageLines(names: names, style: output.style)
        var lines = found.reversed().flatMap { list.lines(of: $0, in: places[$0.conversationID]) }
        if found.count == limit, let last = found.last {
            lines.insert(
                output.style.dim("there may be earlier ones: --before \(ShortMessageID.shown(last.id))"), at: 0)
        }
        await Pager.show(lines, output)
    }
}
