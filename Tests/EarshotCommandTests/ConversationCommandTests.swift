import EarshotGateway
import Foundation
import Testing

/// Three users whose nodes run and are linked, and who have joined `#ops`.
private struct Trio {
    let homes: [TestHome]
    let nodes: [RunningProgram]

    var alice: TestHome { homes[0] }
    var bob: TestHome { homes[1] }
    var carol: TestHome { homes[2] }

    static func joined() async throws -> Trio {
        var (homes, nodes, ports) = ([TestHome](), [RunningProgram](), [String]())
        for name in ["alice", "bob", "carol"] {
            let home = try await TestHome.named(name)
            let peers = ports.flatMap { ["--peer", "127.0.0.1:\($0)"] }
            let (node, port) = try await home.up(peers)
            homes.append(home)
            nodes.append(node)
            ports.append(port)
        }
        let trio = Trio(homes: homes, nodes: nodes)
        for home in homes {
            try await home.until("the others are here") { try await $0.users().filter(\.isOnline).count == 2 }
        }
        for home in homes {
            let joined = try await home.run("conversation", "join", "ops")
            #expect(joined.status == 0, "\(joined.errors)")
            #expect(joined.lines.first?.hasPrefix("joined #ops: ") == true)
            #expect(joined.lines.last == "write to it: earshot send '#ops' TEXT")
            #expect(joined.errors.contains("there is no network key, so #ops is the same conversation"))
        }
        for home in homes { try await trio.knowAll(home) }
        return trio
    }

    private func knowAll(_ home: TestHome) async throws {
        try await home.until("all are in") { try await $0.participants(of: "#ops").count == 3 }
    }
}

@Suite("A conversation of many", .keepsWhatItStarts)
struct ConversationCommandTests {
    @Test("carries a message to all who have joined, says who has it, and has one history")
    func three() async throws {
        let trio = try await Trio.joined()
        let sent = try await trio.alice.run("send", "#ops", "who is in?", "--wait", "delivered")
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(sent.lines.filter { $0.hasSuffix(": delivered") }.sorted() == ["bob: delivered", "carol: delivered"])
        #expect(try await trio.bob.run("send", "#ops", "me", "--wait", "delivered").status == 0)
        var histories: [[String]] = []
        for home in trio.homes {
            let history = try await home.run("history", "#ops", "--json").objects()
            histories.append(history.compactMap { $0["text"] as? String })
            #expect(history.allSatisfy { $0["conversationName"] as? String == "ops" })
        }
        #expect(histories == Array(repeating: ["who is in?", "me"], count: 3))
        let shown = try await trio.alice.run("history", "#ops").lines
        #expect(shown.first?.hasSuffix("alice: who is in?  ✓✓ 2/2") == true, "\(shown)")
        #expect(shown.last?.hasSuffix("bob: me") == true)
        #expect(try await trio.carol.run("conversations").output.contains(/#ops +2 .* me/))
        #expect(try await trio.carol.run("read", "#ops").lines == ["read: messages in #ops"])
        try await trio.alice.until("carol has read it") { client in
            try await client.history(with: "#ops").first?.counts?.read == 1
        }
        let participants = try await trio.alice.run("conversation", "participants", "ops").lines
        #expect(participants.dropFirst().map { $0.prefix { $0 != " " } } == ["alice", "bob", "carol"])
        #expect(try await trio.bob.run("conversation", "list").output.contains(/#ops +joined +(1 +)?(alice|carol),/))
    }

    @Test("lets one leave, who is given nothing more and can read what is here")
    func leaving() async throws {
        let trio = try await Trio.joined()
        #expect(try await trio.alice.run("send", "#ops", "first", "--wait", "delivered").status == 0)
        #expect(try await trio.carol.run("conversation", "leave", "ops").lines.first?.hasPrefix("left #ops") == true)
        try await trio.nodes[0].expect("carol has left #ops")
        let second = try await trio.alice.run("send", "#ops", "second", "--wait", "delivered")
        #expect(second.lines.last == "bob: delivered")
        let refused = try await trio.carol.run("send", "#ops", "third")
        #expect(refused.status != 0 && refused.errors.contains("you have left #ops"))
        #expect(refused.errors.contains("earshot conversation join ops"), "\(refused.errors)")
        let history = try await trio.carol.run("history", "#ops", "--json").objects()
        #expect(history.compactMap { $0["text"] as? String } == ["first"])
        #expect(try await trio.carol.run("conversation", "list").output.contains(/#ops +left/))
    }

    @Test("is not found under a name that is almost right, and similar ones are named")
    func names() async throws {
        let alice = try await TestHome.named("alice")
        _ = try await alice.up()
        #expect(try await alice.run("conversation", "create", "ops").status == 0)
        let wrong = try await alice.run("send", "#opz", "hi")
        #expect(wrong.status != 0 && wrong.errors.contains("there is no conversation #opz"))
        #expect(wrong.errors.contains("did you mean '#ops'?"), "\(wrong.errors)")
        let new = try await alice.run("history", "#somewhere")
        #expect(new.errors.contains("earshot conversation join somewhere"), "\(new.errors)")
        let alone = try await alice.run("send", "#ops", "anybody?")
        #expect(alone.lines == ["queued"] && alone.errors.contains("nobody else is in #ops yet"), "\(alone.errors)")
        #expect(try await alice.run("conversation", "join", "a/b").errors.contains("none of @ # , /"))
    }

    @Test("is where a chat and the program of a bot write, and a token may be for it alone")
    func programs() async throws {
        let trio = try await Trio.joined()
        let program = trio.bob.path + "/echo.py"
        let script = """
            import json, sys
            for line in sys.stdin:
                given = json.loads(line)
                if given["type"] == "message":
                    print(json.dumps({"ack": given["message"]["id"], "send": [{"text": "echo"}]}), flush=True)
            """
        try script.write(toFile: program, atomically: true, encoding: .utf8)
        let bot = try RunningProgram([
            "bot", "run", "echo", "--home", trio.bob.path, "--exec", "/usr/bin/python3", "-u", program,
        ])
        try await bot.expect("echo runs")
        let token = try await trio.alice.run("token", "create", "builds", "--scope", "send", "--to", "#ops")
        #expect(token.status == 0, "\(token.errors)")
        #expect(try await trio.alice.run("token", "list").output.contains("#ops"))
        #expect(try await trio.carol.run("chat", "#ops", input: Data("hello bot\n".utf8)).status == 0)
        for home in trio.homes {
            try await home.until("the answer is in the conversation") { client in
                try await client.history(with: "#ops").map(\.text) == ["hello bot", "echo"]
            }
        }
        bot.signal(SIGTERM)
        _ = try await bot.end()
    }
}
