import EarshotGateway
import Foundation
import Testing

@Suite("earshot block and unblock", .keepsWhatItStarts)
struct BlockTests {
    @Test("keeps a user out until they are let in again")
    func block() async throws {
        let pair = try await Pair.met()
        let bob = try await pair.bob.key()
        let blocked = try await pair.alice.run("block", "bob")
        #expect(blocked.status == 0)
        #expect(blocked.lines == ["bob is blocked: \(bob.fingerprint)"])
        #expect(try await pair.alice.run("block", "bob").lines == ["bob is blocked already"])
        try await pair.bobNode.expectError("alice refuses this node: its user has blocked this one")
        try await pair.aliceNode.expect("bob is offline")
        #expect(try await pair.alice.run("users").output.contains(" blocked "))
        for command in [["send", "bob", "x"], ["chat", "bob"]] {
            let refused = try await Program.run(command + ["--home", pair.alice.path])
            #expect(refused.status == 11)
            #expect(refused.errors.hasSuffix("\n  try: earshot unblock bob\n"))
        }
        #expect(try await pair.bob.run("send", "alice", "let me in").status == 0)

        #expect(try await pair.alice.run("unblock", "bob").lines == ["bob is no longer blocked"])
        #expect(try await pair.alice.run("unblock", "bob").lines == ["bob is not blocked"])
        try await pair.alice.until("what waited has come") { client in
            try await client.history(with: "bob").last?.text == "let me in"
        }
    }

    @Test("fails the messages that wait for the user, and says how many")
    func waiting() async throws {
        let pair = try await Pair.met()
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        try await pair.aliceNode.expect("bob is offline")
        for text in ["one", "two"] { #expect(try await pair.alice.run("send", "bob", text).status == 0) }
        let blocked = try await pair.alice.run("block", "bob")
        #expect(blocked.lines.last == "2 messages that waited for them have failed")
        #expect(try await pair.alice.run("history", "bob").lines.allSatisfy { $0.hasSuffix("✗ blocked") })
    }

    @Test("does not guess if two users claim the name; the claimant can be blocked and unblocked")
    func claimant() async throws {
        let claim = try await Claim.made()
        let (bob, eve) = (try await claim.bob.key(), try await claim.eve.key())
        let guess = try await claim.alice.run("block", "bob")
        #expect(guess.status == 5)
        for key in [bob, eve] { #expect(guess.errors.contains("bob@\(key.prefix)")) }
        #expect(try await claim.alice.run("block", "bob@\(eve.prefix)").status == 0)
        let table = try await claim.alice.run("users").output
        #expect(!table.contains("conflict") && !table.contains("claims the name"))
        #expect(try await claim.alice.run("send", "bob", "you", "--wait", "delivered").errors == "")
        // Only one of them is blocked.
        #expect(try await claim.alice.run("unblock", "bob").lines == ["bob@\(eve.prefix) is no longer blocked"])
        #expect(try await claim.alice.run("users").output.contains("conflict"))
    }

    @Test("of oneself, by whichever name, says that this is you; so do verify, trust, unblock and users")
    func oneself() async throws {
        let home = try await TestHome.named("alice")
        for name in ["alice", "me", try await home.userID()] {
            for command in ["block", "unblock", "verify", "trust", "users"] {
                let result = try await home.run(command, name)
                #expect(result.status == 5, "\(command) \(name)")
                #expect(result.errors.contains("\(name) is you, and this is about another user\n  try: earshot status"))
            }
        }
        #expect(try await home.run("send", "me", "bread").status == 0)
        #expect(try await home.run("history", "alice").output.contains("bread"))
    }

    @Test("works if no node runs, and lasts")
    func withoutNode() async throws {
        let pair = try await Pair.met()
        pair.aliceNode.signal(SIGTERM)
        _ = try await pair.aliceNode.end()
        #expect(try await pair.alice.run("block", "bob", "--json").objects().first?["trust"] as? String == "blocked")
        #expect(try await pair.alice.run("users", "--json").objects().first?["trust"] as? String == "blocked")
    }
}
