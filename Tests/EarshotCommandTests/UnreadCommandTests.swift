import Foundation
import Testing

@Suite("Unread messages", .keepsWhatItStarts)
struct UnreadCommandTests {
    @Test("are counted for users and conversations, shown by history, and marked by read")
    func unread() async throws {
        let pair = try await Pair.met()
        for text in ["one", "two", "three"] {
            #expect(try await pair.alice.run("send", "bob", text, "--wait", "delivered").status == 0)
        }
        #expect(try await pair.bob.run("users").output.contains(/alice +3 +online/))
        #expect(try await pair.bob.run("conversations").output.contains(/alice +3 .* three/))
        let shown = try await pair.bob.run("history", "alice", "--unread", "--limit", "2")
        #expect(shown.lines.count == 2 && shown.lines.last?.hasSuffix("alice: two") == true)
        let unread = try await pair.bob.run("history", "alice", "--unread", "--json").objects()
        let first = try #require(unread.first?["id"] as? String)
        let marked = try await pair.bob.run("read", "alice", "--up-to", first)
        #expect(marked.lines == ["read: messages of alice; 2 messages are unread"])
        #expect(try await pair.bob.run("read", "alice").lines == ["read: messages of alice"])
        #expect(try await pair.bob.run("history", "alice", "--unread").lines == ["no unread messages with alice"])
        let left = try await pair.bob.run("conversations", "--json").objects().first?["unreadCount"] as? Int
        #expect(left == 0)
    }

    @Test("are told by status, and by up when it starts, with who wrote last")
    func told() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.bob.run("status").output.contains(try Regex("(?m)^unread +none$")))
        for text in ["one", "two"] {
            #expect(try await pair.alice.run("send", "bob", text, "--wait", "delivered").status == 0)
        }
        let row = #"2 messages in 1 conversation; the last from alice, \d\d:\d\d: earshot inbox"#
        #expect(try await pair.bob.run("status").output.contains(try Regex("(?m)^unread +\(row)$")))
        let status = try await pair.bob.run("status", "--json").objects()[0]
        let unread = try #require(status["unread"] as? [String: Any])
        #expect(unread["messageCount"] as? Int == 2 && unread["conversationCount"] as? Int == 1)
        let last = try #require(unread["last"] as? [String: Any])
        #expect((last["sender"] as? [String: Any])?["name"] as? String == "alice")

        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        let (again, _) = try await pair.bob.up()
        try await again.expect("unread: \(row)")
    }

    @Test("name nobody as their last author where this node's user has written after them")
    func answered() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "one", "--wait", "delivered").status == 0)
        #expect(try await pair.bob.run("send", "alice", "two", "--wait", "delivered").status == 0)
        let text = try await pair.bob.run("status").output
        #expect(text.contains(try Regex("(?m)^unread +1 message in 1 conversation: earshot inbox$")))
    }

    @Test("are not asked for before a message")
    func usage() async throws {
        let home = try await TestHome.named("alice")
        let result = try await home.run("history", "bob", "--unread", "--before", "3fk9qbmj-1")
        #expect(result.status == 64 && result.errors.contains("--after"))
    }
}
