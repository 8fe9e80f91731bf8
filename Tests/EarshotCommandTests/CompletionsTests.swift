import Foundation
import Testing

@Suite("earshot completions", .keepsWhatItStarts)
struct CompletionsTests {
    private func script() async throws -> String {
        let result = try await Program.run("completions", "bash")
        try #require(result.status == 0)
        return result.output
    }

    /// What a real bash offers for a line whose last word is being completed.
    private func candidates(for words: [String]) async throws -> [String] {
        let quoted = ([Program.path] + words).map { "'\($0)'" }.joined(separator: " ")
        let line = (["earshot"] + words).joined(separator: " ")
        let program = """
            \(try await script())
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count); COMP_LINE='\(line)'; COMP_POINT=\(line.utf8.count)
            _earshot earshot '\(words.last ?? "")' '\(words.dropLast().last ?? "earshot")'
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let bash = try RunningProgram(["--norc", "-s"], program: "/bin/bash")
        bash.write(Data(program.utf8))
        bash.closeInput()
        let result = try await bash.end()
        #expect(result.errors == "")
        return result.lines.sorted()
    }

    @Test("is a script for each shell", arguments: ["bash", "zsh", "fish"])
    func shells(shell: String) async throws {
        let result = try await Program.run("completions", shell)
        #expect(result.status == 0)
        #expect(result.output.contains("earshot") && result.output.contains("unblock"))
    }

    @Test("is read by bash, and completes commands and options")
    func commands() async throws {
        #expect(try await candidates(for: ["un"]) == ["unblock"])
        #expect(try await candidates(for: ["verify", "--m"]) == ["--matches"])
        #expect(try await candidates(for: ["completions", ""]) == ["bash", "fish", "zsh"])
    }

    @Test("completes the names of known users, also of a home directory that is named")
    func names() async throws {
        let pair = try await Pair.met()
        #expect(try await candidates(for: ["send", "--home", pair.alice.path, ""]) == ["bob"])
        #expect(try await candidates(for: ["block", "--home", pair.alice.path, "b"]) == ["bob"])
        #expect(try await candidates(for: ["history", "--home", pair.alice.path, "x"]) == [])
        #expect(try await candidates(for: ["history", "--home", "/nonexistent", ""]) == [])
    }

    @Test("opens no home directory to complete a name")
    func closed() async throws {
        let home = try await TestHome.named("alice")
        #expect(try await candidates(for: ["send", "--home", home.path, ""]) == [])
        for file in ["/history.db", "/node.lock"] { #expect(!FileManager.default.fileExists(atPath: home.path + file)) }
    }

    @Test("offers the key where a shell would run the name")
    func hostile() async throws {
        // In the working directory: a name with a slash is refused.
        let marker = "earshot-test-\(UUID().uuidString.prefix(8))"
        let alice = try await TestHome.named("alice")
        let (node, port) = try await alice.up()
        let mallory = try TestHome()
        try #require(try await mallory.run("init", "--name=$(touch \(marker))").status == 0)
        _ = try await mallory.up("--peer", "127.0.0.1:\(port)")
        try await node.expect("was met")
        #expect(try await candidates(for: ["chat", "--home", alice.path, ""]) == [mallory.userID()])
        #expect(!FileManager.default.fileExists(atPath: marker))
    }
}
