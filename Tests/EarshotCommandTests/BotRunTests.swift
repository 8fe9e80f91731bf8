import Earshot
import EarshotGateway
import Foundation
import Testing

@Suite("earshot bot run", .timeLimit(.minutes(2)), .keepsWhatItStarts)
struct BotRunTests {
    /// Alice's node, and a bot of robot's that runs a program in Python.
    private struct Arranged {
        let alice: TestHome
        let aliceNode: RunningProgram
        let port: String
        let robot: TestHome

        init() async throws {
            alice = try await TestHome.named("alice")
            (aliceNode, port) = try await alice.up()
            robot = try await TestHome.named("robot")
        }

        /// Starts the bot. It returns when alice has met it.
        func bot(_ program: String, options: [String] = []) async throws -> RunningProgram {
            let file = robot.path + "/bot.py"
            try program.write(toFile: file, atomically: true, encoding: .utf8)
            let bot = try RunningProgram(
                [
                    "bot", "run", "test", "--home", robot.path, "--no-discovery", "--peer", "127.0.0.1:\(port)",
                ] + options + ["--exec", "/usr/bin/python3", "-u", file])
            try await bot.expect("test runs")
            try await alice.until("alice has met robot") { client in
                try await client.users().contains { $0.name == "robot" && $0.isOnline }
            }
            return bot
        }

        func send(_ text: String) async throws {
            let result = try await alice.run("send", "robot", text)
            try #require(result.status == 0, "\(result.errors)")
        }

        /// Robot's messages to alice, once the last one has this text.
        func answers(until last: String) async throws -> [GatewayMessage] {
            try await alice.until("alice has got: \(last)") { client in
                try await client.history(with: "robot").contains { $0.text == last }
            }
            return try await GatewayClient(home: Home(path: alice.path)).history(with: "robot", order: .arrival)
                .filter { $0.sender.name == "robot" }
        }

        /// What there is of reactions to alice's messages.
        func reactions() async throws -> [String] {
            try await GatewayClient(home: Home(path: alice.path)).history(with: "robot")
                .filter { $0.sender.name == "alice" }.flatMap { $0.reactions.map(\.emoji) }
        }

        func end(_ bot: RunningProgram) async throws {
            bot.signal(SIGTERM)
            let result = try await bot.end()
            #expect(result.status == 0)
            #expect(!result.errors.contains("signal 15") && !result.errors.contains("Cancellation"), "\(result.errors)")
        }
    }

    @Test("says at once that its program cannot be run", arguments: ["/nowhere/bot", "no-such-bot", "/etc/passwd"])
    func noProgram(path: String) async throws {
        let robot = try await TestHome.named("robot")
        let result = try await Program.run(
            "bot", "run", "test", "--home", robot.path, "--no-discovery", "--exec", path)
        #expect(result.status != 0)
        #expect(result.errors.contains("\(path) is no program that can be run"))
    }

    private static let echo = """
        import json, sys
        for line in sys.stdin:
            given = json.loads(line)
            if given["type"] == "message":
                message = given["message"]
                answer = {"ack": message["id"], "send": [{"text": "you said: " + message["text"]}]}
                print(json.dumps(answer), flush=True)
        """

    @Test("answers with what a program of ten lines says, marked as a program's, and ends with a signal")
    func echo() async throws {
        let arranged = try await Arranged()
        let bot = try await arranged.bot(Self.echo)
        for text in ["one", "ünïcode\u{2028}two"] { try await arranged.send(text) }
        let answers = try await arranged.answers(until: "you said: ünïcode\u{2028}two")
        #expect(answers.map(\.text) == ["you said: one", "you said: ünïcode\u{2028}two"])
        #expect(answers.allSatisfy { $0.headers == ["auto-submitted": "auto-replied"] })
        try await arranged.end(bot)
    }

    @Test("prepares a draft with all that it has, and says what a message that answers none cannot be")
    func draft() async throws {
        let arranged = try await Arranged()
        let bot = try await arranged.bot(
            """
            import json, sys
            draft = {"to": "alice", "text": "Dinner?", "isDraft": True, "layout": {"caption": "At eight"}, "mentions": ["alice"]}
            later = {"to": "alice", "text": "e4", "notBefore": "2999-01-01T00:00:00Z"}
            for send in [draft, {**later, "session": {"summary": "s"}}, {**later, "mentions": ["alice"]}]:
                print(json.dumps({"send": [send]}), flush=True)
            for line in sys.stdin:
                given = json.loads(line)
                if given["type"] == "error":
                    sys.stderr.write(given["message"] + "\\n")
            """)
        try await bot.expectError("a move of a session is sent at once")
        try await bot.expectError("a message that goes out later mentions nobody")
        let drafts = try await GatewayClient(home: Home(path: arranged.robot.path)).drafts()
        #expect(drafts.map(\.text) == ["Dinner?"] && drafts.first?.layout?.caption == "At eight")
        #expect(drafts.first?.mentions.map(\.name) == ["alice"])
        try await arranged.end(bot)
    }

