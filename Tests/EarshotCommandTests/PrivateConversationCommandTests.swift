import EarshotGateway
import Foundation
import Testing

@Suite("A private conversation on the command line", .keepsWhatItStarts)
struct PrivateConversationCommandTests {
    /// Alice's node and Bob's, linked.
    private func pair() async throws -> (homes: [TestHome], nodes: [RunningProgram]) {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (first, port) = try await alice.up()
        let (second, _) = try await bob.up("--peer", "127.0.0.1:\(port)")
        for home in [alice, bob] {
            try await home.until("the other is here") { try await $0.users().contains(where: \.isOnline) }
        }
        return ([alice, bob], [first, second])
    }

    @Test("is begun, joined by who is invited, written to, changed, handed over and closed")
    func life() async throws {
        let (homes, nodes) = try await pair()
        let (alice, bob) = (homes[0], homes[1])
        let created = try await alice.run("conversation", "create", "crew", "--private", "--invite", "bob")
        #expect(created.lines == ["#crew is yours; invited: bob"], "\(created.errors)")
        try await nodes[1].expect("alice invites you to #crew: earshot conversation accept crew")
        #expect(try await bob.run("conversation", "list").output.contains(/#crew +invited/))
        let early = try await bob.run("send", "#crew", "hello")
        #expect(early.status != 0 && early.errors.contains("you are invited to #crew"), "\(early.errors)")
        let accepted = try await bob.run("conversation", "accept", "crew")
        #expect(accepted.lines.first == "joined #crew, a private conversation of alice: 1 other is in or invited")
        try await nodes[0].expect("bob has joined #crew")
        let sent = try await alice.run("send", "#crew", "only us", "--wait", "delivered")
        #expect(sent.status == 0 && sent.lines.contains("bob: delivered"), "\(sent.errors)")
        #expect(try await bob.run("history", "#crew@alice").output.contains("alice: only us"))
        let participants = try await bob.run("conversation", "participants", "crew").output
        #expect(participants.contains(/alice +owner/) && participants.contains(/bob \(you\) +joined/))

        let foreign = try await bob.run("conversation", "invite", "crew", "alice")
        #expect(foreign.status != 0 && foreign.errors.contains("only the owner of #crew"), "\(foreign.errors)")
        let words = ["--friendly-name", "The crew", "--attributes", #"{"a":1}"#]
        #expect(try await alice.run(["conversation", "update", "crew"] + words).lines == ["updated #crew"])
        try await bob.until("bob hears of it") { try await $0.conversation("#crew").friendlyName == "The crew" }
        #expect(try await bob.run("conversation", "show", "crew").lines.contains("owner    alice"))
        #expect(try await alice.run("conversation", "hand-over", "crew", "bob").status == 0)
        try await nodes[0].expect("bob owns #crew now")
        #expect(try await bob.run("conversation", "close", "crew").lines == ["closed #crew; what is there stays"])
        try await nodes[0].expect("bob has closed #crew")
        let late = try await alice.run("send", "#crew", "x")
        #expect(late.status != 0 && late.errors.contains("#crew is closed"), "\(late.errors)")
    }

    @Test("is declined, and left by who is removed, and says what is wrong")
    func refusals() async throws {
        let (homes, nodes) = try await pair()
        let (alice, bob) = (homes[0], homes[1])
        for name in ["crew", "club"] {
            let options = ["--private", "--invite", "bob", "--history", "all"]
            #expect(try await alice.run(["conversation", "create", name] + options).status == 0)
            try await bob.until("bob is invited") { try await $0.allConversations().contains { $0.uniqueName == name } }
        }
        #expect(try await bob.run("conversation", "decline", "club").lines == ["declined #club"])
        try await nodes[0].expect("bob has left #club")
        #expect(try await bob.run("conversation", "join", "crew").status == 0)
        let again = try await bob.run("conversation", "decline", "crew")
        #expect(again.status != 0 && again.errors.contains("earshot conversation leave crew"), "\(again.errors)")
        #expect(try await alice.run("conversation", "remove", "crew", "bob").lines == ["removed bob from #crew"])
        try await nodes[1].expect("alice has removed you from #crew")
        let removed = try await bob.run("send", "#crew", "x")
        #expect(removed.status != 0 && removed.errors.contains("you were removed from #crew"), "\(removed.errors)")
        for (arguments, words) in [
            (["create", "crew", "--private"], "already"), (["create", "x", "--invite", "bob"], "--private"),
            (["create", "a@b", "--private"], "none of"), (["invite", "crew", "nobody"], "nobody called"),
            (["remove", "crew", "bob"], "does not belong"), (["leave", "crew"], "handing it over"),
            (["update", "crew"], "--friendly-name"), (["update", "crew", "--attributes", "{"], "JSON object"),
            (["accept", "cru"], "#crew"), (["hand-over", "crew", "bob"], "only who has joined"),
        ] {
            let result = try await alice.run(["conversation"] + arguments)
            #expect(result.status != 0 && result.errors.contains(words), "\(arguments): \(result.errors)")
        }
    }
}
