import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("A user who is blocked")
struct BlockTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    /// Alice, Bob and Mallory, who know each other.
    private func users() async throws -> (alice: Node, bob: Node, mallory: Node) {
        let nodes = (
            alice: try await network.node("alice"), bob: try await network.node("bob"),
            mallory: try await network.node("mallory")
        )
        await network.advance(by: .seconds(60))
        return nodes
    }

    private func found(_ words: String, by node: Node) async throws -> [String] {
        try await node.messages.search(SearchQuery(words)).map(\.text)
    }

    @Test("shows nothing in a group, whoever brings it, until somebody looks or they are unblocked")
    func group() async throws {
        let (alice, bob, mallory) = try await users()
        let group = try await alice.conversations.join(named: "ops")
        let bobs = try await bob.conversations.join(named: "ops")
        let mallorys = try await mallory.conversations.join(named: "ops")
        await network.advance(by: .seconds(60))
        let mine = try await group.send("mine")
        await network.advance(by: .seconds(1))
        try await alice.users.decide(.block, about: mallory.userID)
        try await alice.inbox.makeConsumer("bot")
        let place = try await alice.journal.latest()
        let events = alice.events.events(.messageReceived)

        let hidden = try await mallorys.send("hidden")
        try await mallory.messages.react("👎", to: mine.messageID)
        await network.advance(by: .seconds(60))
        try await bobs.send("shown")
        await network.advance(by: .seconds(60))

        #expect(try await bobs.history().map(\.text) == ["mine", "hidden", "shown"])
        #expect(try await group.history().map(\.text) == ["mine", "shown"])
        #expect(try await group.history(includingBlocked: true).map(\.text) == ["mine", "hidden", "shown"])
        #expect(try await group.history(.after(hidden.messageID)).map(\.text) == ["shown"], "the place is known")
        let summary = try await alice.conversations.summary(of: group.conversationID)
        #expect(summary.unreadCount == 1 && summary.firstUnread?.text == "shown")
        #expect(try await alice.messages.message(mine.messageID).reactions.isEmpty)
        #expect(try await bob.messages.message(mine.messageID).reactions.count == 1)
        #expect(try await alice.inbox.receive(consumer: "bot").messages.map(\.text) == ["shown"])
        #expect(try await found("hidden", by: alice).isEmpty)
        var told: [String] = []
        for try await message in events {
            told.append(message.text)
            if message.text == "shown" { break }
        }
        #expect(told == ["shown"])
        var noted: [String] = []
        for try await entry in alice.journal.events(after: place) {
            guard case .messageReceived(let message) = entry.event else { continue }
            noted.append(message.text)
            if message.text == "shown" { break }
        }
        #expect(noted == ["shown"])

        try await alice.messages.markRead(hidden.messageID)
        try await group.markAllRead()
        await network.advance(by: .seconds(60))
        #expect(try await mallory.messages.message(hidden.messageID).states[alice.userID] == .delivered)

        try await alice.users.decide(.unblock, about: mallory.userID)
        #expect(try await group.history().map(\.text) == ["mine", "hidden", "shown"])
        #expect(try await found("hidden", by: alice) == ["hidden"])
        #expect(try await alice.messages.message(mine.messageID).reactions.count == 1)
    }

    @Test("invites nobody who has blocked them, through whomever it comes, until they are unblocked")
    func invitation() async throws {
        let (alice, bob, mallory) = try await users()
        try await alice.users.decide(.block, about: mallory.userID)
        let plot = try await mallory.conversations.create(
            ConversationDraft(uniqueName: "plot", invited: [alice.userID, bob.userID]))
        await network.advance(by: .seconds(60))
        try await #require(await bob.conversations.invitations.first).join()
        await network.advance(by: .seconds(60))
        #expect(await alice.conversations.invitations.isEmpty)
        try await plot.send("hello")
        await network.advance(by: .seconds(60))
        try await alice.users.decide(.unblock, about: mallory.userID)
        await network.advance(by: .seconds(60))
        #expect(await alice.conversations.invitations.map(\.conversationID) == [plot.conversationID])
    }
}