    @Test("accepts as many invitations as it may, answers in the conversation, and says how the others are accepted")
    func invitations() async throws {
        let arranged = try await Arranged()
        let bot = try await arranged.bot(Self.echo, options: ["--accept-invitations", "1"])
        for name in ["crew", "club"] {
            let created = try await arranged.alice.run("conversation", "create", name, "--private", "--invite", "robot")
            #expect(created.status == 0, "\(created.errors)")
            if name == "crew" { try await arranged.aliceNode.expect("robot has joined #crew") }
        }
        try await bot.expectError("invited to #club: earshot conversation accept")
        #expect(try await arranged.alice.run("send", "#crew", "hello").status == 0)
        try await arranged.alice.until("the answer is in the conversation") { client in
            try await client.history(with: "#crew").contains { $0.text == "you said: hello" }
        }
        try await arranged.end(bot)
    }

    @Test("shows how far it has come in one answer, also when its program begins again, and reacts")
    func progress() async throws {
        let arranged = try await Arranged()
        let bot = try await arranged.bot(
            """
            import json, os, signal, sys
            given = json.loads(sys.stdin.readline())
            id = given["message"]["id"]
            def say(**line): print(json.dumps(line), flush=True)
            say(react=id, emoji="👀")
            say(reply=id, text=f"attempt {given['attempt']}")
            if given["attempt"] == 1:
                # Refused, and answered when all before it was done.
                say(edit="nothing", text="")
                sys.stdin.readline()
                os.kill(os.getpid(), signal.SIGKILL)
            say(edit=id, text="half")
            say(ack=id, edit="done")
            sys.stdin.readline()
            """)
        try await arranged.send("work")
        let answers = try await arranged.answers(until: "done")
        #expect(answers.map(\.text) == ["done"])
        #expect(answers[0].isEdited && answers[0].headers == ["auto-submitted": "auto-replied"])
        #expect(try await arranged.reactions() == ["👀"])
        try await arranged.end(bot)
    }

    @Test("starts its program again, and gives it the message that it had, with the number of attempts")
    func restart() async throws {
        let arranged = try await Arranged()
        let bot = try await arranged.bot(
            """
            import json, os, signal, sys
            given = json.loads(sys.stdin.readline())
            if given["attempt"] == 1:
                sys.stderr.write("about to die\\n")
                sys.stderr.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            print(json.dumps({"ack": given["message"]["id"], "send": [{"text": f"attempt {given['attempt']}"}]}))
            sys.stdin.readline()
            """)
        try await arranged.send("hello")
        #expect(try await arranged.answers(until: "attempt 2").map(\.text) == ["attempt 2"])
        try await bot.expectError("about to die")
        try await bot.expectError("the program ended: signal 9")
        try await arranged.end(bot)
    }

