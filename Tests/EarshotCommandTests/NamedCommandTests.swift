import ArgumentParser
import Testing

@testable import EarshotCommand

@Suite("A command that parses its own arguments")
struct NamedCommandTests {
    @Test(
        "gets from them what the whole program gets",
        arguments: [
            ["send", "bob", "hi"], ["send", "bob", "--wait", "read", "--timeout", "5m", "--json", "--", "--help"],
            ["send", "bob,carol", "-", "--file", "a", "--file", "b", "--home", "h"],
            ["up", "--port", "7000", "--detach"], ["history", "bob", "--limit", "3"], ["users"], ["status", "--json"],
            ["cancel", "3fk9qbmj-12"], ["init", "--name", "alice"],
        ])
    func parses(arguments: [String]) async throws {
        let command = try #require(await NamedCommand.parse(arguments))
        let whole = try await EarshotProgram.asyncParseAsRoot(arguments)
        #expect(text(of: command) == text(of: whole))
    }

    @Test(
        "leaves help, mistakes and commands that have commands to the whole program",
        arguments: [
            [], ["send"], ["send", "--help"], ["send", "bob", "hi", "-h"], ["send", "--version"],
            ["users", "--version"], ["users", "--colour"], ["sned", "bob", "hi"], ["--json", "users"], ["--help"],
            ["help", "send"],
            ["send", "bob", "x", "--wait", "eaten"], ["bot", "run", "echo"],
            ["completions", "bash"],
            ["users", "--generate-completion-script"], ["users", "--experimental-dump-help"],
        ])
    func leaves(arguments: [String]) async { #expect(await NamedCommand.parse(arguments) == nil) }

    private func text(of value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }
}
