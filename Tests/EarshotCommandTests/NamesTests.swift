import Foundation
import Testing

@Suite("The names of others", .keepsWhatItStarts)
struct NamesTests {
    /// Alice, and somebody of a name of their choice whom she has met after bob.
    private func met(_ name: String) async throws -> (alice: TestHome, other: TestHome, nodes: [RunningProgram]) {
        let pair = try await Pair.met()
        let port = try #require(try await pair.alice.run("status", "--json").objects().first?["port"] as? Int)
        let other = try TestHome()
        try #require(try await other.run("init", "--name=\(name)").status == 0)
        let (node, _) = try await other.up("--peer", "127.0.0.1:\(port)")
        try await pair.aliceNode.expect(other.key().fingerprint)
        return (pair.alice, other, [pair.aliceNode, pair.bobNode, node])
    }

    @Test(
        "are escaped, with a warning, if they look like a known one",
        arguments: ["b\u{43e}b", "Bob"])
    func lookAlike(name: String) async throws {
        let (alice, other, nodes) = try await met(name)
        let shown = name == "Bob" ? "Bob" : "b\\u{43e}b"
        #expect(nodes[0].outputText.contains("\(shown) was met for the first time"))
        #expect(nodes[0].outputText.contains("looks like bob, and is somebody else"))
        let table = try await alice.run("users").output
        #expect(table.contains("\(shown) looks like bob, and is somebody else."))
        // What is to be typed names the right one.
        let typed = name == "Bob" ? "Bob" : try await other.userID()
        #expect(table.contains("To keep them out: earshot block \(typed)\n"))
        let sent = try await alice.run("send", typed, "hello", "--wait", "delivered")
        #expect(sent.status == 0)
        #expect(try await other.run("history", "alice", "--json").objects().count == 1)
    }

    @Test("are quoted in every suggested command, so that no shell runs them")
    func quoted() async throws {
        let marker = "/tmp/earshot-test-\(UUID().uuidString.prefix(8))"
        let name = "$(touch $MARKER)'"
        let (alice, _, _) = try await met(name)
        let report = try await alice.run("trust", name).output
        let command = try #require(report.firstMatch(of: try Regex("earshot (trust .* --accept)"))?.output[1].substring)
        let script = "\"$EARSHOT_BIN\" \(command) --home \(alice.path)"
        let shell = try RunningProgram(
            ["-c", script], program: "/bin/bash", environment: ["EARSHOT_BIN": Program.path, "MARKER": marker])
        #expect(try await shell.end().status == 0)
        #expect(!FileManager.default.fileExists(atPath: marker))
        let pinned = try await alice.run("users", "--json").objects().first { $0["name"] as? String == name }
        #expect(pinned?["isPinned"] as? Bool == true)
    }

    @Test(
        "keep the columns of the table aligned, whatever their width",
        arguments: [(String(repeating: "x", count: 63), 63), ("日本 👋🏽", 7)])
    func columns(name: String, width: Int) async throws {
        let (alice, other, _) = try await met(name)
        let lines = try await alice.run("users").lines
        let column = width + 2
        #expect(lines.first?.dropFirst(column).hasPrefix("UNREAD  PRESENCE") == true)
        #expect(lines.first { $0.hasPrefix("bob ") }?.dropFirst(column + 8).hasPrefix("online") == true)
        let fingerprint = try await other.key().fingerprint
        #expect(lines.contains("\(name)          online    new    \(fingerprint)"))
    }

    @Test("are never shown alone if they are this node's own")
    func own() async throws {
        let (alice, other, _) = try await met("alice")
        let key = try await other.key()
        let table = try await alice.run("users").output
        #expect(table.contains(try Regex("(?m)^alice@\(key.prefix) ")))
        #expect(table.contains("has a name like your own, and is somebody else"))
        // Their own name could be either of the two.
        let refused = try await other.run("send", "alice", "who are you")
        #expect(refused.status != 0 && refused.errors.contains("alice@"), "\(refused.errors)")
        let name = try await "alice@\(alice.key().prefix)"
        #expect(try await other.run("send", name, "who are you", "--wait", "delivered").status == 0)
        #expect(
            try await alice.run("history", "alice@\(key.prefix)").output.contains("alice@\(key.prefix): who are you"))
    }
}
