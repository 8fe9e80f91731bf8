import Earshot
import EarshotTesting
import Testing

@Suite("A walk through a history in which messages were written early and came late", .timeLimit(.ofHungTest))
struct HistoryWalkTests {
    private let network: TestNetwork
    private let alice: Node
    private let bob: Node
    private let conversation: Conversation
    /// As they were written, and as they reached bob.
    private let written = ["a1", "a2", "b1", "b2"]
    private let arrived = ["b1", "b2", "a1", "a2"]

    init() async throws {
        network = try TestNetwork()
        alice = try await network.node("alice")
        bob = try await network.node("bob")
        conversation = bob.conversations.direct(with: alice.userID)
        try network.cut(alice, bob)
        await network.advance(by: .seconds(60))
        for text in ["a1", "a2"] { try await alice.messages.send(text, to: bob.userID) }
        await network.advance(by: .seconds(1))
        for text in ["b1", "b2"] { try await bob.messages.send(text, to: alice.userID) }
        let received = bob.events.events(.messageReceived)
        try network.mend(alice, bob)
        let advancing = Task { [network] in while !Task.isCancelled { await network.advance(by: .seconds(1)) } }
        _ = try await received.first { $0.text == "a2" }
        advancing.cancel()
        await advancing.value
    }

    @Test("by the defaults of its pages gives each once, in one order both ways")
    func pages() async throws {
        var forward: [String] = []
        var page = try await conversation.history(.first, limit: 1)
        while let last = page.last {
            forward.append(last.text)
            page = try await conversation.history(.after(last.messageID), limit: 1)
        }
        #expect(forward == written)
        var backward: [String] = []
        page = try await conversation.history(limit: 1)
        while let first = page.first {
            backward.insert(first.text, at: 0)
            page = try await conversation.history(.before(first.messageID), limit: 1)
        }
        #expect(backward == written)
    }

    @Test("as a sequence gives each once, in the order that was asked for")
    func sequence() async throws {
        let byTime = try await conversation.messages().reduce(into: []) { $0.append($1.text) }
        #expect(byTime == written)
        let byArrival = try await conversation.messages(.arrival).reduce(into: []) { $0.append($1.text) }
        #expect(byArrival == arrived)
    }

    @Test("as a feed gives what is there, and then what comes, each once")
    func feed() async throws {
        let feeding = Task { [conversation] in
            try await conversation.feed().prefix(6).reduce(into: []) { $0.append($1.text) }
        }
        try await alice.messages.send("a3", to: bob.userID)
        let received = alice.events.events(.messageReceived)
        try await bob.messages.send("b3", to: alice.userID)
        _ = try await received.first { $0.text == "b3" }
        let texts = try await feeding.value
        #expect(texts.prefix(4) == arrived[...] && Set(texts.suffix(2)) == ["a3", "b3"])
    }

    @Test("as a feed after the last that was shown repeats none, and ends with the node")
    func newSince() async throws {
        let shown = try await conversation.history(.first, order: .arrival, limit: 3)
        let last = try #require(shown.last)
        #expect(last.text == "a1")
        let feeding = Task { [conversation] in
            try await conversation.feed(after: last.messageID).reduce(into: []) { $0.append($1.text) }
        }
        try await bob.messages.send("b3", to: alice.userID)
        await bob.stop()
        #expect(try await feeding.value == ["a2", "b3"])
    }
}
