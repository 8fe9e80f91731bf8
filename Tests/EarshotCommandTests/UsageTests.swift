import Earshot
import Foundation
import Testing

@testable import EarshotCommand

@Suite("The command line", .keepsWhatItStarts)
struct UsageTests {
    @Test("documents the exit codes in its help")
    func help() async throws {
        let help = try await Program.run("--help")
        #expect(help.status == 0)
        for code in ["0", "1", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "64"] {
            #expect(help.output.contains(try Regex("(?m)^ *\(code)  [a-z]")))
        }
    }

    @Test(
        "has a status of its own for arguments that make no sense",
        arguments: [
            ["shout"], ["send"], ["up", "--peer", "nowhere"], ["up", "--peer", "300.1.2.3:7000"],
            ["up", "--peer", "b$b:7000"], ["up", "--port", "65536"], ["cancel", "x"],
            ["send", "bob", "x", "--wait", "eaten"], ["trust"], ["trust", "bob", "--yes"],
            ["verify", "bob", "--matches", "123"],
            ["verify", "bob", "--matches", "1", "--yes"], ["block"], ["completions"], ["completions", "tcsh"],
            ["audit"], ["erase"], ["erase", "x"], ["export"], ["import"], ["import", "file", "--yes"],
        ])
    func usage(arguments: [String]) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status == 64)
        #expect(result.output == "")
    }

    @Test(
        "reports arguments that make no sense as JSON, if that is asked for",
        arguments: [
            (["send", "--json"], "invalidUsage"), (["send", "bob", "x", "--wait", "eaten", "--json"], "invalidUsage"),
            (["cancel", "--json", "x"], "invalidUsage"), (["sned", "--json"], "unknownCommand"),
            (["users", "--json", "--colour"], "invalidUsage"),
        ])
    func usageJSON(arguments: [String], code: String) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status == 64)
        let error = try #require(try result.objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == code)
        #expect((error["message"] as? String)?.isEmpty == false)
        #expect((error["remedy"] as? String)?.hasPrefix("earshot") == true)
    }

    @Test(
        "takes times with units",
        arguments: [("90s", 90.0), ("5m", 300), ("1d12h", 129_600), ("30d", 2_592_000), ("1.5", 1.5)])
    func times(text: String, seconds: Double) throws {
        #expect(try SpanOfTime.readPositive(text) == .seconds(seconds))
    }

    @Test(
        "refuses what is no time, and says what one looks like",
        arguments: ["0", "-1", "inf", "nan", "0x10", "5 minutes", "m", "1e300", "101000w", "٣d"])
    func noTime(text: String) async throws {
        let result = try await Program.run("send", "bob", "x", "--ttl=\(text)")
        #expect(result.status == 64)
        #expect(result.errors.contains("no time") || result.errors.contains("hundred years"), "\(result.errors)")
    }

    @Test(
        "says what was probably meant by words without quotation marks, and by what looks like an option",
        arguments: [
            (["send", "bob", "hello", "world"], "a text of several words is one argument", "earshot send NAME \""),
            (["send", "bob", "a", "b", "c"], "a text of several words is one argument", "earshot send NAME \""),
            (["send", "bob", "-5"], "-- comes before it", "earshot send NAME -- \"-5\""),
            (["send", "bob", "x", "--timeout", "-1"], "\"-1\" is no value for --timeout", "earshot send --help"),
        ])
    func hint(arguments: [String], cause: String, remedy: String) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status == 64 && result.output == "")
        #expect(result.errors.contains(cause), "\(result.errors)")
        #expect(result.errors.contains("\n  try: \(remedy)"), "\(result.errors)")
        let error = try #require(
            try await Program.run(arguments + ["--json"]).objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == "invalidUsage")
    }

    @Test("leaves the argument parser its own words where they say what to do")
    func noHint() async throws {
        for arguments in [["send", "bob", "x", "--wat"], ["history", "bob", "5"], ["send", "bob", "x", "--timeout"]] {
            let result = try await Program.run(arguments)
            #expect(result.status == 64 && result.errors.contains("Usage: earshot"), "\(result.errors)")
        }
    }

    @Test("tells the version")
    func version() async throws {
        let program = try RunningProgram(["--version"], program: Program.built("earshot"))
        #expect(try await program.end().output == "earshot \(Earshot.versionOfBuild)\n")
    }

    @Test(
        "says what is wrong with a peer's address, and how to write one",
        arguments: [
            ("nowhere", "\"nowhere\" is not a host and a port"), ("bob:0", "\"bob:0\" is not a host and a port"),
            ("300.1.2.3:7000", "\"300.1.2.3\" is not an IPv4 address"),
            ("[bob]:7000", "\"bob\" is not an IPv6 address"), ("b$b:7000", "\"b$b\" is not a host name"),
        ])
    func peerAddress(text: String, cause: String) async throws {
        let result = try await Program.run("send", "bob", "hi", "--peer", text)
        #expect(result.status == 64)
        #expect(result.errors.contains(cause), "\(result.errors)")
        #expect(result.errors.contains("host:port, 1.2.3.4:port or [v6]:port"), "\(result.errors)")
    }

    @Test("takes no more peers than a node dials, and says so")
    func peerCount() async throws {
        let peers = (1...257).flatMap { ["--peer", "host:\($0)"] }
        let result = try await Program.run(["send", "bob", "hi"] + peers)
        #expect(result.status == 64)
        #expect(result.errors.contains("256"), "\(result.errors)")
    }

    @Test(
        "has examples for every command",
        arguments: [
            "init", "up", "status", "users", "send", "chat", "history", "cancel", "trust", "verify", "block", "unblock",
            "completions", "doctor", "network", "audit", "erase", "export", "import",
        ])
    func examples(command: String) async throws {
        let help = try await Program.run(command, "--help")
        #expect(help.output.contains("earshot \(command)"))
    }

    @Test(
        "suggests a command for an unknown one",
        arguments: [
            (["sned", "bob"], "earshot send"), (["user"], "earshot users"), (["help", "sned"], "earshot send"),
            (["SEND"], "earshot send"), (["hist"], "earshot history"), (["frobnicate"], "earshot --help"),
        ])
    func typo(arguments: [String], remedy: String) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("earshot: there is no command \""))
        #expect(result.errors.contains("\n  try: \(remedy)"))
        #expect(result.output == "")
    }

    @Test(
        "ends with an error, and never by a crash, if its answer cannot be written",
        arguments: [
            ("completions bash >/dev/full", 1), ("completions bash >/dev/full 2>/dev/full", 1),
            ("sned 2>/dev/full", 64), ("completions bash >&4", 128 + SIGPIPE), ("sned 2>&4", 64),
        ])
    func unwritable(command: String, status: Int32) async throws {
        // The fourth descriptor is a pipe whose reader has gone.
        let shell = try RunningProgram(
            [
                "-c",
                "d=$(mktemp -d) && mkfifo $d/f && exec 3<>$d/f 4>$d/f 3<&- && rm -r $d && \"$0\" \(command)",
                Program.path,
            ], program: "/bin/bash")
        #expect(try await shell.end().status == status)
    }

    @Test("shows no control character of an unknown command")
    func hostileCommand() async throws {
        let result = try await Program.run("se\u{1b}[2Jnd")
        #expect(result.status == 64)
        #expect(!result.errors.contains("\u{1b}"))
    }

    @Test("has no colours if standard output is no terminal, or if NO_COLOR is set", arguments: [false, true])
    func colours(isRefused: Bool) async throws {
        let pair = try await Pair.met()
        #expect(!(try await pair.alice.run("users").output.contains("\u{1b}")))
        let environment = isRefused ? ["NO_COLOR": "1"] : [:]
        let terminal = try Terminal.run(["users", "--home", pair.alice.path], environment: environment)
        #expect(try await terminal.end().output.contains("\u{1b}") == !isRefused)
    }

    @Test("ends silently when the reader of its output has gone")
    func closedPipe() async throws {
        let shell = try RunningProgram(
            ["-c", "\"$EARSHOT_BIN\" --help | head -n 1"], program: "/bin/bash",
            environment: ["EARSHOT_BIN": Program.path])
        let result = try await shell.end()
        #expect(result.lines.count == 1)
        #expect(result.errors == "")
    }
}
