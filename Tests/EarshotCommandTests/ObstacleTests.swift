import Foundation
import Testing

@Suite("earshot send --wait ends at once", .keepsWhatItStarts)
struct ObstacleTests {
    /// Longer than any test may take: what ends earlier did not wait.
    private let wait = ["--wait", "delivered", "--timeout", "1h"]

    @Test("if the recipient has blocked the sender", arguments: [true, false])
    func blocked(isKnownBefore: Bool) async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        #expect(try await pair.bob.run("block", "alice").status == 0)
        try await pair.aliceNode.expectError("has blocked this one")
        if !isKnownBefore {
            pair.aliceNode.signal(SIGTERM)
            #expect(try await pair.aliceNode.end().status == 0)
        }
        let result = try await pair.alice.run(["send", "bob", "please"] + wait)
        #expect(result.status == 11)
        #expect(result.lines == ["queued"])
        #expect(result.errors.contains("bob has blocked you; the message stays queued"), "\(result.errors)")
    }

    @Test("if the recipient's node admits only others")
    func notAdmitted() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        pair.bobNode.signal(SIGTERM)
        #expect(try await pair.bobNode.end().status == 0)
        _ = try await pair.bob.up("--allow", try await pair.bob.userID())
        let result = try await pair.alice.run(["send", "bob", "please"] + wait)
        #expect(result.status == 11)
        #expect(result.errors.contains("bob's node does not admit you"), "\(result.errors)")
    }

    @Test("if the recipient's node is in another network now")
    func otherNetwork() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        pair.bobNode.signal(SIGTERM)
        #expect(try await pair.bobNode.end().status == 0)
        #expect(try await pair.bob.run("network", "create").status == 0)
        _ = try await pair.bob.up()
        let result = try await pair.alice.run(["send", "bob", "please"] + wait)
        #expect(result.status == 9)
        #expect(result.errors.contains("bob's node is in another network"), "\(result.errors)")
    }

    @Test("if another key has the recipient's name, where the recipient was")
    func otherKey() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        let port = try #require(try await pair.alice.run("status", "--json").objects().first?["port"] as? Int)
        pair.bobNode.signal(SIGTERM)
        #expect(try await pair.bobNode.end().status == 0)
        let newcomer = try await TestHome.named("bob")
        _ = try await newcomer.up("--peer", "127.0.0.1:\(port)")
        try await pair.aliceNode.expectError("another key claims the name bob")
        let result = try await pair.alice.run(["send", "bob", "please"] + wait)
        #expect(result.status == 10)
        #expect(result.errors.contains("has the name bob here; the message stays queued"), "\(result.errors)")
        #expect(result.errors.contains("earshot trust bob"))
    }

    @Test("if the recipient's node knows the sender's name by another key")
    func ownNameTaken() async throws {
        let namesakes = try await Namesakes.met()
        let first = try await namesakes.first.userID()
        #expect(try await namesakes.alice.run("trust", first, "--accept", "--yes").status == 0)
        try await namesakes.nodes[2].expectError("alice refuses this node")
        let result = try await namesakes.second.run(["send", "alice", "please"] + wait)
        #expect(result.status == 10)
        #expect(result.errors.contains("there the name bob belongs to another key"), "\(result.errors)")
    }
}
