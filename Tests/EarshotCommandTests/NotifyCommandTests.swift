import Foundation
import TestSupport
import Testing

@Suite("earshot notify", .keepsWhatItStarts)
struct NotifyCommandTests {
    /// Bob's node, and a program that files what it gets: one file for each notification.
    private struct Setting {
        let alice: TestHome
        let bob: TestHome
        let folder: TemporaryFolder
        let aliceNode: RunningProgram
        let bobNode: RunningProgram
        let program: String

        private static let filing =
            #"cat > FOLDER/input.$$; echo "$#" > FOLDER/count.$$; mv FOLDER/input.$$ FOLDER/got.$$"#

        init(script: String = filing, options: [String] = []) async throws {
            folder = try TemporaryFolder()
            program = folder.file("program")
            let text = "#!/bin/bash\n" + script.replacingOccurrences(of: "FOLDER", with: folder.path) + "\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: program))
            try #require(chmod(program, 0o700) == 0)
            (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
            let port: String
            (aliceNode, port) = try await alice.up()
            bobNode = try RunningProgram(
                ["up", "--no-discovery", "--peer", "127.0.0.1:\(port)", "--home", bob.path] + options)
            try await aliceNode.expect("bob was met")
        }

        func got() throws -> [[String: Any]] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("got.") }
                .compactMap { name in
                    let data = try #require(FileManager.default.contents(atPath: folder.file(name)))
                    return try JSONSerialization.jsonObject(with: data) as? [String: Any]
                }
        }

        func waitForText(_ text: String) async throws {
            try await FolderWatch.waitForName(in: folder.path) { name in
                guard name.hasPrefix("got."), let data = FileManager.default.contents(atPath: folder.file(name)) else {
                    return false
                }
                return ((try? JSONSerialization.jsonObject(with: data)) as? [String: Any])
                    .flatMap { ($0["message"] as? [String: Any])?["text"] as? String } == text
            }
        }
    }

    @Test("runs a program, which gets the message as JSON on its standard input and nothing as an argument")
    func program() async throws {
        let setting = try await Setting()
        let added = try await setting.bob.run("notify", "add", "command", setting.program)
        #expect(added.status == 0 && added.output.contains("you are notified here: command"))
        #expect(try setting.got().map { $0["type"] as? String } == ["test"])
        let text = "$(touch harm) `x` \"quoted\"\n--option"
        #expect(try await setting.alice.run("send", "bob", text, "--wait", "delivered").status == 0)
        try await setting.waitForText(text)
        let counts = try FileManager.default.contentsOfDirectory(atPath: setting.folder.path)
            .filter { $0.hasPrefix("count.") }
        #expect(try counts.allSatisfy { try String(contentsOfFile: setting.folder.file($0), encoding: .utf8) == "0\n" })
        let list = try await setting.bob.run("notify", "list")
        #expect(list.output.contains("works") && list.output.contains(setting.program))
    }

    @Test("tells nothing of a conversation whose level is none, and of the others all")
    func level() async throws {
        let setting = try await Setting()
        #expect(try await setting.bob.run("notify", "add", "command", setting.program).status == 0)
        let muted = try await setting.bob.run("notify", "level", "alice", "none")
        #expect(muted.output == "alice: you are notified of nothing\n")
        #expect(try await setting.alice.run("send", "bob", "quiet", "--wait", "delivered").status == 0)
        // What was read is not told later, whenever the node looks.
        #expect(try await setting.bob.run("read", "alice").status == 0)
        #expect(try await setting.bob.run("notify", "level", "alice", "all").status == 0)
        #expect(try await setting.alice.run("send", "bob", "loud", "--wait", "delivered").status == 0)
        try await setting.waitForText("loud")
        let texts = try setting.got().compactMap { ($0["message"] as? [String: Any])?["text"] as? String }
        #expect(texts == ["loud"])
    }

    @Test("tells a target that was removed nothing more, and ends what is under way")
    func removed() async throws {
        let setting = try await Setting(
            // The test is taken; what comes then waits for somebody to open its pipe.
            script: """
                grep -q '"test"' && exit 0
                mkfifo FOLDER/fifo && mv FOLDER/fifo FOLDER/waits; trap 'mv FOLDER/waits FOLDER/told; exit 1' TERM
                read -r < FOLDER/waits & wait $!
                """)
        #expect(try await setting.bob.run("notify", "add", "command", setting.program).status == 0)
        for text in ["one", "two"] {
            #expect(try await setting.alice.run("send", "bob", text, "--wait", "delivered").status == 0)
        }
        try await FolderWatch.waitForName(in: setting.folder.path) { $0 == "waits" }
        #expect(try await setting.bob.run("notify", "remove", "command").status == 0)
        try await FolderWatch.waitForName(in: setting.folder.path) { $0 == "told" }
        #expect(try await setting.bob.run("notify", "list").output.contains("notified nowhere"))
        #expect(!FileManager.default.fileExists(atPath: setting.folder.file("waits")))
    }

    @Test("writes to no log what a target said, which may be what was written")
    func failure() async throws {
        let setting = try await Setting(
            script: #"read -r line; case $line in *'"test"'*) exit 0;; esac; echo "$line"; exit 1"#,
            options: ["--log-level", "trace"])
        #expect(try await setting.bob.run("notify", "add", "command", setting.program).status == 0)
        #expect(try await setting.alice.run("send", "bob", "the secret", "--wait", "delivered").status == 0)
        try await setting.bobNode.expectError("a notification was not taken")
        #expect(!setting.bobNode.errorText.contains("the secret"))
    }

    @Test("adds nothing that does not take the test, and says what to do")
    func failing() async throws {
        let bob = try await TestHome.named("bob")
        _ = try await bob.up()
        let failed = try await bob.run("notify", "add", "command", "/bin/false")
        #expect(failed.status == 1 && failed.errors.contains("/bin/false has ended with 1"))
        let missing = try await bob.run("notify", "add", "command", "/nonexistent/program")
        #expect(missing.status == 1 && missing.errors.contains("chmod +x"))
        let hook = try await bob.run("notify", "add", "webhook", "example.org/hook")
        #expect(hook.status == 1 && hook.errors.contains("https://example.org/hook"))
        let unknown = try await bob.run("notify", "remove", "desktop")
        #expect(unknown.status == 1 && unknown.errors.contains("earshot notify list"))
        #expect(try await bob.run("notify", "list").output.contains("earshot notify add desktop"))
    }
}
