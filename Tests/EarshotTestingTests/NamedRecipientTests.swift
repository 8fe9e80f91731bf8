import Earshot
import EarshotTesting
import Testing

@Suite("A name that a message is sent to", .timeLimit(.ofHungTest))
struct NamedRecipientTests {
    @Test("means a user, a key that was never met, oneself, or a conversation of many")
    func recipients() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let crew = try await alice.conversations.join(named: "crew")
        let stranger = UserID.make("stranger")
        let conversations: [(String, Conversation)] = [
            ("bob", alice.conversations.direct(with: bob.userID)), ("me", alice.conversations.own),
            ("alice", alice.conversations.own), ("#crew", crew), (crew.id.description, crew),
            (stranger.description, alice.conversations.direct(with: stranger)),
        ]
        for (name, conversation) in conversations {
            #expect(try await alice.conversations.recipient(named: name) == conversation, "\(name)")
            let message = try await alice.messages.send("to \(name)", toNamed: name)
            #expect(message.conversationID == conversation.id && message.isOwn, "\(name)")
        }
        let error = await #expect(throws: EarshotError.self) { try await alice.messages.send("hi", toNamed: "carol") }
        #expect(error?.code == .unknownUser)
        await network.stop()
    }

    @Test("is sent to once with one key, even if the name means nobody any more")
    func idempotencyKey() async throws {
        let network = try TestNetwork()
        let (alice, _) = (try await network.node("alice"), try await network.node("bob"))
        let first = try await alice.messages.send("hi", toNamed: "bob", idempotencyKey: "1")
        let second = try await alice.messages.send("hi", toNamed: "bob", idempotencyKey: "1")
        #expect(first.id == second.id)
        await network.stop()
    }
}

@Suite("This node's own user", .timeLimit(.ofHungTest))
struct OwnUserTests {
    @Test("is named by me, the own key and the own name", arguments: ["me", "alice", nil])
    func named(text: String?) async throws {
        let network = try TestNetwork()
        let alice = try await network.node("alice")
        let user = try await alice.users.named(text ?? alice.userID.description)
        #expect(user.userID == alice.userID && user.name == alice.name && user.trust == .verified && user.isOnline)
        #expect(await alice.users.user(alice.userID)?.name == alice.name)
        #expect(await alice.users.all.isEmpty)
        await network.stop()
    }

    @Test("is known as the author of a message, wherever the message comes from")
    func isOwn() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let received = bob.events.events(.messageReceived)
        let queued = alice.events.events(.messageQueued)
        let sent = try await alice.messages.send("hi", to: bob.userID, idempotencyKey: "1")
        let again = try await alice.messages.send("hi", to: bob.userID, idempotencyKey: "1")
        #expect(sent.isOwn && again.isOwn)
        #expect(try await queued.first { _ in true }?.isOwn == true)
        let message = try #require(try await received.first { _ in true })
        #expect(!message.isOwn)
        #expect(await bob.users.user(message.senderID)?.name == alice.name)
        for (node, isOwn) in [(alice, true), (bob, false)] {
            let other = node === alice ? bob : alice
            let conversation = node.conversations.direct(with: other.userID)
            #expect(try await conversation.history().map(\.isOwn) == [isOwn])
            #expect(try await node.messages.message(message.id).isOwn == isOwn)
            #expect(try await node.conversations.list().first?.lastMessage?.isOwn == isOwn)
            #expect(try await node.messages.search(SearchQuery("hi")).map(\.isOwn) == [isOwn])
        }
        #expect(try await bob.conversations.direct(with: alice.userID).unread().map(\.isOwn) == [false])
        try await bob.inbox.makeConsumer("bot", from: .beginning)
        #expect(try await bob.inbox.receive(consumer: "bot").messages.map(\.isOwn) == [false])
        let events = try await alice.journal.events().prefix(4).reduce(into: []) { $0.append($1.event) }
        for case .messageQueued(let message) in events { #expect(message.isOwn) }
        await network.stop()
    }
}

@Suite("A conversation", .timeLimit(.ofHungTest))
struct ConversationIdentityTests {
    @Test("is equal to itself, and not to the same one as another node has it")
    func hashable() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let conversation = alice.conversations.direct(with: bob.userID)
        let same: Set = [conversation, try await alice.conversations.named("bob")]
        #expect(same.count == 1)
        #expect(conversation != alice.conversations.own)
        #expect(conversation != bob.conversations.direct(with: alice.userID))
        await network.stop()
    }
}
