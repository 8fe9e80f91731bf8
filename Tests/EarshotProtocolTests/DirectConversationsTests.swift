import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The direct conversation that an id stands for")
struct DirectConversationsTests {
    private let alice = device("alice").userID
    private let bob = device("bob").userID
    private let carol = device("carol").userID

    @Test("is found among the users who are known, also those who were met since")
    func found() throws {
        var conversations = DirectConversations(userID: alice)
        let withBob = try conversations.conversation(.direct(bob, alice), among: [bob])
        #expect(withBob == .direct(alice, bob) && withBob.recipientIDs(of: alice) == [bob])
        #expect(throws: ProtocolError.self) { try conversations.conversation(.direct(alice, carol), among: [bob]) }
        let withCarol = try conversations.conversation(.direct(alice, carol), among: [bob, carol])
        #expect(withCarol.participantIDs == [alice, carol].sorted())
    }

    @Test("is not known where it is that of two others")
    func foreign() {
        var conversations = DirectConversations(userID: alice)
        let error = #expect(throws: ProtocolError.self) {
            try conversations.conversation(.direct(bob, carol), among: [bob, carol])
        }
        #expect(error?.code == .unknownUser)
    }

    @Test("with oneself has nobody else in it")
    func own() throws {
        var conversations = DirectConversations(userID: alice)
        let own = try conversations.conversation(.direct(alice, alice), among: [bob])
        #expect(own.participantIDs == [alice] && own.recipientIDs(of: alice).isEmpty)
    }

    @Test("with somebody who need not be known is the same however often it is asked for")
    func strangers() throws {
        var conversations = DirectConversations(userID: alice)
        let first = conversations.conversation(with: bob, known: 0)
        #expect(first == .direct(alice, bob) && first == conversations.conversation(with: bob, known: 0))
        // Who was written to is not known by it.
        #expect(throws: ProtocolError.self) { try conversations.conversation(.direct(alice, bob), among: []) }
        for number in 0..<600 { _ = conversations.conversation(with: device("stranger \(number)").userID, known: 1) }
        #expect(conversations.conversation(with: bob, known: 1) == first)
    }
}
