import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("A private conversation in a program")
struct PrivateConversationTests {
    @Test("is begun once for one name, and is an invitation for whom it invites until they join")
    func life() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        await network.advance(by: .seconds(1))
        let news = bob.events.events(.conversationUpdated)
        let draft = ConversationDraft(
            uniqueName: "crew", friendlyName: "The crew", attributes: #"{"a":1}"#, invited: [bob.userID])
        let crew = try await alice.conversations.create(draft)
        #expect(crew.kind == .private && crew.uniqueName == "crew" && !crew.isNameShared)
        #expect(try await alice.conversations.getOrCreate(draft).conversationID == crew.conversationID)
        let twice = await #expect(throws: EarshotError.self) { try await alice.conversations.create(draft) }
        #expect(twice?.code == .conversationExists)
        let invited = try #require(try await news.first { _ in true })
        #expect(invited.status == .invited && invited.ownerID == alice.userID && invited.changes == [.status])

        let invitation = try #require(await bob.conversations.invitations.first)
        #expect(invitation.conversationID == crew.conversationID)
        let details = try #require(await invitation.details)
        #expect(details.ownerID == alice.userID && details.creatorID == alice.userID && !details.givesHistory)
        #expect(details.friendlyName == "The crew" && details.attributes == #"{"a":1}"#)
        let early = await #expect(throws: EarshotError.self) { try await invitation.send("too early") }
        #expect(early?.code == .notJoined && early?.parameters.detail == .byInvitation)
        try await invitation.join()
        await network.advance(by: .seconds(1))
        #expect(await bob.conversations.invitations.isEmpty)
        let participants = try await crew.participants()
        #expect(participants.first { $0.userID == alice.userID }?.role == .owner)
        #expect(participants.first { $0.userID == bob.userID }?.status == .joined)
        let sent = try await crew.send("hello")
        await network.advance(by: .seconds(1))
        #expect(try await alice.messages.message(sent.messageID).states == [bob.userID: .delivered])
        #expect(try await invitation.history().map(\.text) == ["hello"])
        let summary = try await bob.conversations.summary(of: crew.conversationID)
        #expect(summary.unreadCount == 1 && summary.details == details && summary.status == .joined)

        try await crew.close()
        await network.advance(by: .seconds(1))
        #expect(await invitation.status == .closed)
        let late = await #expect(throws: EarshotError.self) { try await invitation.send("too late") }
        #expect(late?.code == .conversationClosed)
        #expect(try await alice.conversations.getOrCreate(draft).conversationID != crew.conversationID)
    }
}
