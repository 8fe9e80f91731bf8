import Foundation
import Testing

@Suite("earshot history", .keepsWhatItStarts)
struct HistoryCommandTests {
    private func rows(_ home: TestHome, _ name: String, _ options: String...) async throws -> [[String: String]] {
        try await Program.run(["history", name, "--json", "--home", home.path] + options).objects().map { object in
            let sender = try #require(object["sender"] as? [String: Any])
            return [
                "id": "\(object["id"] ?? "")", "sender": "\(sender["id"] ?? "")", "text": "\(object["text"] ?? "")",
                "timestamp": "\(object["timestamp"] ?? "")",
            ]
        }
    }

    @Test("is the same for both users, in order, and is paged by message")
    func same() async throws {
        let pair = try await Pair.met()
        for number in 1...3 {
            #expect(try await pair.alice.run("send", "bob", "a\(number)", "--wait", "delivered").status == 0)
            #expect(try await pair.bob.run("send", "alice", "b\(number)", "--wait", "delivered").status == 0)
        }
        let ofAlice = try await rows(pair.alice, "bob")
        #expect(ofAlice == (try await rows(pair.bob, "alice")))
        #expect(ofAlice.map { $0["text"] } == ["a1", "b1", "a2", "b2", "a3", "b3"])
        let third = try #require(ofAlice[2]["id"])
        #expect(try await rows(pair.alice, "bob", "--before", third) == Array(ofAlice[..<2]))
        #expect(try await rows(pair.alice, "bob", "--after", third, "--limit", "2") == Array(ofAlice[3...4]))
        // Where a page ends, it says how to see the next one.
        let short = try await pair.alice.run("history", "bob", "--limit", "2")
        let before = try #require(short.errors.firstMatch(of: /there are earlier ones: --before (\S+)/)?.output.1)
        #expect(try await rows(pair.alice, "bob", "--before", String(before)) == Array(ofAlice[..<4]))
        let later = try await pair.alice.run("history", "bob", "--after", third, "--limit", "2")
        let after = try #require(later.errors.firstMatch(of: /there are more: --after (\S+)/)?.output.1)
        #expect(try await rows(pair.alice, "bob", "--after", String(after)) == Array(ofAlice[5...]))
        #expect(try await pair.alice.run("history", "bob", "--limit", "6").errors == "")
        // In the order of arrival, too, each page goes on where the one before it ended.
        let first = try await pair.alice.run("history", "bob", "--order", "arrival", "--after", third, "--limit", "2")
        #expect(first.errors.contains("there are more: --order arrival --after "), "\(first.errors)")
        let arrived = try await rows(pair.alice, "bob", "--order", "arrival")
        #expect(Set(arrived.compactMap { $0["id"] }) == Set(ofAlice.compactMap { $0["id"] }))
        #expect(try await pair.alice.run("history", "bob", "--order", "arrival", "--since", "1h").status == 64)
    }

    @Test("shows what waits for a key that was never met, which can be cancelled and erased")
    func stranger() async throws {
        let home = try await TestHome.named("alice")
        let key = try await TestHome.named("bob").userID()
        let unknown = try await home.run("history", key)
        #expect(unknown.status == 5)
        #expect(try await home.run("send", key, "welcome", "--no-discovery").status == 0)
        let shown = try await home.run("history", key)
        #expect(shown.output.contains("  alice: welcome"), "\(shown.errors)")
        let id = try #require(try await rows(home, key).first?["id"])
        #expect(try await home.run("cancel", id).status == 0)
        let erased = try await home.run("erase", "--yes", "--conversation", key)
        #expect(erased.output.contains("the contents of 1 message"), "\(erased.errors)")
        #expect(try await home.run("history", key).output.contains("(deleted)"))
    }

    @Test("shows nothing of a hostile text that moves the cursor or turns the line around")
    func hostile() async throws {
        let pair = try await Pair.met()
        let hostile = "a\u{1b}[2J\u{9b}H\u{202e}b\rc\n12:00 mallory: d"
        let sent = try await pair.alice.run("send", "bob", "--wait", "delivered", input: Data(hostile.utf8))
        #expect(sent.status == 0)
        for command in ["history", "chat"] {
            let shown = try await pair.bob.run(command, "alice").output
            for scalar: Unicode.Scalar in ["\u{1b}", "\u{9b}", "\u{202e}", "\r"] {
                #expect(!shown.unicodeScalars.contains(scalar))
            }
            #expect(!shown.split(separator: "\n").contains { $0.hasPrefix("12:00 mallory") })
        }
        #expect(try await rows(pair.bob, "alice").first?["text"] == hostile)
    }

    @Test(
        "refuses what is not an id, a page on both sides, and a limit out of bounds",
        arguments: [
            ["--before", "x"], ["--limit", "0"], ["--limit", "1001"],
        ])
    func usage(options: [String]) async throws {
        let home = try await TestHome.named("alice")
        #expect(try await Program.run(["history", "bob", "--home", home.path] + options).status == 64)
    }
}
