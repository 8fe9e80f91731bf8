import Earshot
import Foundation
import Testing

@Suite("Searching the messages")
struct SearchTests {
    private let alice: TestUser
    private let bob: TestUser

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
    }

    private func texts(_ words: String, of user: TestUser) async throws -> [String] {
        try await user.node.messages.search(SearchQuery(words)).map(\.text)
    }

    private func holds(_ text: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: alice.home.path).contains { name in
            guard name.hasPrefix("search.db") else { return false }
            let file = URL(fileURLWithPath: alice.home.path + "/" + name)
            return try Data(contentsOf: file).range(of: Data(text.utf8)) != nil
        }
    }

    @Test("finds everything that is on the disk, on both sides, the newest first")
    func both() async throws {
        try await TestUser.meet(alice, bob)
        for number in 1...3 { _ = try await alice.send("message \(number) about lunch", to: bob) }
        let last = try await alice.send("and the last about dinner", to: bob)
        // What was accepted is found at once.
        #expect(try await texts("dinner", of: alice) == ["and the last about dinner"])
        try await alice.events.state(.delivered, of: last.messageID)
        #expect(
            try await texts("lunch", of: bob)
                == ["message 3 about lunch", "message 2 about lunch", "message 1 about lunch"])
    }

    @Test("finds the text of an edit, and not the one before; nothing of what is taken back")
    func changes() async throws {
        try await TestUser.meet(alice, bob)
        let first = try await alice.send("meet at noon", to: bob)
        let second = try await alice.send("meet at midnight", to: bob)
        #expect(try await texts("meet", of: alice).count == 2)
        try await alice.node.messages.edit(first.messageID, "meet at dawn")
        #expect(try await texts("noon", of: alice) == [])
        #expect(try await texts("dawn", of: alice) == ["meet at dawn"])
        try await alice.events.state(.delivered, of: second.messageID)
        try await alice.node.messages.retract(second.messageID)
        #expect(try await texts("midnight", of: alice) == [])
    }

    @Test("finds what a layout says, and a summary, as what the message shows")
    func layout() async throws {
        try await TestUser.meet(alice, bob)
        var draft = MessageDraft("Dinner?")
        draft.layout = MessageLayout(caption: "Trattoria", accessibilityLabel: "Invitation")
        _ = try await alice.node.messages.send(
            draft, in: .random(), summary: "proposal", to: bob.userID)
        for words in ["trattoria", "invitation", "proposal"] {
            #expect(try await texts(words, of: alice) == ["Dinner?"])
        }
    }

    @Test("finds nothing of what was erased, and the index's files hold nothing of it")
    func erased() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send("the treasure lies deep", to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        #expect(try await texts("treasure", of: alice).count == 1)
        #expect(try holds("treasure"))
        #expect(try await alice.node.messages.erase([sent.messageID]).isOverwritten)
        #expect(try !holds("treasure"))
        #expect(try await texts("treasure", of: alice) == [])
    }

    @Test("goes on with a damaged index, which is made anew")
    func damaged() async throws {
        try await TestUser.meet(alice, bob)
        _ = try await alice.send("still here", to: bob)
        #expect(try await texts("still", of: alice).count == 1)
        try await alice.stop()
        try Data(repeating: 9, count: 20_000).write(to: URL(fileURLWithPath: alice.home.path + "/search.db"))
        try await alice.start()
        #expect(try await texts("still", of: alice) == ["still here"])
    }

    @Test("refuses words over a limit, and none")
    func refused() async throws {
        try await alice.start()
        for words in ["", " ?!", String(repeating: "a", count: 1025), String(repeating: "a ", count: 17)] {
            await expect(.invalidSearch) { try await alice.node.messages.search(SearchQuery(words)) }
        }
        await expect(.invalidLimit) { try await alice.node.messages.search(SearchQuery("a"), limit: 0) }
        let messages = alice.node.messages
        try await alice.stop()
        await expect(.stopped) { try await messages.search(SearchQuery("a")) }
    }
}
