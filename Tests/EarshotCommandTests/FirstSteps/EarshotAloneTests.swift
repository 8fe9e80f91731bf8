import Foundation
import TestSupport
import Testing

@Suite("earshot alone", .keepsWhatItStarts)
struct EarshotAloneTests {
    /// Another user's machine: its programs are those of this folder, and its home directory does not exist yet.
    private let folder: TemporaryFolder
    private let home: TestHome

    init() throws {
        folder = try TemporaryFolder()
        home = try TestHome()
        try write("systemctl", "exit 1")
    }

    /// - Parameter text: what a program does, for `sh`.
    private func write(_ program: String, _ text: String) throws {
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: folder.file(program)))
        try #require(chmod(folder.file(program), 0o700) == 0)
    }

    private func run(environment: [String: String] = [:]) throws -> RunningProgram {
        let common = [
            "EARSHOT_HOME": home.path, "PATH": "\(folder.path):/usr/bin:/bin", "XDG_CONFIG_HOME": folder.path,
        ]
        return try Terminal.run([], environment: common.merging(environment) { $1 })
    }

    /// Has the node that will run stay on loopback.
    private func prepare() throws {
        try FileManager.default.createDirectory(
            atPath: home.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let configuration = "no-discovery: true\nport: \(PortForOneTest.next())\n"
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: home.path + "/config.yaml"))
    }

    private func stop() async throws {
        #expect(try await home.run("stop", "--json").objects().first?["isStopped"] as? Bool == true)
    }

    @Test("says in a few lines how to begin where there is no terminal")
    func noTerminal() async throws {
        let result = try await Program.run()
        #expect(result.status == 0 && result.errors == "")
        #expect(result.lines.count <= 15)
        for words in ["init --name NAME", "up --detach", "web", "send", "--help"] {
            #expect(result.output.contains("earshot \(words)"), "\(words)")
        }
    }

    @Test("is no command for a program", arguments: [["--json"], ["--json", "--home", "/nowhere"]])
    func json(arguments: [String]) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status == 64)
        let error = try #require(try result.objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == "invalidUsage")
        #expect((error["remedy"] as? String)?.contains("earshot --help") == true)
    }

    @Test("makes an identity on a terminal, starts a node, and says where the page is; then it says where one stands")
    func firstSteps() async throws {
        try prepare()
        let steps = try run()
        try await steps.expect(#"Your name, as others see it \[\S+\]: "#)
        steps.write(Data("a@b\n".utf8))
        try await steps.expect("mean something else")
        steps.write(Data("alice\n".utf8))
        try await steps.expect("alice.* is up in the background")
        try await steps.expect(#"\[C/p\]"#)
        steps.write(Data("p\n".utf8))
        try await steps.expect(#"http://127\.0\.0\.1:\d+/#login="#)
        let result = try await steps.end()
        #expect(result.status == 0, "\(result.output)")
        #expect(!result.output.contains("as a service"))

        let overview = try await run(environment: ["NO_COLOR": "1"]).end()
        #expect(overview.status == 0 && overview.lines.count <= 15, "\(overview.output)")
        #expect(
            overview.output.contains(
                try Regex(#"alice +\S{4} .*\r\nnode +runs, pid \d+, port \d+, 0 links\r\nunread +none"#)))
        try await stop()
        let without = try await run(environment: ["NO_COLOR": "1"]).end()
        #expect(without.output.contains("does not run") && without.output.contains("earshot up --detach"))
        // It has started none.
        #expect(try await home.run("stop", "--json").objects().first?["isStopped"] as? Bool == false)
    }

    @Test("installs a service where there is a user manager, and opens the page where there is a desktop")
    func service() async throws {
        try prepare()
        try write(
            "systemctl",
            """
            echo "$@" >> '\(folder.path)/calls'
            case "$2" in restart) exec '\(Program.path)' up --detach --home '\(home.path)' ;; esac
            """)
        try write(
            "xdg-open",
            """
            given="$(for number in 0 1 2; do readlink /proc/$$/fd/$number; done; grep SigBlk /proc/$$/status)"
            echo "$given" > '\(folder.path)/given'
            echo "$1" > '\(folder.path)/made' && mv '\(folder.path)/made' '\(folder.path)/opened'
            """)
        let steps = try run(environment: ["DISPLAY": ":9"])
        try await steps.expect("Your name")
        steps.write(Data("alice\n".utf8))
        try await steps.expect(#"\[Y/n\]"#)
        steps.write(Data("\n".utf8))
        #expect(try await steps.end().status == 0)
        try await FolderWatch.waitForName(in: folder.path) { $0 == "opened" }
        // What is given to another program, every user of the machine can read: so it is where the login is, and not the login.
        let given = try String(contentsOfFile: folder.file("opened"), encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(given.hasPrefix(home.path + "/"), "\(given)")
        let shown = try String(contentsOfFile: given, encoding: .utf8)
        #expect(shown.contains(try Regex(#"url=http://127\.0\.0\.1:\d+/#login="#)))
        for (path, mode) in [(given, 0o600), (URL(fileURLWithPath: given).deletingLastPathComponent().path, 0o700)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
        // A browser writes nothing on the terminal, and whoever has opened it can end it.
        #expect(
            try String(contentsOfFile: folder.file("given"), encoding: .utf8)
                == "/dev/null\n/dev/null\n/dev/null\nSigBlk:\t0000000000000000\n")
        #expect(try String(contentsOfFile: folder.file("calls"), encoding: .utf8).contains("--user enable earshot"))
        try await stop()
    }

    @Test("says why there is no service, leaves nothing of it, and starts the node in the background")
    func failedService() async throws {
        try prepare()
        try write("systemctl", "case \"$2\" in restart) exit 7 ;; esac")
        let steps = try run()
        try await steps.expect("Your name")
        steps.write(Data("alice\n".utf8))
        try await steps.expect(#"\[Y/n\]"#)
        steps.write(Data("y\n".utf8))
        try await steps.expect(#"systemctl --user restart \S+ has ended with 7"#)
        try await steps.expect("is up in the background")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("systemd/user")) == [])
        try await steps.expect(#"\[C/p\]"#)
        steps.write(Data("c\n".utf8))
        try await steps.expect("with whom")
        steps.write(Data([4]))
        #expect(try await steps.end().status == 0)
        try await stop()
    }

    @Test(
        "leaves nothing behind when somebody leaves at the first question", arguments: [(UInt8(4), Int32(0)), (3, 130)])
    func leaving(key: UInt8, status: Int32) async throws {
        let steps = try run()
        try await steps.expect("Your name")
        steps.write(Data([key]))
        let result = try await steps.end()
        #expect(result.status == status)
        #expect(result.output.contains("nothing was made"))
        #expect(!FileManager.default.fileExists(atPath: home.path))
    }

    @Test("keeps the identity, and says how to go on, when somebody leaves at the second question")
    func leavingLater() async throws {
        try write("systemctl", "")
        let steps = try run()
        try await steps.expect("Your name")
        steps.write(Data("alice\n".utf8))
        try await steps.expect(#"\[Y/n\]"#)
        steps.write(Data([3]))
        let result = try await steps.end()
        #expect(result.status == 130 && result.output.contains("earshot up --detach"), "\(result.output)")
        #expect(try await home.run("status").output.contains("alice"))
    }

    @Test("asks nothing where no node could run, and makes nothing there")
    func longPath() async throws {
        let path = folder.file(String(repeating: "x", count: 120))
        let result = try await run(environment: ["EARSHOT_HOME": path]).end()
        #expect(result.status != 0 && result.output.contains("the system's limit is"), "\(result.output)")
        #expect(!result.output.contains("Your name"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
