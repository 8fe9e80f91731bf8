import ArgumentParser
import Earshot
import EarshotModel
import Foundation

/// A long history of one conversation, with words that are rare and words that are not.
struct LongHistory {
    static let conversation = "log"
    /// In one message of all.
    static let rarest = "chrysanthemum"

    let count: Int

    /// Lets a node write it.
    func write(by node: Node) async throws -> Conversation {
        let log = try await node.conversations.join(named: Self.conversation)
        for first in stride(from: 0, to: count, by: Limits.messagesPerSend) {
            let drafts = (first..<min(first + Limits.messagesPerSend, count)).map { MessageDraft(text($0)) }
            try await node.messages.send(drafts, to: log)
        }
        return log
    }

    /// Makes the index of the search follow it.
    func index(by node: Node) async throws { _ = try await node.messages.search(SearchQuery(Self.rarest)) }

    private func text(_ number: Int) -> String {
        var words = (0..<8).map { "word\((number &* 31 &+ $0 &* 7919) % 20_000)" }
        if number % 100 == 7 { words.append("lighthouse") }
        if number % 10 == 3 { words.append("harbour") }
        if number % 7 == 2 { words.append("winter") }
        if number == count / 3 { words.append(Self.rarest) }
        return "message \(number) " + words.joined(separator: " ")
    }
}

/// Makes a home with a long history, for a script that measures what else reads it.
struct LongHistoryWriter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Make a home of alice with a long history.", shouldDisplay: false)

    @Option(help: "Where the home is made.") var folder: String
    @Option(help: "Messages of the history.") var messages: Int

    func run() async throws {
        let alice = try await GroupNode.start("alice", in: URL(fileURLWithPath: folder))
        let history = LongHistory(count: messages)
        _ = try await history.write(by: alice.node)
        try await history.index(by: alice.node)
        try await alice.stop()
    }
}
