import Earshot
import EarshotTesting
import Testing

@Suite("A message to several recipients", .timeLimit(.ofHungTest))
struct SeveralRecipientsTests {
    private let network: TestNetwork
    private let alice: Node
    private let bob: Node
    private let carol: Node

    init() async throws {
        network = try TestNetwork()
        alice = try await network.node("alice")
        bob = try await network.node("bob")
        carol = try await network.node("carol")
    }

    private func texts(with user: Node) async throws -> [String] {
        try await alice.conversations.direct(with: user.userID).history(limit: 10).map(\.text)
    }

    @Test("goes to each in their own conversation, once to somebody who is named twice, with results in their order")
    func each() async throws {
        let received = (bob.events.events(.messageReceived), carol.events.events(.messageReceived))
        let results = try await alice.messages.send("hi all", to: [carol.userID, bob.userID, carol.userID])
        #expect(results.map(\.recipientID) == [carol.userID, bob.userID, carol.userID])
        let messages = try results.map { try $0.result.get() }
        #expect(messages.map(\.recipientIDs) == results.map { [$0.recipientID] })
        #expect(messages[0].messageID == messages[2].messageID && messages[0].messageID != messages[1].messageID)
        #expect(try await received.0.first { _ in true }?.messageID == messages[1].messageID)
        #expect(try await received.1.first { _ in true }?.messageID == messages[0].messageID)
        #expect(try await texts(with: carol) == ["hi all"])
    }

    @Test("reaches the others where one recipient is refused, and with the same key only that one when it is repeated")
    func partly() async throws {
        try await alice.users.decide(.block, about: bob.userID)
        let both = [bob.userID, carol.userID]
        let first = try await alice.messages.send("hi both", to: both, idempotencyKey: "k")
        let refusal = #expect(throws: EarshotError.self) { try first[0].result.get() }
        #expect(refusal?.code == .blocked && refusal?.parameters.userID == bob.userID)
        try await alice.users.decide(.unblock, about: bob.userID)
        let second = try await alice.messages.send("hi both", to: both, idempotencyKey: "k")
        #expect(try second[1].result.get().messageID == first[1].result.get().messageID)
        #expect(try await texts(with: bob) == ["hi both"])
        #expect(try await texts(with: carol) == ["hi both"])
        let third = try await alice.messages.send("else", to: both, idempotencyKey: "k")
        for result in third {
            let error = #expect(throws: EarshotError.self) { try result.result.get() }
            #expect(error?.code == .keyReused)
        }
    }

    @Test("keeps its key apart from that of a message to one of the recipients")
    func ownKeys() async throws {
        try await alice.messages.send("hi both", to: [bob.userID, carol.userID], idempotencyKey: "k")
        try await alice.messages.send("hi bob", to: bob.userID, idempotencyKey: "k")
        #expect(try await texts(with: bob) == ["hi both", "hi bob"])
    }

    @Test("is refused as a whole with no recipient, or with more than the limit", arguments: [0, 65])
    func limits(count: Int) async throws {
        let recipients = Array(repeating: bob.userID, count: count)
        let error = await #expect(throws: EarshotError.self) { try await alice.messages.send("hi", to: recipients) }
        #expect(error?.code == .invalidMessage)
        #expect(try await texts(with: bob).isEmpty)
    }
}
