import Foundation
import TestSupport
import Testing

@Suite("When a message arrives, earshot up", .keepsWhatItStarts)
struct ArrivalTests {
    /// Bob's node, with a program that files what it gets under the folder's path.
    private struct Setting {
        let alice: TestHome
        let bob: TestHome
        let folder: TemporaryFolder
        let aliceNode: RunningProgram
        let bobNode: RunningProgram

        init(_ script: String, environment: [String: String] = [:], options: [String]) async throws {
            let folder = try TemporaryFolder()
            let program = folder.file("program")
            let text = script.replacingOccurrences(of: "FOLDER", with: folder.path)
            try Data("#!/bin/bash\n\(text)\n".utf8).write(to: URL(fileURLWithPath: program))
            try #require(chmod(program, 0o700) == 0)
            self.folder = folder
            (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
            let (aliceNode, port) = try await alice.up()
            self.aliceNode = aliceNode
            bobNode = try RunningProgram(
                ["up", "--no-discovery", "--peer", "127.0.0.1:\(port)", "--home", bob.path]
                    + options.map { $0 == "PROGRAM" ? program : $0 },
                environment: environment.mapValues { $0.replacingOccurrences(of: "FOLDER", with: folder.path) })
            try await aliceNode.expect("bob was met")
        }
    }

    @Test("runs a program, which gets the message as JSON on its standard input and nothing as an argument")
    func program() async throws {
        let setting = try await Setting(
            "cat > FOLDER/input; echo \"$#\" > FOLDER/count; mv FOLDER/count FOLDER/done",
            options: ["--on-message", "PROGRAM"])
        let text = "$(touch FOLDER/harm) `x` \"quoted\"\n--option"
        #expect(try await setting.alice.run("send", "bob", text, "--wait", "delivered").status == 0)
        try await FolderWatch.waitForName(in: setting.folder.path) { $0 == "done" }
        let input = try #require(FileManager.default.contents(atPath: setting.folder.file("input")))
        let message = try #require(try JSONSerialization.jsonObject(with: input) as? [String: Any])
        #expect(message["text"] as? String == text)
        #expect((message["sender"] as? [String: Any])?["name"] as? String == "alice")
        #expect(try String(contentsOfFile: setting.folder.file("done"), encoding: .utf8) == "0\n")
        try await setting.bobNode.expect("alice has written to you")
        #expect(!setting.bobNode.outputText.contains("quoted"))
    }

    @Test("says who has written, and not what, on a terminal, though nothing else is asked for")
    func onTerminal() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (aliceNode, port) = try await alice.up()
        let node = try Terminal.run(["up", "--no-discovery", "--peer", "127.0.0.1:\(port)", "--home", bob.path])
        try await aliceNode.expect("bob was met")
        #expect(try await alice.run("send", "bob", "the secret", "--wait", "delivered").status == 0)
        try await node.expect("alice has written to you")
        #expect(!node.outputText.contains("secret"))
    }

    @Test("does not write about messages to a program that may read only the first lines")
    func unread() async throws {
        let setting = try await Setting("", options: ["--json"])
        #expect(try await setting.alice.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        #expect(try await setting.bob.run("stop").status == 0)
        let output = try await setting.bobNode.end().output
        #expect(output.contains(#""name":"userDiscovered""#) && !output.contains("messageReceived"))
    }

    @Test("runs at most four programs at once, and goes on when they have ended")
    func bound() async throws {
        // Each waits until somebody opens the other end of its pipe.
        let setting = try await Setting(
            "mkfifo FOLDER/fifo.$$ && mv FOLDER/fifo.$$ FOLDER/waits.$$ && read -r < FOLDER/waits.$$; echo > FOLDER/ended.$$",
            options: ["--on-message", "PROGRAM"])
        for number in 1...6 {
            #expect(try await setting.alice.run("send", "bob", "\(number)", "--wait", "delivered").status == 0)
        }
        let waiting: @Sendable (URL) throws -> [URL] = { folder in
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.lastPathComponent.hasPrefix("waits.") }
        }
        let folder = URL(fileURLWithPath: setting.folder.path)
        try await FolderWatch.waitForName(in: folder.path) { _ in (try? waiting(folder).count) == 4 }
        for _ in 1...6 {
            let pipe = try #require(try waiting(folder).first)
            #expect(try waiting(folder).count <= 4)
            let name = pipe.lastPathComponent.replacingOccurrences(of: "waits", with: "ended")
            try await onThread("the program reads") { try Data("\n".utf8).write(to: pipe) }
            try await FolderWatch.waitForName(in: folder.path) { $0 == name }
            try FileManager.default.removeItem(at: pipe)
            let isLast =
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("ended") }
                .count == 6
            if !isLast { try await FolderWatch.waitForName(in: folder.path) { $0.hasPrefix("waits.") } }
        }
    }

    @Test("says so if the program fails, or is not there")
    func failingProgram() async throws {
        let setting = try await Setting("exit 3", options: ["--on-message", "PROGRAM"])
        #expect(try await setting.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        try await setting.bobNode.expectError("program has ended with 3")
        let other = try await Setting("", options: ["--on-message", "/nonexistent/program"])
        #expect(try await other.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        try await other.bobNode.expectError("/nonexistent/program cannot be started")
    }

    @Test("shows a notification that names the sender, and not what was written")
    func notification() async throws {
        let setting = try await Setting(
            "printf '%s\\n' \"$@\" > FOLDER/arguments; mv FOLDER/arguments FOLDER/done",
            environment: ["PATH": "FOLDER:/usr/bin:/bin"], options: ["--notify"])
        try FileManager.default.moveItem(
            atPath: setting.folder.file("program"), toPath: setting.folder.file("notify-send"))
        #expect(try await setting.alice.run("send", "bob", "secret", "--wait", "delivered").status == 0)
        try await FolderWatch.waitForName(in: setting.folder.path) { $0 == "done" }
        let arguments = try String(contentsOfFile: setting.folder.file("done"), encoding: .utf8)
        #expect(arguments == "--app-name=Earshot\n--\nalice\nhas written to you\n")
    }
}
