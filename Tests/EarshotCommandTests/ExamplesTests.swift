import Earshot
import EarshotGateway
import Foundation
import Testing

@Suite("The examples", .keepsWhatItStarts)
struct ExamplesTests {
    private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../examples").standardizedFileURL

    @Test("hello: a Swift program sends a message and prints its states")
    func hello() async throws {
        let pair = try await Pair.met()
        // The program is a node of its own, so the one that runs on this home makes room. They have met before.
        pair.aliceNode.signal(SIGTERM)
        _ = try await pair.aliceNode.end()
        let example = try RunningProgram(
            [pair.alice.path, "bob", "hello from a program"], program: Program.built("hello"))
        let result = try await example.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines == ["queued", "sent", "delivered"])
        let history = try await pair.bob.run("history", "alice", "--json").objects()
        #expect(history.last?["text"] as? String == "hello from a program")
    }

    @Test("quickstart: a Swift program talks in a conversation of many, and shows what was said before")
    func quickstart() async throws {
        let pair = try await Pair.met()
        pair.aliceNode.signal(SIGTERM)
        _ = try await pair.aliceNode.end()
        #expect(try await pair.bob.run("conversation", "join", "quickstart").status == 0)
        #expect(try await pair.bob.run("send", "#quickstart", "is anybody here?").status == 0)
        let program = Program.built("quickstart")
        let example = try RunningProgram([pair.alice.path], program: program)
        try await example.expect(#"bob: is anybody here\?\n"#)
        example.write(Data("I am\n".utf8))
        try await pair.bob.until("bob has the answer") { client in
            try await client.history(with: "#quickstart").contains { $0.text == "I am" }
        }
        example.closeInput()
        #expect(try await example.end().status == 0)
        let again = try RunningProgram([pair.alice.path], program: program)
        again.closeInput()
        #expect(try await again.end().lines == ["bob: is anybody here?", "alice: I am"])
    }

    @Test("quickstart/page: its server gives the page, and passes on to the node what shows a token, and nothing else")
    func quickstartPage() async throws {
        let pair = try await Pair.met()
        let server = try run("../quickstart/page/serve.py", ["--port", "0"], by: pair.alice)
        defer { server.signal(SIGTERM) }
        let port = try await server.expect(#"http://127\.0\.0\.1:(\d+)/"#)
        func curl(_ path: String, _ options: String...) throws -> RunningProgram {
            try RunningProgram(
                options + ["--silent", "--show-error", "--no-buffer", "http://127.0.0.1:\(port)\(path)"],
                program: "/usr/bin/curl")
        }
        #expect(try await curl("/").end().output.contains("quickstart.js"))
        #expect(try await curl("/quickstart.js").end().output.contains("/v1/"))
        #expect(try await curl("/serve.py", "--fail").end().status == 22)
        for credentials in ["", "Bearer earshot_x"] {
            let refusal = try await curl("/v1/node", "--header", "authorization: \(credentials)").end()
            #expect(refusal.output.contains("token"), "\(refusal.output)")
            #expect(!refusal.output.contains("deviceID"))
        }
        let made = try await pair.alice.run("token", "create", "quickstart", "--scope", "read", "--scope", "send")
        let token = ["--header", "authorization: Bearer \(try #require(made.lines.first))"]
        let events = try curl("/v1/events", token[0], token[1])
        defer { events.signal(SIGTERM) }
        try await events.expect("earshot events")
        let begun = try await curl(
            "/v1/conversations", token[0], token[1], "--data-binary", #"{"uniqueName":"quickstart"}"#
        ).end()
        #expect(begun.output.contains(#""uniqueName":"quickstart""#), "\(begun.output)")
        _ = try await curl(
            "/v1/messages", token[0], token[1], "--data-binary", ##"{"to":"#quickstart","text":"hello"}"##
        ).end()
        try await events.expect(#""text":"hello""#)
        let history = try await curl("/v1/conversations/%23quickstart/messages?limit=50", token[0], token[1]).end()
        #expect(history.output.contains(#""text":"hello""#))
    }

    @Test("two-users.sh: a script lets two users talk")
    func twoUsers() async throws {
        let script = folder.appendingPathComponent("two-users.sh").path
        let example = try RunningProgram([script], program: "/bin/bash", environment: ["EARSHOT_BIN": Program.path])
        let result = try await example.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.filter { $0 == "delivered" }.count == 2)
        #expect(result.lines.suffix(2) == ["alice: Hello Bob!", "bob: Hello Alice!"])
    }

    // MARK: - Bots

    /// Runs an example of `examples/bots` beside alice's node.
    private func run(
        _ example: String, _ arguments: [String] = [], environment: [String: String] = [:], by alice: TestHome
    ) throws -> RunningProgram {
        try RunningProgram(
            [folder.appendingPathComponent("bots/\(example)").path] + arguments, program: "/usr/bin/env",
            environment: environment.merging(["EARSHOT_HOME": alice.path]) { $1 })
    }

    /// The last texts that bob has got from alice.
    private func texts(at bob: TestHome) async throws -> [String] {
        try await bob.run("history", "alice", "--json").objects().compactMap { $0["text"] as? String }
    }

    private func wait(for text: String, at bob: TestHome) async throws {
        try await bob.until("bob has got: \(text)") { client in
            try await client.history(with: "alice").contains { $0.text == text }
        }
    }

    @Test("notify.sh: one line tells a user something, marked as a program's")
    func notify() async throws {
        let pair = try await Pair.met()
        let result = try await run("notify.sh", ["bob", #"the "backup" is done"#], by: pair.alice).end()
        #expect(result.status == 0, "\(result.errors)")
        try await wait(for: #"the "backup" is done"#, at: pair.bob)
        let message = try #require(try await pair.bob.run("history", "alice", "--json").objects().last)
        #expect(message["headers"] as? [String: String] == ["auto-submitted": "auto-generated"])
        #expect(try await run("notify.sh", ["nobody", "hello"], by: pair.alice).end().status != 0)
    }

    @Test("build_status.py: tells when a build breaks and when it works again, and nothing between")
    func buildStatus() async throws {
        let pair = try await Pair.met()
        let state = pair.alice.path + "/state"
        func build(_ command: String) async throws -> Int32 {
            let example = try run(
                "build_status.py", ["--to", "bob", "--state", state, "--", "sh", "-c", command], by: pair.alice)
            return try await example.end().status
        }
        #expect(try await build("echo well") == 0)
        #expect(try await build("echo badly; exit 3") == 3)
        #expect(try await build("exit 3") == 3)
        #expect(try await build("echo well") == 0)
        try await wait(for: "sh -c echo well works again", at: pair.bob)
        #expect(
            try await texts(at: pair.bob)
                == ["sh -c echo badly; exit 3 is broken (status 3):\nbadly", "sh -c echo well works again"])
    }

    @Test("build_status.py: tells what it could not tell because no node ran, and tells it once though it was killed")
    func buildStatusRepeats() async throws {
        let pair = try await Pair.met()
        let state = pair.alice.path + "/state"
        let arguments = ["--to", "bob", "--state", state]
        let away = try await run(
            "build_status.py", arguments + ["--socket", "/nowhere", "--", "false"], by: pair.alice
        )
        .end()
        #expect(away.status == 1 && away.errors.contains("the next build tells it"), "\(away.errors)")
        let before = try Data(contentsOf: URL(fileURLWithPath: state))
        // As if it had been killed between sending and writing that down.
        for _ in 1...2 {
            try before.write(to: URL(fileURLWithPath: state))
            #expect(try await run("build_status.py", arguments + ["--", "false"], by: pair.alice).end().status == 1)
        }
        #expect(try await run("build_status.py", arguments + ["--", "true"], by: pair.alice).end().status == 0)
        try await wait(for: "true works again", at: pair.bob)
        #expect(try await texts(at: pair.bob) == ["false is broken (status 1):", "true works again"])
    }

    @Test(
        "webhook_relay.py: what a web service posts becomes one message, however often it posts it, if it knows the secret"
    )
    func webhookRelay() async throws {
        let pair = try await Pair.met()
        let relay = try run(
            "webhook_relay.py", ["--to", "bob", "--port", "0"], environment: ["EARSHOT_WEBHOOK_SECRET": "s3cret"],
            by: pair.alice)
        defer { relay.signal(SIGTERM) }
        let port = try await relay.expect(#"listening on port (\d+)"#)
        func post(
            _ path: String, _ body: String, type: String = "application/json", delivery: String = ""
        ) async throws -> String {
            let curl = try RunningProgram(
                [
                    "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--header",
                    "content-type: \(type)", "--header", "webhook-id: \(delivery)",
                    "--data-binary", body, "http://127.0.0.1:\(port)/\(path)",
                ], program: "/usr/bin/curl")
            return try await curl.end().output
        }
        for _ in 1...2 { #expect(try await post("s3cret", #"{"text":"deployed"}"#, delivery: "7") == "202") }
        #expect(try await post("s3cret", "plainly", type: "text/plain") == "202")
        try await wait(for: "plainly", at: pair.bob)
        #expect(try await texts(at: pair.bob) == ["deployed", "plainly"])
        #expect(try await post("s3cret", #"{"text":"other"}"#, delivery: "7") == "409")
        #expect(try await post("s3cret", #"{"text":""}"#) == "422")
        #expect(try await post("secret", #"{"text":"deployed"}"#) == "404")
        #expect(try await post("s3cret", #"{"message":"deployed"}"#) == "400")
        #expect(try await post("s3cret", String(repeating: "x", count: 65_537), type: "text/plain") == "413")
        pair.aliceNode.signal(SIGTERM)
        _ = try await pair.aliceNode.end()
        #expect(try await post("s3cret", #"{"text":"deployed"}"#) == "503")
    }

    @Test("job.py: shows in one answer how far a program has come, and how it has ended")
    func job() async throws {
        let (alice, robot) = (try await TestHome.named("alice"), try await TestHome.named("robot"))
        let (_, port) = try await alice.up()
        let bot = try RunningProgram([
            "bot", "run", "job", "--home", robot.path, "--no-discovery", "--peer", "127.0.0.1:\(port)", "--exec",
            "/usr/bin/python3", folder.appendingPathComponent("bots/job.py").path, "sh", "-c", "echo well; exit 3",
        ])
        defer { bot.signal(SIGTERM) }
        try await bot.expect("job runs")
        try await alice.until("alice has met robot") { client in
            try await client.users().contains { $0.name == "robot" && $0.isOnline }
        }
        #expect(try await alice.run("send", "robot", "hello").status == 0)
        #expect(try await alice.run("send", "robot", "run").status == 0)
        let ended = "failed (status 3)\nwell"
        try await alice.until("alice has got the end") { client in
            try await client.history(with: "robot").contains { $0.text == ended }
        }
        let history = try await GatewayClient(home: Home(path: alice.path)).history(with: "robot", order: .arrival)
        #expect(history.filter { $0.sender.name == "robot" }.map(\.text) == ["I know: run", ended])
        #expect(history.first { $0.text == "run" }?.reactions.map(\.emoji) == ["👀"])
    }

    @Test("reminders.py: says that a time is too far away, and goes on")
    func farReminder() async throws {
        let pair = try await Pair.met()
        try await GatewayClient(home: Home(path: pair.alice.path)).prepareConsumer("reminders")
        let bot = try run("reminders.py", by: pair.alice)
        defer { bot.signal(SIGTERM) }
        _ = try await pair.bob.run("send", "alice", "/remind 999999w x")
        try await wait(for: "999999w is too far away.", at: pair.bob)
    }

    @Test("test_reminders.py: the bot's own tests hand out twice, crash the node, and turn the clock")
    func testsOfReminders() async throws {
        let tests = try RunningProgram(
            [folder.appendingPathComponent("bots/test_reminders.py").path], program: "/usr/bin/env",
            environment: ["EARSHOT_BIN": Program.path])
        let result = try await tests.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("Ran 3 tests"), "\(result.errors)")
    }

    @Test("reminders.py: confirms at once and reminds in time, once, though it is killed")
    func reminders() async throws {
        let pair = try await Pair.met()
        // Its place in the inbox, from which on it misses nothing.
        try await GatewayClient(home: Home(path: pair.alice.path)).prepareConsumer("reminders")
        let first = try run("reminders.py", by: pair.alice)
        _ = try await pair.bob.run("send", "alice", "/remind 1s the tea")
        try await wait(for: "I will remind you in 1s.", at: pair.bob)
        first.signal(SIGKILL)
        _ = try await first.end()
        try await wait(for: "the tea", at: pair.bob)
        _ = try await pair.bob.run("send", "alice", "hello")
        let second = try run("reminders.py", by: pair.alice)
        defer { second.signal(SIGTERM) }
        let help = "I know: /remind 10m the tea. The time has a unit: s, m, h, d or w."
        try await wait(for: help, at: pair.bob)
        #expect(
            try await texts(at: pair.bob)
                == ["/remind 1s the tea", "I will remind you in 1s.", "the tea", "hello", help])
    }
}
