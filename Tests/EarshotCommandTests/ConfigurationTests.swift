import Foundation
import TestSupport
import Testing

@testable import EarshotCommand

@Suite("The configuration file of a home directory", .keepsWhatItStarts)
struct ConfigurationTests {
    private func home(_ text: String) async throws -> TestHome {
        let home = try await TestHome.named("alice")
        try Data(text.utf8).write(to: URL(fileURLWithPath: home.path + "/config.yaml"))
        return home
    }

    @Test("holds the options of up, with comments")
    func options() async throws {
        let (carol, bob) = (try await TestHome.named("carol"), try await TestHome.named("bob"))
        let (_, port) = try await bob.up()
        let alice = try await home(
            """
            # How this node runs.
            no-discovery: true
            peer:
              - 127.0.0.1:\(port)   # bob
            allow: \(try await carol.userID())
            """)
        let node = try RunningProgram(["up", "--home", alice.path])
        try await node.expect("admits only: [a-z0-9]{4} ")
        try await node.expectError("bob .*is not among those whom this node admits")
    }

    @Test("gives an option its value that may also stand without one")
    func optionalValue() async throws {
        let (alice, port) = (try await home("no-discovery: true\nhttp: 0\n"), try Regex("127.0.0.1:(\\d+)/v1"))
        let node = try RunningProgram(["up", "--home", alice.path])
        try await node.expect("127.0.0.1:\\d+/v1")
        #expect(node.outputText.firstMatch(of: port)?.output[1].substring != "7117")
    }

    @Test("gives way to the command line")
    func commandLine() async throws {
        let alice = try await home("no-discovery: true\nport: 1\nlog-format: json\n")
        let node = try RunningProgram([
            "up", "--port", "0", "--home", alice.path, "--log-level", "info", "--log-format", "text",
        ])
        try await node.expect("is up")
        try await node.expectError("info earshot: .*node is up")
    }

    @Test("holds for the node that commands share, too")
    func sharedNode() async throws {
        let bob = try await TestHome.named("bob")
        let (_, port) = try await bob.up()
        let alice = try await home("no-discovery: true\npeer: 127.0.0.1:\(port)\nlog-level: info\n")
        #expect(try await alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
    }

    @Test(
        "is refused with the number of the line, and what was probably meant",
        arguments: [
            ("a: b: c", "1: this is not YAML"), ("port: 1\nport: 2", "1: port stands here more than once"),
            ("# nothing\npert: 7000", "2: there is no option \"pert\"; did you mean port?"),
            ("port: 7000\npeer: [nowhere]", "2: .*\"nowhere\" is not a host and a port"),
            ("port: 99999", "1: .*99999"), ("only-known: perhaps", "1: only-known is true or false"),
            ("port: [1, 2]", "1: port takes one value"), ("json: true", "1: json is for the command line only"),
            ("peer: {a: b}", "1: peer takes a value or a list"), ("- port", "1: each line is a key"),
            ("log-level: loud", "1: .*no log level \"loud\""), ("tells: 3", "1: there is no option \"tells\""),
        ])
    func refusal(text: String, message: String) async throws {
        let alice = try await home(text)
        let result = try await alice.run("up", "--no-discovery")
        #expect(result.status == 64)
        #expect(try Regex("config.yaml:" + message).firstMatch(in: result.errors) != nil, "\(result.errors)")
        #expect(result.errors.contains("earshot up --help"))
    }

    @Test("may be empty, or hold comments only", arguments: ["", "# port: 7000\n", "---\n"])
    func empty(text: String) async throws {
        let alice = try await home(text)
        _ = try await alice.up()
    }

    @Test("takes what its manual page lists: the options of up, but those that make sense on a command line only")
    func manual() async throws {
        let folder = try TemporaryFolder()
        let script = PackageFolder.root.appending(path: "packaging/man-pages").path
        let result = try await RunningProgram([Program.path, folder.path], program: script).end()
        try #require(result.status == 0, "\(result.errors)")
        let page = try String(contentsOfFile: folder.file("man5/earshot-config.5"), encoding: .utf8)
        let listed = Set(
            page.matches(of: /\.TP\n\\fB([a-z\\-]+):/).map { String($0.output.1.replacing("\\", with: "")) })
        for key in try await optionsOfUp() {
            // Without an identity, nothing is started.
            let nobody = try TestHome()
            try FileManager.default.createDirectory(atPath: nobody.path, withIntermediateDirectories: false)
            try Data("\(key): [not, this]\n".utf8).write(to: URL(fileURLWithPath: nobody.path + "/config.yaml"))
            let errors = try await nobody.run("up").errors
            #expect(errors.contains("is for the command line only") != listed.contains(key), "\(key): \(errors)")
        }
    }

    private func optionsOfUp() async throws -> [String] {
        let help = try await Program.run("help", "up").output
        return help.matches(of: /\n  (?:-h, )?--([a-z-]+)/).map { String($0.output.1) }
    }

    @Test("is refused if it is no file, far too long, or not UTF-8")
    func unreadable() async throws {
        let named = try await TestHome.named("bob")
        let file = named.path + "/config.yaml"
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(try await named.run("up").errors.contains("config.yaml:1: it is no file\n"))
        let alice = try await home(String(repeating: "#", count: 64 * 1024 + 1))
        #expect(try await alice.run("up").errors.contains("longer than 65536 bytes"))
        try Data([0x23, 0xff, 0x0a]).write(to: URL(fileURLWithPath: alice.path + "/config.yaml"))
        #expect(try await alice.run("up").errors.contains("not valid UTF-8"))
    }
}
