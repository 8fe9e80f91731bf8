import Earshot
import EarshotTesting
import Testing

@Suite("Notes to oneself", .timeLimit(.ofHungTest))
struct NotesTests {
    @Test("are kept, shown, and waited for by nobody")
    func kept() async throws {
        let network = try TestNetwork()
        let alice = try await network.node("alice")
        #expect(try await alice.conversations.list().isEmpty)
        let note = try await alice.conversations.own.send("Bread, milk")
        #expect(note.recipientIDs.isEmpty && note.senderID == alice.userID)
        #expect(try await alice.conversations.own.history().map(\.text) == ["Bread, milk"])
        let listed = try #require(try await alice.conversations.list().first)
        #expect(listed.lastMessage?.text == "Bread, milk" && listed.unreadCount == 0)
        #expect(listed.participantIDs == [alice.userID] && listed.conversation.peerID == alice.userID)
        #expect(await alice.status().undeliveredMessages == 0)
        await network.stop()
    }

    @Test("are named by me, the own key, and the own name", arguments: ["me", "alice"])
    func named(text: String) async throws {
        let network = try TestNetwork()
        let alice = try await network.node("alice")
        #expect(try await alice.conversations.named(text).id == alice.conversations.own.id)
        #expect(try await alice.conversations.named(alice.userID.description).id == alice.conversations.own.id)
        await network.stop()
    }

    @Test("can be edited and erased")
    func changed() async throws {
        let network = try TestNetwork()
        let alice = try await network.node("alice")
        let note = try await alice.conversations.own.send("Bred")
        _ = try await alice.messages.edit(note.id, "Bread")
        #expect(try await alice.conversations.own.history().map(\.text) == ["Bread"])
        _ = try await alice.messages.erase([note.id])
        #expect(try await alice.conversations.own.history().map(\.isDeleted) == [true])
        await network.stop()
    }
}
