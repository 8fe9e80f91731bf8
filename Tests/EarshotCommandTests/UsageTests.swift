import Testing

@Suite("The command line")
struct UsageTests {
    @Test("documents the exit codes in its help")
    func help() async throws {
        let help = try await Program.run("--help")
        #expect(help.status == 0)
        for code in ["0", "1", "3", "4", "5", "6", "7", "8", "9", "10", "64"] {
            #expect(help.output.contains(try Regex("(?m)^ *\(code)  [a-z]")))
        }
    }

    @Test(
        "that cannot be understood is an error of its own",
        arguments: [
            ["shout"], ["send"], ["up", "--peer", "nowhere"], ["up", "--port", "65536"], ["cancel", "x"],
            ["send", "bob", "x", "--wait", "eaten"],
        ])
    func usage(arguments: [String]) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status == 64)
        #expect(result.output == "")
    }

    @Test(
        "has examples for every command",
        arguments: [
            "init", "up", "status", "users", "send", "chat", "history", "cancel", "doctor",
        ])
    func examples(command: String) async throws {
        let help = try await Program.run(command, "--help")
        #expect(help.output.contains("earshot \(command)"))
    }
}
