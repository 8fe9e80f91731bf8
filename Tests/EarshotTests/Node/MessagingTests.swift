import Earshot
import Testing

@Suite("Two nodes")
struct MessagingTests {
    private let alice: TestUser
    private let bob: TestUser

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
    }

    @Test("discover each other once, and know each other by name and key")
    func discovery() async throws {
        try await TestUser.meet(alice, bob)
        let seen = try await alice.events.first("bob is discovered") { $0.discovered }
        #expect((seen.userID, seen.name.text, seen.trust) == (bob.userID, "bob", .unverified))
        try await bob.events.first("alice is discovered") { $0.discovered }
        #expect(try await alice.node.users.named("bob").userID == bob.userID)
        #expect(try await bob.node.users.named("alice").userID == alice.userID)
        #expect(await alice.events.events.count { $0.discovered != nil } == 1)
    }

    @Test("take a message from queued to sent to delivered to read, each told once and in order")
    func states() async throws {
        try await TestUser.meet(alice, bob)
        let message = try await alice.send("hello", to: bob)
        #expect(message.states == [bob.userID: .queued])
        try await alice.events.state(.delivered, of: message.messageID)
        #expect(try await alice.node.messages.message(message.messageID).states == [bob.userID: .delivered])

        try await bob.node.messages.markRead(message.messageID)
        try await alice.events.state(.read, of: message.messageID)
        #expect(try await alice.node.messages.message(message.messageID).states == [bob.userID: .read])
        #expect(
            await alice.events.names(about: message.messageID)
                == [.messageQueued, .messageSent, .messageDelivered, .messageRead])
        #expect(await bob.events.names(about: message.messageID) == [.messageReceived])
    }

    @Test("hand over a message with all that its sender wrote")
    func content() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.node.messages.send(
            MessageDraft("Zoë 👩‍👩‍👧\n\u{0}", headers: ["kind": "é", "empty": ""], timeToLive: .seconds(5)), to: bob.userID)
        let received = try await bob.events.first("the message") { $0.received }
        #expect(received.messageID == sent.messageID)
        #expect((received.text, received.headers) == (sent.text, sent.headers))
        #expect((received.timestamp, received.expiry) == (sent.timestamp, sent.expiry))
        #expect((received.senderID, received.recipientIDs) == (alice.userID, [bob.userID]))
        #expect(received.conversationID == sent.conversationID)
        #expect(try await bob.node.messages.message(sent.messageID) == received)
    }

    @Test("deliver many messages in the order in which they were sent, each once")
    func order() async throws {
        try await TestUser.meet(alice, bob)
        let texts = (0..<500).map { "message \($0)" }
        for part in stride(from: 0, to: 500, by: 50) {
            try await alice.node.messages.send(texts[part..<part + 50].map { MessageDraft($0) }, to: bob.userID)
        }
        let received = try await bob.events.wait(for: "500 messages") { events in
            let texts = events.compactMap { $0.received?.text }
            return texts.count >= 500 ? texts : nil
        }
        #expect(received == texts)
    }

    @Test("see the same history, with an answer after what it answers")
    func history() async throws {
        try await TestUser.meet(alice, bob)
        var ids: [MessageID] = []
        for turn in 0..<6 {
            let (sender, recipient) = turn.isMultiple(of: 2) ? (alice, bob) : (bob, alice)
            let message = try await sender.send("turn \(turn)", to: recipient)
            ids.append(message.messageID)
            try await sender.events.state(.delivered, of: message.messageID)
        }
        let (first, second) = try await (
            alice.conversation(with: bob).history(), bob.conversation(with: alice).history()
        )
        #expect(first.map(\.messageID) == ids)
        #expect(first == second)
        #expect(first.map(\.text) == (0..<6).map { "turn \($0)" })
        let page = try await alice.conversation(with: bob).history(.before(ids[3]), limit: 2)
        #expect(page.map(\.messageID) == Array(ids[1..<3]))
    }

    @Test("know what they have not read, what to read next, and when that is nothing")
    func unread() async throws {
        try await TestUser.meet(alice, bob)
        var ids: [MessageID] = []
        for text in ["one", "two", "three"] { ids.append(try await alice.send(text, to: bob).messageID) }
        try await alice.events.state(.delivered, of: ids[2])
        let conversation = bob.conversation(with: alice)
        #expect(try await conversation.unread().map(\.messageID) == ids)
        #expect(try await conversation.unread(after: ids[0], limit: 1).map(\.messageID) == [ids[1]])
        try await bob.node.messages.markRead(ids[0])
        #expect(try await conversation.nextUnread(after: ids[1])?.messageID == ids[2])
        #expect(try await conversation.nextUnread(after: ids[2])?.messageID == ids[1], "what is left comes before")
        let summary = try await bob.node.conversations.summary(of: conversation.conversationID)
        #expect(summary.unreadCount == 2 && summary.firstUnread?.messageID == ids[1])
        try await conversation.markAllRead()
        try await alice.events.state(.read, of: ids[2])
        #expect(try await conversation.nextUnread(after: ids[0]) == nil)
        #expect(try await alice.conversation(with: bob).unread().isEmpty)
        await expect(.invalidLimit) { try await conversation.unread(limit: 0) }
        let foreign = MessageID(log: try #require(LogID(bytes: alice.userID.bytes)), sequence: 1)
        await expect(.unknownMessage) { try await conversation.unread(after: foreign) }
    }

    @Test("accept several messages together or not at all")
    func atomicSend() async throws {
        try await TestUser.meet(alice, bob)
        await expect(.invalidMessage) {
            try await alice.node.messages.send([MessageDraft("fine"), MessageDraft("")], to: bob.userID)
        }
        #expect(try await alice.conversation(with: bob).history().isEmpty)
    }

    @Test("refuse what cannot be sent, each with its own error")
    func refusals() async throws {
        try await TestUser.meet(alice, bob)
        let stranger = try TestUser("stranger")
        let unknown = MessageID(log: try #require(LogID(bytes: stranger.userID.bytes)), sequence: .max)
        await expect(.unknownMessage) { try await alice.node.messages.cancel(unknown) }
        await expect(.unknownMessage) { try await alice.node.messages.markRead(unknown) }
        await expect(.unknownMessage) { try await alice.node.messages.message(unknown) }
        await expect(.unknownMessage) { try await alice.conversation(with: bob).history(.before(unknown)) }
        let message = try await alice.send("hello", to: bob)
        try await alice.node.messages.markRead(message.messageID)
        let beyond = MessageID(log: message.messageID.log, sequence: .max)
        await expect(.unknownMessage) { try await alice.node.messages.message(beyond) }
        await expect(.unknownMessage) { try await alice.node.messages.cancel(beyond) }
    }
}
