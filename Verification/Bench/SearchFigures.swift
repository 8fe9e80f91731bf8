import ArgumentParser
import Earshot
import EarshotModel
import Foundation

/// How long a search takes in a long history, with a real store.
struct SearchFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "How long a search takes in a long history.")

    @Option(help: "Messages of the history.") var messages = 1_000_000
    @Option(help: "How often each search is made.") var rounds = 200
    @Flag(help: "Print one object as the last line but one.") var json = false

    private static let page = 20
    private static let limitMilliseconds = 20.0

    func validate() throws {
        guard messages >= 1000, rounds > 0 else {
            throw ValidationError("--messages takes 1000 or more, and --rounds 1 or more.")
        }
    }

    func run() async throws {
        let folder = try Crowd.folder()
        defer { removeQuietly(folder) }
        let alice = try await GroupNode.start("alice", in: folder)
        let history = LongHistory(count: messages)
        let log = try await history.write(by: alice.node)
        let filling = try await ContinuousClock().measure { try await history.index(by: alice.node) }
        print("\(messages) messages, of which the index had followed none to all: \(filling)")
        var figures: [Figure] = []
        for (what, query, count) in searches(in: log.conversationID) {
            figures.append(try await measure(what, query, of: alice.node, expecting: count))
        }
        figures.append(try await measurePage(of: log))
        try await alice.stop()
        try Figure.report(figures, json: json)
    }

    private func searches(in conversationID: ConversationID) -> [(what: String, query: SearchQuery, count: Int)] {
        let early = SearchQuery("lighthouse", until: Date(timeIntervalSince1970: 0))
        return [
            ("a word in 1 % of the messages", SearchQuery("lighthouse"), Self.page),
            ("a word in one message", SearchQuery(LongHistory.rarest), 1),
            ("two words, each in a tenth of the messages", SearchQuery("harbour winter"), Self.page),
            ("a word in every message", SearchQuery("message"), Self.page),
            ("a word in 1 %, in one conversation", SearchQuery("lighthouse", in: conversationID), Self.page),
            ("a beginning of words", SearchQuery("light*"), Self.page),
            ("a word in 1 %, before the first message", early, 0),
            ("a word in no message", SearchQuery("nowhere"), 0),
        ]
    }

    private func measure(
        _ what: String, _ query: SearchQuery, of node: Node, expecting count: Int
    ) async throws -> Figure {
        try await figure("\(what): milliseconds, p50 of \(rounds)") {
            let found = try await node.messages.search(query, limit: Self.page).count
            guard found == count else { throw Crowd.Failure(description: "\(what): \(found) found, and not \(count)") }
        }
    }

    private func measurePage(of conversation: Conversation) async throws -> Figure {
        try await figure("the last 50 messages: milliseconds, p50 of \(rounds)") {
            guard try await conversation.history(limit: 50).count == 50 else {
                throw Crowd.Failure(description: "the last page is short")
            }
        }
    }

    private func figure(_ what: String, _ body: () async throws -> Void) async throws -> Figure {
        var times: [Double] = []
        for _ in 0..<rounds {
            let time = try await ContinuousClock().measure { try await body() }
            times.append(time / .milliseconds(1))
        }
        let spread = Spread(times)
        return Figure(
            what, spread.median, atMost: Self.limitMilliseconds, detail: String(format: "at most %.2f", spread.maximum))
    }
}
