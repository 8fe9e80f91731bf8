import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("An open conversation")
struct OpenConversationTests {
    /// Three users who have joined, and know that all of them have.
    private func three(_ network: TestNetwork) async throws -> [(node: Node, conversation: Conversation)] {
        var members: [(node: Node, conversation: Conversation)] = []
        for name in ["alice", "bob", "carol"] {
            members.append((try await network.node(name), try await network.ops(name)))
        }
        await network.advance(by: .seconds(60))
        for (_, conversation) in members { #expect(try await conversation.participants().count == 3) }
        return members
    }

    @Test("is the same one for all who join it by its name, whoever is first, and with or without the sign")
    func names() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let first = try await alice.conversations.join(named: "ops")
        let second = try await bob.conversations.join(named: "#ops")
        #expect(first.conversationID == second.conversationID && first.kind == .open && first.uniqueName == "ops")
        #expect(first.peerID == nil && first.isNameShared)
        #expect(try await alice.conversations.named("#ops").conversationID == first.conversationID)
        #expect(try await alice.conversations.named(first.conversationID.description).uniqueName == "ops")
        _ = try await alice.conversations.join(named: "ops")
        #expect(try await first.participants().filter { $0.userID == alice.userID }.map(\.status) == [.joined])
        for name in ["", "a/b", "a#b", "#", " ops"] {
            await #expect(throws: EarshotError.self) { try await alice.conversations.join(named: name) }
        }
    }

    @Test("gives each message to all, with a state for each of them, and a history that is equal everywhere")
    func messages() async throws {
        let network = try TestNetwork()
        let members = try await three(network)
        let (alice, bob, carol) = (members[0], members[1], members[2])
        let received = carol.node.events.events(.messageReceived)
        let sent = try await alice.node.messages.send("hello", to: alice.conversation)
        #expect(sent.recipientIDs == [bob.node.userID, carol.node.userID].sorted())
        let message = try #require(try await received.first { _ in true })
        #expect(message.messageID == sent.messageID && message.conversationID == alice.conversation.conversationID)
        await network.advance(by: .seconds(1))
        var known = try await alice.node.messages.message(sent.messageID)
        #expect(known.deliveryCounts.delivered == 2 && known.deliveryCounts.read == 0)
        try await bob.conversation.markAllRead()
        await network.advance(by: .seconds(1))
        known = try await alice.node.messages.message(sent.messageID)
        #expect(known.states == [bob.node.userID: .read, carol.node.userID: .delivered])
        #expect(known.times(for: bob.node.userID).read != nil && known.deliveryCounts.read == 1)
        try await bob.conversation.send("hi")
        await network.advance(by: .seconds(1))
        let texts = try await members.asyncMap { try await $0.conversation.history().map(\.text) }
        #expect(texts == Array(repeating: ["hello", "hi"], count: 3))
        let summary = try await carol.node.conversations.summary(of: carol.conversation.conversationID)
        #expect(summary.unreadCount == 2 && summary.firstUnread?.text == "hello" && summary.status == .joined)
        #expect(try await carol.node.conversations.list().map(\.id) == [carol.conversation.conversationID])
    }

    @Test("has replies, edits, reactions and what is taken back, as a direct one has")
    func changes() async throws {
        let network = try TestNetwork()
        let members = try await three(network)
        let (alice, bob, carol) = (members[0], members[1], members[2])
        let sent = try await alice.conversation.send("lunch at 12?")
        await network.advance(by: .seconds(1))
        let reply = try await bob.node.messages.reply("yes", to: sent.messageID)
        try await carol.node.messages.react("👍", to: sent.messageID)
        try await alice.node.messages.edit(sent.messageID, "lunch at 1?")
        await network.advance(by: .seconds(1))
        for (_, conversation) in members {
            let history = try await conversation.history()
            #expect(history.map(\.text) == ["lunch at 1?", "yes"])
            #expect(history[1].replyTo == sent.messageID)
            #expect(history[0].reactions.map(\.userIDs) == [[carol.node.userID]])
        }
        try await bob.node.messages.retract(reply.messageID)
        await network.advance(by: .seconds(1))
        #expect(try await carol.node.messages.message(reply.messageID).isRetracted)
    }

    @Test("tells who types to those who are in")
    func typing() async throws {
        let network = try TestNetwork()
        let members = try await three(network)
        let typing = members[1].node.events.events(.typingStarted)
        try await members[0].conversation.setTyping()
        let started = try await typing.first { _ in true }
        #expect(started?.userID == members[0].node.userID)
        #expect(started?.conversationID == members[0].conversation.conversationID)
    }

