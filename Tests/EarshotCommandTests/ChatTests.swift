import EarshotGateway
import Foundation
import Testing

@Suite("earshot chat", .keepsWhatItStarts)
struct ChatTests {
    @Test("carries a dialog both ways: own messages on the right with their marks, the other's on the left")
    func dialog() async throws {
        let pair = try await Pair.met()
        let alice = try RunningProgram(["chat", "bob", "--home", pair.alice.path])
        let bob = try RunningProgram(["chat", "alice", "--home", pair.bob.path])
        alice.write(Data("hello\n".utf8))
        try await bob.expect(#"(?m)^\d\d:\d\d alice: hello$"#)
        try await alice.expect(#"(?m)^ {40,}hello \d\d:\d\d +✓✓ read$"#)
        bob.write(Data("hi yourself\n".utf8))
        try await alice.expect(#"(?m)^\d\d:\d\d bob: hi yourself$"#)
        for chat in [alice, bob] {
            chat.closeInput()
            #expect(try await chat.end().status == 0)
        }
    }

    @Test("shows each part of a layout below the text, and a message that takes the place of an earlier one")
    func content() async throws {
        let pair = try await Pair.met()
        let alice = try RunningProgram(["chat", "bob", "--home", pair.alice.path])
        let first = try await pair.bob.run(
            "send", "alice", "Dinner?", "--caption", "Luigi's", "--url", "https://example.org/", "--session", "new",
            "--summary", "asked", "--json")
        try await alice.expect(#"(?m)bob: Dinner\?\n +┃ Luigi's\n +┃ https://example\.org/$"#)
        let session = try #require(try first.objects().first?["session"] as? String)
        #expect(
            try await pair.bob.run("send", "alice", "At nine!", "--session", session, "--summary", "agreed").status == 0
        )
        try await alice.expect(#"(?m)bob: ↻ At nine!$"#)
        alice.closeInput()
        #expect(try await alice.end().status == 0)
        let again = try await pair.alice.run("chat", "bob").output
        #expect(again.contains("bob: (asked)") && again.contains("bob: ↻ At nine!") && !again.contains("Dinner?"))
    }

    @Test("sends the lines of a file, and ends when they are delivered")
    func file() async throws {
        let pair = try await Pair.met()
        let result = try await pair.alice.run("chat", "bob", input: Data("one\ntwo\nthree".utf8))
        #expect(result.status == 0)
        let history = try await pair.bob.run("history", "alice", "--json").objects()
        #expect(history.compactMap { $0["text"] as? String } == ["one", "two", "three"])
    }

    @Test("shows every unread message when it begins, and marks as read what it showed")
    func unread() async throws {
        let pair = try await Pair.met()
        let texts = (1...100).map { "message \($0)" }
        #expect(try await pair.alice.run("chat", "bob", input: Data(texts.joined(separator: "\n").utf8)).status == 0)
        let chat = try await pair.bob.run("chat", "alice")
        #expect(texts.filter { text in chat.lines.contains { $0.hasSuffix(" \(text)") } } == texts)
        try await pair.alice.until("alice hears that all were read") { client in
            let history = try await client.history(with: "bob", limit: 200)
            return history.count { $0.recipients.first?.state == "read" } == 100
        }
    }

    @Test("begins with the last messages")
    func history() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.bob.run("send", "alice", "before", "--wait", "delivered").status == 0)
        #expect(try await pair.alice.run("chat", "bob").output.contains("bob: before"))
    }

    @Test("goes on after an invalid line, and says so at the end")
    func invalidLine() async throws {
        let pair = try await Pair.met()
        let input = Data("good\n".utf8) + Data([0xff, 0x0a]) + Data("better\n".utf8)
        let result = try await pair.alice.run("chat", "bob", input: input)
        #expect(result.status == 64)
        #expect(result.errors.contains("not valid UTF-8"))
        let history = try await pair.bob.run("history", "alice", "--json").objects()
        #expect(history.compactMap { $0["text"] as? String } == ["good", "better"])
    }
}
