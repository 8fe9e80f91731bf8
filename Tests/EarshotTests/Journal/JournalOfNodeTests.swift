import Earshot
import TestSupport
import Testing

@Suite("The journal of a node")
struct JournalOfNodeTests {
    private let alice: TestUser
    private let bob: TestUser

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
    }

    /// What follows a place, as far as it is written now; if nothing is written at all, the first event that comes.
    private func events(of user: TestUser, after id: EventID?) async throws -> [JournalEvent] {
        let end = try await user.node.journal.latest()
        guard end != id else { return [] }
        var events: [JournalEvent] = []
        let journal = user.node.journal
        for try await entry in id.map(journal.events(after:)) ?? journal.events() {
            events.append(entry)
            if !end.follows(entry.id) { break }
        }
        return events
    }

    @Test("gives a program that was away what it missed, once and in order, also from before the node was stopped")
    func missed() async throws {
        try await TestUser.meet(alice, bob)
        let start = try await alice.node.journal.latest()
        let sent = try await alice.send("hello", to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        try await bob.node.messages.markRead(sent.messageID)
        try await alice.events.state(.read, of: sent.messageID)
        let posted = await alice.events.events.filter { $0.isAboutMessage }
        try await alice.stop()

        try await alice.start(peers: [bob.address])
        let missed = try await events(of: alice, after: start).filter(\.event.isAboutMessage)
        #expect(missed.map(\.event.name) == [.messageQueued, .messageSent, .messageDelivered, .messageRead])
        // The message is as it was then.
        #expect(missed.map(\.event) == posted)
        let last = try await events(of: alice, after: missed[2].id).first { $0.event.isAboutMessage }
        #expect(last == missed[3])
        // All that is left goes back to the first user that was met.
        #expect(try await events(of: alice, after: nil).first?.event.name == .userDiscovered)
    }

    @Test("goes on with what happens, and ends when the node has stopped")
    func following() async throws {
        try await TestUser.meet(alice, bob)
        let entries = bob.node.journal.events(after: try await bob.node.journal.latest())
        let texts = Task {
            var texts: [String] = []
            for try await entry in entries { if let text = entry.event.received?.text { texts.append(text) } }
            return texts
        }
        for text in ["one", "two"] {
            let message = try await alice.send(text, to: bob)
            try await alice.events.state(.delivered, of: message.messageID)
        }
        try await bob.stop()
        #expect(try await texts.value == ["one", "two"])
    }

    @Test("ends for a task that is cancelled")
    func cancelled() async throws {
        try await alice.start()
        let entries = alice.node.journal.events()
        let (stream, begun) = AsyncStream<Void>.makeStream()
        let task = Task {
            begun.yield()
            for try await _ in entries {}
        }
        for await _ in stream { break }
        task.cancel()
        try await withDeadline("the task ends") { try await task.value }
    }

    @Test("is about the node's own home: an id of another home's is gone, and the error names what is left")
    func foreign() async throws {
        try await TestUser.meet(alice, bob)
        let id = try await alice.node.journal.latest()
        let left = try #require(try await events(of: bob, after: nil).first)
        do {
            for try await _ in bob.node.journal.events(after: id) { break }
            Issue.record("an id of another journal names nothing here")
        } catch let error as EarshotError {
            #expect(error.code == .gone && error.parameters.eventID == left.id)
        }
    }

    @Test("says when messages reached their states")
    func times() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send("hello", to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        var times = try await alice.node.messages.message(sent.messageID).times(for: bob.userID)
        let (sentAt, deliveredAt) = (try #require(times.sentAt), try #require(times.deliveredAt))
        #expect(sentAt <= deliveredAt && times.readAt == nil)
        let received = try await bob.node.messages.message(sent.messageID).times(for: bob.userID)
        #expect(received.deliveredAt != nil && received.sentAt == nil)

        try await bob.node.messages.markRead(sent.messageID)
        try await alice.events.state(.read, of: sent.messageID)
        times = try await alice.node.messages.message(sent.messageID).times(for: bob.userID)
        #expect(times.sentAt == sentAt && times.deliveredAt == deliveredAt)
        #expect(try #require(times.readAt) >= deliveredAt)
    }
}

extension Event {
    fileprivate var isAboutMessage: Bool {
        switch self {
        case .messageQueued, .messageReceived, .messageSent, .messageDelivered, .messageHandled, .messageRead,
            .messageFailed:
            true
        default: false
        }
    }
}
