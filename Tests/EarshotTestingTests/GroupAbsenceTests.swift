import Earshot
import EarshotTesting
import Testing

@Suite("In a group of which somebody is away")
struct GroupAbsenceTests {
    private struct Member {
        let node: Node
        let conversation: Conversation
    }

    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    /// Alice, Bob and Carol have joined, and Carol is cut off.
    private func membersWithoutCarol() async throws -> (alice: Member, bob: Member, carol: Member) {
        var members: [Member] = []
        for name in ["alice", "bob", "carol"] {
            let node = try await network.node(name)
            members.append(Member(node: node, conversation: try await node.conversations.join(named: "ops")))
        }
        await network.advance(by: .seconds(60))
        for other in members.prefix(2) { try network.cut(other.node, members[2].node) }
        await network.advance(by: .seconds(60))
        return (members[0], members[1], members[2])
    }

    @Test("what waits for them is in the author's status, until they have it")
    func status() async throws {
        let (alice, bob, carol) = try await membersWithoutCarol()
        #expect(await alice.node.status().undelivered.isEmpty)
        for text in ["one", "two"] { try await alice.conversation.send(text) }
        await network.advance(by: .seconds(1))
        let waiting = await alice.node.status().undelivered
        #expect(waiting.map(\.userID) == [carol.node.userID] && waiting.map(\.count) == [2])
        #expect(await bob.node.status().undelivered.isEmpty)
        for other in [alice, bob] { try network.mend(other.node, carol.node) }
        await network.advance(by: .seconds(60))
        #expect(await alice.node.status().undelivered.isEmpty)
    }

    @Test("a message that is taken back is erased at once where it is, and its author keeps it until they have it")
    func retraction() async throws {
        let (alice, bob, carol) = try await membersWithoutCarol()
        let message = try await alice.conversation.send("taken back")
        await network.advance(by: .seconds(1))
        try await alice.node.messages.retract(message.messageID)
        await network.advance(by: .seconds(1))
        let held = try await bob.node.messages.message(message.messageID)
        #expect(held.isRetracted && held.isDeleted)
        #expect(try await bob.node.conversations.summary(of: bob.conversation.conversationID).unreadCount == 0)
        let kept = try await alice.node.messages.message(message.messageID)
        #expect(kept.isRetracted && !kept.isDeleted)
        for other in [alice, bob] { try network.mend(other.node, carol.node) }
        await network.advance(by: .seconds(60))
        for member in [alice, bob, carol] {
            let history = try await member.conversation.history()
            #expect(history.map(\.isRetracted) == [true] && history.map(\.isDeleted) == [true])
        }
    }

    @Test("what is taken back is shown as that where its body never came, because nobody who is met has it")
    func retractionWithoutBody() async throws {
        let (alice, bob, carol) = try await membersWithoutCarol()
        let message = try await alice.conversation.send("taken back")
        await network.advance(by: .seconds(1))
        try await alice.node.messages.retract(message.messageID)
        await network.advance(by: .seconds(1))
        try network.mend(bob.node, carol.node)
        await network.advance(by: .seconds(120))
        let history = try await carol.conversation.history()
        #expect(history.map(\.isRetracted) == [true] && history.map(\.text) == [""])
        #expect(try await carol.node.conversations.summary(of: carol.conversation.conversationID).unreadCount == 0)
    }
}