    @Test("tells who joins and who leaves, on the bus and in the journal")
    func events() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let start = try await alice.journal.latest()
        let own = alice.events.events(.conversationUpdated)
        let others = alice.events.events(.participantUpdated)
        let advertised = bob.events.events(.conversationAdvertised)
        let conversation = try await alice.conversations.join(named: "ops")
        let update = try #require(try await own.first { _ in true })
        #expect(update.uniqueName == "ops" && update.status == .joined && update.changes == [.status])
        #expect(try await advertised.first { _ in true }?.uniqueName == "ops")
        #expect(await bob.conversations.advertised.map(\.userIDs) == [[alice.userID]])
        let bobs = try await bob.conversations.join(named: "ops", isAdvertised: false)
        #expect(await bob.conversations.advertised.isEmpty)
        #expect(try await others.first { _ in true }?.participant.status == .joined)
        try await bobs.leave()
        let left = try #require(try await others.first { _ in true })
        #expect(left.participant.userID == bob.userID && left.participant.status == .left)
        #expect(left.conversationID == conversation.conversationID && left.participant.sinceDate != nil)
        guard case .events(let journal, _) = try await alice.journal.page(after: start) else {
            Issue.record("the journal has no beginning")
            return
        }
        let names = journal.map(\.event.name).filter { [.conversationUpdated, .participantUpdated].contains($0) }
        #expect(names == [.conversationUpdated, .participantUpdated, .participantUpdated])
        #expect(journal.last?.event == .participantUpdated(left))
        #expect(try await conversation.participants().map(\.userID) == [alice.userID])
        #expect(try await conversation.participants(includingFormer: true).count == 2)
    }

    @Test("that was left can be read, and takes nothing before it is joined again")
    func leaving() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let conversation = try await alice.conversations.join(named: "ops")
        let bobs = try await bob.conversations.join(named: "ops")
        await network.advance(by: .seconds(60))
        let due = network.now.addingTimeInterval(60)
        try await alice.messages.schedule(MessageDraft("later"), to: conversation, notBefore: due)
        try await conversation.send("hello")
        try await conversation.leave()
        #expect(await conversation.status == .left)
        await #expect(throws: EarshotError.self, "notJoined") { try await conversation.send("more") }
        await #expect(throws: EarshotError.self, "notJoined") { try await conversation.leave() }
        await network.advance(by: .seconds(120))
        #expect(await alice.messages.scheduled().map(\.destination) == [.conversation(conversation.conversationID)])
        #expect(try await conversation.history().map(\.text) == ["hello"])
        #expect(try await bobs.history().map(\.text) == ["hello"])
        try await alice.conversations.join(named: "ops")
        await network.advance(by: .seconds(60))
        #expect(try await bobs.history().map(\.text) == ["hello", "later"])
        #expect(await alice.messages.scheduled().isEmpty)
    }

    @Test("that nobody here knows is not found, and similar names are")
    func unknown() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        try await alice.conversations.join(named: "ops")
        await network.advance(by: .seconds(60))
        let unknown = await #expect(throws: EarshotError.self) { try await alice.conversations.named("#opz") }
        #expect(unknown?.code == .unknownConversation && unknown?.parameters.suggestions == ["#ops"])
        let advertised = await #expect(throws: EarshotError.self) { try await bob.conversations.named("#ops") }
        #expect(advertised?.code == .notJoined && advertised?.parameters.name == "ops")
    }

    @Test("is answered by a bot in its place, once for all who ask, and no bot answers another")
    func bots() async throws {
        let network = try TestNetwork()
        let members = try await three(network)
        let (alice, bob, carol) = (members[0], members[1], members[2])
        let bots = [bob, carol].map { member in
            Bot("echo", on: member.node).otherwise { message in try await message.reply("you said \(message.text)") }
        }
        for bot in bots { try await bot.prepare() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for bot in bots { group.addTask { try await bot.run() } }
            let received = alice.node.events.events(.messageReceived)
            try await alice.conversation.send("hello")
            var answers = received.makeAsyncIterator()
            for _ in bots {
                let answer = try #require(try await answers.next())
                #expect(answer.text == "you said hello" && answer.conversationID == alice.conversation.conversationID)
            }
            await network.advance(by: .seconds(60))
            #expect(try await alice.conversation.history().count == 3)
            await network.stop()
            try await group.waitForAll()
        }
    }

    @Test("hands a consumer that had found nothing the message whose content came later")
    func lateContent() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let (conversation, _) = (try await network.ops("alice"), try await network.ops("bob"))
        await network.advance(by: .seconds(60))
        let sent = try await conversation.send("late words")
        await network.advance(by: .seconds(1))
        _ = try await bob.messages.erase([sent.messageID])
        let carol = try await network.node("carol")
        try network.cut(alice, carol)
        try await carol.inbox.makeConsumer("bot", from: .beginning)
        let joined = try await network.ops("carol")
        await network.advance(by: .seconds(60))
        #expect(try await joined.participants().count == 3)
        #expect(try await carol.inbox.receive(consumer: "bot").messages == [])
        try network.mend(alice, carol)
        await network.advance(by: .seconds(60))
        #expect(try await joined.history().map(\.text) == ["late words"])
        #expect(try await carol.inbox.receive(consumer: "bot").messages.map(\.text) == ["late words"])
    }

    @Test("is where an inbox's answers go, and a message with a key is sent once")
    func inbox() async throws {
        let network = try TestNetwork()
        let members = try await three(network)
        let (alice, bob) = (members[0], members[1])
        try await bob.node.inbox.makeConsumer("bot")
        try await alice.conversation.send("hello")
        await network.advance(by: .seconds(1))
        let batch = try await bob.node.inbox.receive(consumer: "bot")
        #expect(batch.messages.map(\.text) == ["hello"])
        let reply = InboxReply(to: bob.conversation, MessageDraft("done"), answering: batch.messages[0].messageID)
        for _ in 0..<2 {
            let sent = try await bob.node.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: [reply])
            #expect(sent.map(\.conversationID) == [bob.conversation.conversationID])
        }
        let keyed = try await [1, 2].asyncMap { _ in
            try await bob.node.messages.send("once", to: bob.conversation, idempotencyKey: "k").messageID
        }
        #expect(Set(keyed).count == 1)
        await network.advance(by: .seconds(1))
        #expect(try await alice.conversation.history().map(\.text) == ["hello", "done", "once"])
    }
}

extension TestNetwork {
    /// The conversation that a user has joined.
    fileprivate func ops(_ name: String) async throws -> Conversation {
        try await node(name).conversations.join(named: "ops")
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
