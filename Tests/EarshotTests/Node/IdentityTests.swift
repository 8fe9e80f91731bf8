import Earshot
import Testing

@Suite("Where identities collide")
struct IdentityTests {
    @Test("another key that claims a pinned name is reported and gets nothing")
    func conflict() async throws {
        let (alice, bob, impostor) = (try TestUser("alice"), try TestUser("bob"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        let port = try await bob.stop()
        try await alice.waitForNoLink(to: bob)
        let message = try await alice.send("for bob alone", to: bob)

        try await impostor.start(port: port)
        let conflict = try await alice.events.first("the conflict") { event in
            if case .identityConflict(let conflict) = event { conflict } else { nil }
        }
        #expect((conflict.name.text, conflict.pinnedID) == ("bob", bob.userID))
        #expect(conflict.claimedBy == impostor.userID)
        try await alice.events.first("the link is refused") { event in
            event.linkFailure.flatMap { $0.closeReason == "identityConflict" ? $0 : nil }
        }
        #expect(await alice.node.status().links.isEmpty)
        #expect(try await alice.node.users.named("bob").userID == bob.userID)
        await expect(.identityConflict) { try await alice.send("hello", to: impostor) }
        #expect(try await alice.node.messages.message(message.messageID).states == [bob.userID: .queued])
        #expect(await impostor.events.receivedTexts == [])

        try await impostor.stop()
        try await bob.start(port: port)
        try await alice.events.state(.delivered, of: message.messageID)
    }

    @Test("a node that reaches itself does not link to itself, and says nothing of it")
    func ownIdentity() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        let port = try LoopbackPort.next()
        try await bob.start()
        try await alice.start(port: port, peers: [PeerAddress(host: "127.0.0.1", port: port), bob.address])
        try await alice.waitForLink(to: bob)
        #expect(await alice.node.status().links.map(\.userID) == [bob.userID])
        #expect(await alice.node.users.all.map(\.userID) == [bob.userID])
        #expect(await alice.events.events.allSatisfy { $0.linkFailure == nil })
    }
}
