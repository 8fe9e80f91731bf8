import Foundation
import Testing

@Suite("earshot up --allow", .keepsWhatItStarts)
struct AdmissionCommandTests {
    @Test("links to those who are named and to nobody else, and both sides are told once")
    func allow() async throws {
        let (bot, alice, mallory) = (
            try await TestHome.named("bot"), try await TestHome.named("alice"), try await TestHome.named("mallory")
        )
        let (botNode, port) = try await bot.up("--allow", try await alice.userID())
        try await botNode.expect("admits only: ")
        let (aliceNode, _) = try await alice.up("--peer", "127.0.0.1:\(port)")
        try await aliceNode.expect("bot was met")
        let (malloryNode, _) = try await mallory.up("--peer", "127.0.0.1:\(port)")
        try await malloryNode.expectError("refuses this node: it admits only some users, and mallory is not among them")
        try await botNode.expectError("mallory \\(.*\\) is not among those whom this node admits, and was refused")
        #expect(try await alice.run("send", "bot", "hello", "--wait", "delivered").status == 0)
        // However often the dialler has come back since.
        #expect(botNode.errorText.components(separatedBy: "mallory").count == 2)
        #expect(try await bot.run("users", "--json").objects().count == 1)
    }

    @Test("takes names that are known, refuses those that are not, and can stand for all who are known")
    func names() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        pair.aliceNode.signal(SIGTERM)
        _ = try await pair.aliceNode.end()
        #expect(try await pair.alice.run("up", "--no-discovery", "--allow", "carol").status == 5)
        for option in [["--allow", "bob"], ["--only-known"]] {
            let node = try RunningProgram(["up", "--no-discovery", "--home", pair.alice.path] + option)
            try await node.expect("admits only: bob")
            node.signal(SIGTERM)
            _ = try await node.end()
        }
    }
}