    @Test("killed with its node, answers what came meanwhile, and nothing twice")
    func killed() async throws {
        let arranged = try await Arranged()
        for text in ["one", "two", "three"] {
            let bot = try await arranged.bot(Self.echo)
            try await arranged.send(text)
            _ = try await arranged.answers(until: "you said: \(text)")
            bot.signal(SIGKILL)
            _ = try await bot.end()
        }
        try await arranged.send("four")
        let bot = try await arranged.bot(Self.echo)
        #expect(
            try await arranged.answers(until: "you said: four").map(\.text)
                == ["one", "two", "three", "four"].map { "you said: \($0)" })
        try await arranged.end(bot)
    }

    @Test("tells the program which of its lines is wrong, and why an answer cannot be sent")
    func wrongLines() async throws {
        let arranged = try await Arranged()
        let bot = try await arranged.bot(
            """
            import json, sys
            def say(line):
                print(line, flush=True)
            def hear():
                return json.loads(sys.stdin.readline())
            given = hear()
            say("hello")
            first = hear()["message"]
            say(json.dumps({"ack": given["message"]["id"], "send": [{"to": "nobody", "text": "x"}]}))
            error = hear()
            second = error["message"]
            again = hear()
            assert error["id"] == again["message"]["id"] and again["attempt"] == 2
            say(json.dumps({"ack": again["message"]["id"], "send": [{"text": text} for text in [first, second]]}))
            hear()
            """)
        try await arranged.send("hello")
        let answers = try await arranged.answers(until: "an answer is refused: nobody called \"nobody\" is known")
        #expect(answers.first?.text == "the line is not a JSON object: hello")
        try await bot.expectError("comes again after a failure: an answer of the program is refused: nobody called")
        try await arranged.end(bot)
    }

    @Test("works beside a node that runs, waits for it when it is killed, and answers nothing twice")
    func beside() async throws {
        let arranged = try await Arranged()
        var (node, _) = try await arranged.robot.up("--peer", "127.0.0.1:\(arranged.port)")
        let bot = try await arranged.bot(Self.echo)
        try await arranged.send("one")
        _ = try await arranged.answers(until: "you said: one")
        node.signal(SIGKILL)
        _ = try await node.end()
        try await bot.expectError("no node listens|the connection to the node was lost")
        try await arranged.send("two")
        (node, _) = try await arranged.robot.up("--peer", "127.0.0.1:\(arranged.port)")
        #expect(
            try await arranged.answers(until: "you said: two").map(\.text) == ["you said: one", "you said: two"])
        try await arranged.end(bot)
        node.signal(SIGTERM)
    }

    @Test("sets a message aside that its program fails on five times, and bot status shows it with its reason")
    func setAside() async throws {
        let arranged = try await Arranged()
        let (node, _) = try await arranged.robot.up("--peer", "127.0.0.1:\(arranged.port)")
        defer { node.signal(SIGTERM) }
        let bot = try await arranged.bot(
            """
            import json, sys
            for line in sys.stdin:
                message = json.loads(line)["message"]
                if message["text"] == "poison":
                    print(json.dumps({"fail": message["id"], "reason": "told to"}), flush=True)
                else:
                    print(json.dumps({"ack": message["id"], "send": [{"text": "fine"}]}), flush=True)
            """)
        try await arranged.send("poison")
        try await arranged.send("hello")
        #expect(try await arranged.answers(until: "fine").map(\.text) == ["fine"])
        try await bot.expectError("message \\w{8}-1 comes again after a failure: told to")
        try await bot.expectError(
            "message \\w{8}-1 is set aside after 5 failures: told to; .*: earshot bot retry test \\w{8}-1")
        let result = try await arranged.robot.run("bot", "status", "test")
        #expect(result.output.contains("poison"), "\(result.output)\(result.errors)")
        let all = try await arranged.robot.run("bot", "status", "--json").objects()
        #expect(all.map { $0["setAsideCount"] as? Int } == [1])
        #expect(all.map { $0["lag"] as? Int } == [0])
        try await arranged.end(bot)
        #expect(try await arranged.robot.run("bot", "retry", "test").status == 64)
        #expect(try await arranged.robot.run("bot", "retry", "test", "--all").output == "1 message comes again\n")
        let retried = try await arranged.robot.run("bot", "status", "--json").objects()
        #expect(retried.map { $0["setAsideCount"] as? Int } == [0])
        let again = try #require((retried.first?["comingAgain"] as? [String])?.first)
        let shown = try await arranged.robot.run("bot", "status", "test").output
        #expect(shown.contains("comes again: \(again.prefix(8))-1"), "\(shown)")
        let moved = try await arranged.robot.run("bot", "move", "test", "--from", "now").output
        #expect(moved.contains("what was to come again (1 message) comes in its turn, or not at all"), "\(moved)")
        let left = try await arranged.robot.run("bot", "status", "--json").objects()
        #expect(left.map { $0["comingAgain"] as? [String] } == [[]])
    }

    @Test("begins where it is told, sets aside after as many failures as it is told, and knows who it is")
    func options() async throws {
        let arranged = try await Arranged()
        let (node, _) = try await arranged.robot.up("--peer", "127.0.0.1:\(arranged.port)")
        defer { node.signal(SIGTERM) }
        try await arranged.alice.until("alice has met robot") { try await !$0.users().isEmpty }
        for text in ["poison", "hello"] {
            #expect(try await arranged.alice.run("send", "robot", text, "--wait", "delivered").status == 0)
        }
        let bot = try await arranged.bot(
            """
            import json, os, sys
            for line in sys.stdin:
                message = json.loads(line)["message"]
                if message["text"] == "poison":
                    print(json.dumps({"fail": message["id"], "reason": "told to"}), flush=True)
                else:
                    me = os.environ["EARSHOT_BOT"] + " " + os.environ["EARSHOT_USER"]
                    print(json.dumps({"ack": message["id"], "send": [{"text": me}]}), flush=True)
            """, options: ["--from", "beginning", "--attempts", "1"])
        let robotID = try #require(try await arranged.robot.run("status", "--json").objects().first?["id"] as? String)
        _ = try await arranged.answers(until: "test \(robotID)")
        let result = try await arranged.robot.run("bot", "status", "test")
        #expect(result.output.contains("poison"), "\(result.output)\(result.errors)")
        try await arranged.end(bot)
    }

    @Test("sends a message once that its program sends with a key, however often it does")
    func keys() async throws {
        let arranged = try await Arranged()
        let bot = try await arranged.bot(
            """
            import json, sys
            for line in sys.stdin:
                message = json.loads(line)["message"]
                for key in ["a", "a", "b"]:
                    print(json.dumps({"send": [{"to": "alice", "text": key, "idempotencyKey": key}]}), flush=True)
                print(json.dumps({"ack": message["id"], "send": [{"text": "done", "idempotencyKey": "c"}]}), flush=True)
            """)
        try await arranged.send("hello")
        #expect(try await arranged.answers(until: "done").map(\.text) == ["a", "b", "done"])
        try await arranged.end(bot)
    }

    @Test("leaves a bot that can be moved and removed with commands, and says what is wrong with a place or a name")
    func consumers() async throws {
        let robot = try await TestHome.named("robot")
        let node = try await robot.up().0
        defer { node.signal(SIGTERM) }
        try await GatewayClient(home: Home(path: robot.path)).prepareConsumer("test")
        for (arguments, status, text) in [
            (["move", "test", "--from", "beginning"], Int32(0), "test begins with the first message"),
            (
                ["move", "test", "--from", "2026-01-31T12:00:00Z"], 0,
                "test begins with messages of 2026-01-31T12:00:00Z"
            ),
            (["move", "test", "--from", "yesterday"], 64, "now, beginning, or a time"),
            (["move", "other", "--from", "now"], 1, "no bot called other has run here"),
            (["retry", "test", "nonsense-5"], 1, "take its id from: earshot bot status test"),
            (["remove", "test"], 0, "test is removed"), (["remove", "test"], 1, "no bot called test has run here"),
            (["retry", "test", "--all"], 1, "see which have: earshot bot status"),
            (["status", "test"], 1, "no bot called test has run here"),
        ] {
            let result = try await robot.run(["bot"] + arguments)
            #expect((result.output + result.errors).contains(text), "\(arguments): \(result.output)\(result.errors)")
            #expect((result.status == 0) == (status == 0), "\(arguments)")
        }
    }

    @Test("needs a program")
    func usage() async throws {
        let result = try await Program.run("bot", "run", "test")
        #expect(result.status == 64)
        #expect(result.errors.contains("--exec is missing"))
        for option in [["--home", "robot"], ["--no-discovery"]] {
            let result = try await Program.run(
                ["bot", "run", "test", "--socket", "robot.sock"] + option + ["--exec", "true"])
            #expect(result.status == 64)
            #expect(result.errors.contains("--socket names a node that runs"))
        }
        let lost = try await Program.run("bot", "run", "test", "--socket", "/nowhere/robot.sock", "--exec", "true")
        #expect(lost.status != 0)
        #expect(lost.errors.contains("no node listens on /nowhere/robot.sock"))
    }

    @Test("gives its node up for one that stays, and goes on beside it, and beside the next")
    func givesWay() async throws {
        let arranged = try await Arranged()
        let bot = try await arranged.bot(
            """
            import json, sys
            for line in sys.stdin:
                message = json.loads(line).get("message")
                if message:
                    print(json.dumps({"ack": message["id"], "send": [{"text": "re " + message["text"]}]}), flush=True)
            """)
        try await arranged.send("one")
        #expect(try await arranged.answers(until: "re one").map(\.text) == ["re one"])
        for text in ["two", "three"] {
            let (node, _) = try await arranged.robot.up("--peer", "127.0.0.1:\(arranged.port)")
            try await arranged.send(text)
            #expect(try await arranged.answers(until: "re \(text)").count(where: { $0.text == "re \(text)" }) == 1)
            node.signal(SIGTERM)
            #expect(try await node.end().status == 0)
        }
        try await arranged.end(bot)
    }
}
