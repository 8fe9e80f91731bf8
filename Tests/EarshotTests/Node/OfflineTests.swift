import Earshot
import TestSupport
import Testing

@Suite("While a user is away")
struct OfflineTests {
    private let alice: TestUser
    private let bob: TestUser

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
    }

    /// Both have met, and Bob's node has stopped.
    /// - Returns: the port where Alice's node looks for it.
    private func meetAndPart() async throws -> UInt16 {
        try await TestUser.meet(alice, bob)
        let port = try await bob.stop()
        try await alice.waitForNoLink(to: bob)
        return port
    }

    @Test("messages wait, and are delivered in order when the user is back")
    func queue() async throws {
        let port = try await meetAndPart()
        var messages: [Message] = []
        for text in ["one", "two", "three"] { messages.append(try await alice.send(text, to: bob)) }
        #expect(try await alice.node.messages.message(messages[2].messageID).states == [bob.userID: .queued])
        #expect(await alice.node.status().undeliveredMessages == 3)

        try await bob.start(port: port)
        try await alice.events.state(.delivered, of: messages[2].messageID)
        #expect(try await bob.events.receivedTexts(3) == ["one", "two", "three"])
        for message in messages {
            #expect(
                await alice.events.names(about: message.messageID) == [.messageQueued, .messageSent, .messageDelivered])
        }
        #expect(await alice.node.status().undeliveredMessages == 0)
    }

    @Test("messages wait through a restart of their sender, too")
    func senderRestarts() async throws {
        let port = try await meetAndPart()
        let message = try await alice.send("hello", to: bob)
        try await alice.stop()
        try await bob.start(port: port)
        // Where Bob was is remembered: no peer is named.
        try await alice.start()
        try await alice.events.state(.delivered, of: message.messageID)
        #expect(try await bob.events.receivedTexts(1) == ["hello"])
    }

    @Test("states survive a restart of both")
    func restart() async throws {
        try await TestUser.meet(alice, bob)
        let read = try await alice.send("read", to: bob)
        try await alice.events.state(.delivered, of: read.messageID)
        try await bob.node.messages.markRead(read.messageID)
        try await alice.events.state(.read, of: read.messageID)
        let delivered = try await alice.send("delivered", to: bob)
        try await alice.events.state(.delivered, of: delivered.messageID)
        try await bob.stop()
        let queued = try await alice.send("queued", to: bob)
        let cancelled = try await alice.send("cancelled", to: bob)
        try await alice.node.messages.cancel(cancelled.messageID)
        let before = try await alice.conversation(with: bob).history()
        try await alice.stop()

        try await alice.start()
        let history = try await alice.conversation(with: bob).history()
        #expect(history == before)
        #expect(
            history.map(\.messageID)
                == [read.messageID, delivered.messageID, queued.messageID, cancelled.messageID])
        #expect(
            history.map { $0.states[bob.userID] } == [.read, .delivered, .queued, .failed(.cancelled)])
        #expect(try await alice.node.users.named("bob").userID == bob.userID)
    }

    @Test("a message can be taken back, and never arrives")
    func cancel() async throws {
        let port = try await meetAndPart()
        let first = try await alice.send("first", to: bob)
        let second = try await alice.send("second", to: bob)
        try await alice.node.messages.cancel(first.messageID)
        try await alice.events.state(.failed(.cancelled), of: first.messageID)

        try await bob.start(port: port)
        try await alice.events.state(.delivered, of: second.messageID)
        #expect(try await bob.events.receivedTexts(1) == ["second"])
        #expect(try await bob.conversation(with: alice).history().map(\.text) == ["second"])
        #expect(await alice.events.names(about: first.messageID) == [.messageQueued, .messageFailed])
        #expect(try await alice.node.messages.message(first.messageID).states == [bob.userID: .failed(.cancelled)])
        await expect(.alreadySent) { try await alice.node.messages.cancel(first.messageID) }
    }

    @Test("a message that was taken back stays so when later ones are read, also after a restart")
    func cancelledIsNeverRead() async throws {
        let port = try await meetAndPart()
        let first = try await alice.send("first", to: bob)
        let second = try await alice.send("second", to: bob)
        try await alice.node.messages.cancel(first.messageID)
        try await bob.start(port: port)
        try await alice.events.state(.delivered, of: second.messageID)
        try await alice.stop()
        try await alice.start()
        try await bob.node.messages.markRead(second.messageID)
        try await alice.events.state(.read, of: second.messageID)
        #expect(await alice.events.names(about: first.messageID) == [])
    }

    @Test("a message that was sent cannot be taken back")
    func cancelAfterSent() async throws {
        try await TestUser.meet(alice, bob)
        let message = try await alice.send("hello", to: bob)
        try await alice.events.state(.delivered, of: message.messageID)
        await expect(.alreadySent) { try await alice.node.messages.cancel(message.messageID) }
    }

    @Test("a message fails when its time to live is over, and is not delivered after that")
    func expiry() async throws {
        let port = try await meetAndPart()
        let brief = try await alice.node.messages.send(
            MessageDraft("brief", timeToLive: .milliseconds(20)), to: bob.userID)
        let lasting = try await alice.send("lasting", to: bob)
        try await alice.events.state(.failed(.expired), of: brief.messageID)
        try await bob.start(port: port)
        try await alice.events.state(.delivered, of: lasting.messageID)
        #expect(try await bob.events.receivedTexts(1) == ["lasting"])
        #expect(await alice.events.names(about: brief.messageID) == [.messageQueued, .messageFailed])
    }

    @Test("a message's time to live goes on while its sender's node is stopped")
    func expiryWhileStopped() async throws {
        _ = try await meetAndPart()
        let brief = try await alice.node.messages.send(
            MessageDraft("brief", timeToLive: .milliseconds(1)), to: bob.userID)
        try await alice.stop()
        try await alice.start()
        let node = alice.node
        try await alice.events.until("the message has failed") { [bob] in
            try await node.messages.message(brief.messageID).states == [bob.userID: .failed(.expired)]
        }
    }
}
