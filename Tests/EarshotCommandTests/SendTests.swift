import EarshotGateway
import Foundation
import Testing

@Suite("earshot send", .keepsWhatItStarts)
struct SendTests {
    @Test("prints each state in order, and ends when the message is delivered")
    func states() async throws {
        let pair = try await Pair.met()
        let result = try await pair.alice.run("send", "bob", "hello", "--wait", "delivered")
        #expect(result.status == 0)
        #expect(result.lines == ["queued", "sent", "delivered"])
        let objects = try await pair.alice.run("send", "bob", "again", "--wait", "delivered", "--json").objects()
        #expect(objects.compactMap { $0["state"] as? String } == ["queued", "sent", "delivered"])
        #expect(Set(objects.compactMap { $0["id"] as? String }).count == 1)
    }

    @Test("sends a layout, of which the history shows every part but the one that is read aloud")
    func layout() async throws {
        let pair = try await Pair.met()
        let sent = try await pair.alice.run(
            "send", "bob", "Dinner?", "--caption", "Luigi's", "--subcaption", "at eight", "--image-title", "The house",
            "--accessibility-label", "an invitation", "--url", "https://example.org/menu", "--wait", "delivered")
        #expect(sent.status == 0, "\(sent.errors)")
        let shown = try await pair.bob.run("history", "alice").lines
        #expect(shown.first?.hasSuffix("alice: Dinner?") == true)
        #expect(
            Array(shown.dropFirst()) == [
                "    ┃ The house", "    ┃ Luigi's", "    ┃ at eight", "    ┃ https://example.org/menu",
            ])
        let object = try #require(try await pair.bob.run("history", "alice", "--json").objects().first)
        let layout = try #require(object["layout"] as? [String: Any])
        #expect(
            layout["accessibilityLabel"] as? String == "an invitation" && layout["urlHost"] as? String == "example.org")
        let refused = try await pair.alice.run("send", "bob", "x", "--url", "javascript:x")
        #expect(refused.status == 1 && refused.errors.contains("http://"), "\(refused.errors)")
        let reply = try await pair.bob.run("reply", object["id"] as? String ?? "", "Yes", "--caption", "See you")
        #expect(reply.status == 0, "\(reply.errors)")
    }

    @Test("begins a session and continues it, and the history shows earlier messages by their summaries")
    func session() async throws {
        let pair = try await Pair.met()
        let first = try await pair.alice.run(
            "send", "bob", "♟ e4", "--session", "new", "--summary", "1. e4", "--wait", "delivered", "--json")
        let session = try #require(try first.objects().first?["session"] as? String)
        let id = try #require(try first.objects().first?["id"] as? String)
        let second = try await pair.bob.run(
            "send", "alice", "♟ e5", "--session", id, "--summary", "1. … e5", "--wait", "delivered")
        #expect(second.status == 0, "\(second.errors)")
        let third = try await pair.alice.run(
            "send", "bob", "♞ f3", "--session", session, "--summary", "2. Nf3", "--wait", "delivered")
        #expect(third.status == 0, "\(third.errors)")
        for (home, other) in [(pair.alice, "bob"), (pair.bob, "alice")] {
            let shown = try await home.run("history", other).lines
            let texts = ["alice: (1. e4)", "bob: (1. … e5)", "alice: ↻ ♞ f3"]
            #expect(shown.count == 3 && zip(shown, texts).allSatisfy { $0.contains($1) }, "\(shown)")
        }
        #expect(try await pair.alice.run("send", "bob", "x", "--session", "new").status == 64)
        #expect(try await pair.alice.run("send", "bob", "x", "--session", "?", "--summary", "s").status == 64)
        #expect(try await pair.alice.run("send", "bob,carol", "x", "--session", "new", "--summary", "s").status == 64)
        #expect(try await pair.alice.run("send", "bob", "plain").status == 0)
        let plain = try #require(try await pair.alice.run("history", "bob", "--json").objects().last?["id"] as? String)
        let refused = try await pair.alice.run("send", "bob", "x", "--session", plain, "--summary", "s")
        #expect(refused.status == 64 && refused.errors.contains("belongs to no session"), "\(refused.errors)")
    }

    @Test("waits until the message is read, if asked to")
    func read() async throws {
        let pair = try await Pair.met()
        let send = try RunningProgram(["send", "bob", "seen?", "--wait", "read", "--home", pair.alice.path])
        try await send.expect("delivered")
        #expect(try await pair.bob.run("chat", "alice").status == 0)
        #expect(try await send.end().lines == ["queued", "sent", "delivered", "read"])
    }

    @Test("takes the text from standard input, without one line break at its end")
    func standardInput() async throws {
        let pair = try await Pair.met()
        let text = "über\n日本 👋🏽\n"
        for arguments in [["send", "bob"], ["send", "bob", "-"]] {
            let result = try await Program.run(
                arguments + ["--wait", "delivered", "--home", pair.alice.path], input: Data((text + "\n").utf8))
            #expect(result.status == 0)
        }
        let history = try await pair.bob.run("history", "alice", "--json").objects()
        #expect(history.compactMap { $0["text"] as? String } == [text, text])
    }

    @Test(
        "refuses input that is not text",
        arguments: [Data(), Data([0xff, 0xfe]), Data(repeating: 0x61, count: 65537)])
    func invalidText(input: Data) async throws {
        let pair = try await Pair.met()
        let result = try await pair.alice.run("send", "bob", input: input)
        #expect(result.status == (input.first == 0xff ? 64 : 1))
        #expect(result.output == "")
        #expect(try await pair.alice.run("history", "bob", "--json").lines.isEmpty)
    }

    @Test("suggests similar names for an unknown one")
    func unknownName() async throws {
        let pair = try await Pair.met()
        let result = try await pair.alice.run("send", "bobb", "hello")
        #expect(result.status == 5)
        #expect(result.errors.contains("try: did you mean bob?"))
        let json = try await pair.alice.run("send", "bobb", "hello", "--json")
        let error = try #require(try json.objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == "unknownUser")
    }

    @Test("sends to several users, and reports what becomes of the message for each")
    func several() async throws {
        let pair = try await Pair.met()
        let key = try await TestHome.named("carol").userID()
        let result = try await pair.alice.run("send", "bob,\(key),bobb", "hi", "--wait", "delivered", "--timeout", "1s")
        #expect(result.status == 1)
        #expect(result.lines.filter { $0.hasPrefix("bob: ") } == ["bob: queued", "bob: sent", "bob: delivered"])
        #expect(result.lines.count == 4 && result.lines.filter { $0.hasSuffix(": queued") }.count == 2)
        #expect(result.errors.contains("bobb: nobody called \"bobb\" is known"))
        #expect(result.errors.contains("\(key): the message was not delivered in time; it stays queued"))
        let json = try await pair.alice.run("send", "bob, bobb", "hi", "--json")
        #expect(json.status == 5)
        let objects = try json.objects()
        #expect(objects.compactMap { $0["to"] as? String } == ["bobb"])
        #expect(objects.compactMap { $0["state"] as? String } == ["queued"])
        #expect(try await pair.alice.run("send", "bob,", "hi").status == 64)
        #expect(try await pair.bob.run("history", "alice", "--json").lines.count == 2)
    }

    @Test("brings with the first message what the sender says of themselves: earshot profile")
    func profile() async throws {
        let pair = try await Pair.met()
        let set = try await pair.alice.run("profile", "set", "--friendly-name", "Alice from next door")
        #expect(set.lines == ["friendly name: Alice from next door"], "\(set.errors)")
        #expect(try await pair.alice.run("profile", "set").status == 64)
        #expect(try await pair.alice.run("profile", "set", "--attributes", "[]").status == 1)
        #expect(try await pair.bob.run("profile", "alice").lines == ["nothing"])
        #expect(try await pair.alice.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        try await pair.bob.until("bob has heard of it") { client in
            try await client.profile(of: "alice").friendlyName == "Alice from next door"
        }
        #expect(try await pair.bob.run("profile", "alice").lines == ["friendly name: Alice from next door"])
        let own = try await pair.alice.run("profile", "--json").objects()
        #expect(own.first?["friendlyName"] as? String == "Alice from next door")
    }

    @Test("shows nothing raw of what a user says of themselves, and a chat lists what a bot takes")
    func hostileProfile() async throws {
        let pair = try await Pair.met()
        let set = try await pair.alice.run(
            "profile", "set", "--friendly-name", "x\u{1b}[2J\u{202e}y", "--command", "/greet\u{7} WHOM: Greets.")
        #expect(set.status == 0, "\(set.errors)")
        #expect(try await pair.alice.run("profile", "set", "--command", "greet").status == 64)
        #expect(try await pair.alice.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        try await pair.bob.until("bob has heard of it") { client in try await client.profile(of: "alice").isBot }
        for command in [["profile", "alice"], ["chat", "alice"]] {
            let shown = try await pair.bob.run(command)
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(shown.output.contains("a bot") && shown.output.contains("/greet"), "\(shown.output)")
            let raw = "\u{1b}\u{202e}\u{7}".unicodeScalars
            #expect(!(shown.output + shown.errors).unicodeScalars.contains { raw.contains($0) })
        }
        #expect(try await pair.alice.run("profile", "set", "--no-bot").lines.contains("a bot") == false)
    }

    @Test("has a status of its own for a wait in vain, and the message is delivered later")
    func timeout() async throws {
        let pair = try await Pair.met()
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        let result = try await pair.alice.run("send", "bob", "later", "--wait", "delivered", "--timeout", "0.5")
        #expect(result.status == 6)
        #expect(result.lines == ["queued"])
        #expect(result.errors.contains("stays queued and will be delivered later"))
        let port = try #require(try await pair.alice.run("status", "--json").objects().first?["port"] as? Int)
        _ = try await pair.bob.up("--peer", "127.0.0.1:\(port)")
        try await pair.bob.until("bob has the message") { client in
            try await client.history(with: "alice").first?.text == "later"
        }
    }

    @Test("says that a message which was not read in time is delivered")
    func notRead() async throws {
        let pair = try await Pair.met()
        let result = try await pair.alice.run("send", "bob", "read this", "--wait", "read", "--timeout", "2s")
        #expect(result.status == 6)
        #expect(result.lines == ["queued", "sent", "delivered"])
        #expect(result.errors == "earshot: the message was not read in time; it is delivered\n")
    }

    @Test("has a status of its own for a message that expires while somebody waits for it")
    func expired() async throws {
        let pair = try await Pair.met()
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        try await pair.aliceNode.expect("bob is offline")
        let result = try await pair.alice.run("send", "bob", "now", "--ttl", "1s", "--wait", "delivered")
        #expect(result.status == 14)
        #expect(result.lines == ["queued", "failed"])
        #expect(result.errors.contains("bob was not reached before the message expired"), "\(result.errors)")
    }

    @Test("takes the key of a user who was never met: the message waits until they come, and pins their name")
    func strangersKey() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let key = try await bob.userID()
        let queued = try await alice.run("send", key, "welcome", "--no-discovery", "--json")
        #expect(queued.status == 0, "\(queued.errors)")
        #expect(try queued.objects().first?["state"] as? String == "queued")
        #expect(queued.errors.contains("nobody with this key was met yet"))
        let (_, port) = try await bob.up()
        _ = try await alice.up("--peer", "127.0.0.1:\(port)")
        try await bob.until("bob has the message") { client in
            guard try await client.users().contains(where: { $0.name == "alice" }) else { return false }
            return try await client.history(with: "alice").first?.text == "welcome"
        }
        try await alice.until("the message is delivered, and the name is bob's") { client in
            guard try await client.users().contains(where: { $0.name == "bob" && $0.isPinned }) else { return false }
            return try await client.history(with: "bob").first?.recipients.first?.state == "delivered"
        }
    }

    @Test("shows short ids in the history, which every command takes")
    func shortIDs() async throws {
        let pair = try await Pair.met()
        let sent = try await pair.alice.run("send", "bob", "hello", "--wait", "delivered", "--json").objects()
        let id = try #require(sent.first?["id"] as? String)
        let short = try #require(id.firstMatch(of: /^(.{8}).*(-1)$/).map { "\($0.output.1)\($0.output.2)" })
        #expect(try await pair.alice.run("history", "bob").output.contains("  \(short)  alice: hello"))
        #expect(try await pair.alice.run("send", "bob", "second", "--wait", "delivered").status == 0)
        let after = try await pair.alice.run("history", "bob", "--after", short, "--json").objects()
        #expect(after.compactMap { $0["text"] as? String } == ["second"])
        #expect(try await pair.alice.run("cancel", short).errors.contains("already"))
        let erased = try await pair.alice.run("erase", "--yes", short, "--json").objects()
        #expect(erased.first?["id"] as? String == id)
        let unknown = try await pair.alice.run("cancel", "zzzzzzzz-1")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("there is no message zzzzzzzz-1"))
    }

    @Test("waits as long as it is told to, however long that is", arguments: ["5000w", "3000000000"])
    func longTimeout(seconds: String) async throws {
        let pair = try await Pair.met()
        let result = try await pair.alice.run("send", "bob", "x", "--wait", "delivered", "--timeout", seconds)
        #expect(result.status == 0)
    }

    @Test("delivers by itself if no node runs, to a known peer or a new one")
    func withoutNode() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await bob.up()
        let first = try await alice.run("send", "bob", "hi", "--no-discovery", "--peer", "127.0.0.1:\(port)")
        #expect(first.lines == ["queued", "sent", "delivered"])
        let second = try await alice.run("send", "bob", "remembered", "--no-discovery")
        #expect(second.lines == ["queued", "sent", "delivered"])
    }

    @Test("can be taken back until the message has left")
    func cancel() async throws {
        let pair = try await Pair.met()
        let sent = try await pair.alice.run("send", "bob", "gone", "--wait", "delivered", "--json").objects()
        let sentID = try #require(sent.first?["id"] as? String)
        #expect(try await pair.alice.run("cancel", sentID).status == 1)
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        try await pair.aliceNode.expect("bob is offline")
        let queued = try await pair.alice.run("send", "bob", "wrong person", "--json").objects()
        let queuedID = try #require(queued.first?["id"] as? String)
        let result = try await pair.alice.run("cancel", queuedID, "--json")
        #expect(result.status == 0)
        let recipients = try #require(try result.objects().first?["recipients"] as? [[String: Any]])
        #expect(recipients.first?["reason"] as? String == "cancelled")
    }
}
