import Foundation
import Testing

@Suite("earshot network", .keepsWhatItStarts)
struct NetworkCommandTests {
    private static let key = "earshot-network-1-zzzfv-z7vzb-wzhxz-pyqtf-7wqhy-3qyxv-fcxfn-ekt77-wvjy9-rz2w7-g3f7t-hqryg"
    private static let tag = "rz73fzqchsrev2sf"

    private func file(_ text: String, in home: TestHome, mode: Int = 0o600) throws -> String {
        let path = home.path + ".key"
        let isMade = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        try #require(isMade)
        return path
    }

    @Test("create prints a key that others join with, and keeps it in a file that is its owner's alone")
    func create() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let made = try await alice.run("network", "create")
        #expect(made.status == 0)
        #expect(try alice.mode(of: "/network.key") == 0o600)
        let key = try #require(made.output.firstMatch(of: /earshot-network-1-[0-9a-z-]+/)).output
        #expect(made.output.contains("earshot network join"))
        #expect(try await bob.run("network", "join", input: Data("\(key)\n".utf8)).status == 0)
        let (first, second) = (
            try await alice.run("network", "show", "--json").objects(),
            try await bob.run("network", "show", "--reveal", "--json").objects()
        )
        #expect(first[0]["tag"] as? String == second[0]["tag"] as? String)
        #expect(first[0]["key"] == nil)
        #expect(second[0]["key"] as? String == String(key))
    }

    @Test("create and join lose no other key unless they are told to")
    func replace() async throws {
        let home = try await TestHome.named("alice")
        let first = try await home.run("network", "create", "--json").objects()
        for command in [["network", "create"], ["network", "join"]] {
            let refused = try await Program.run(command + ["--home", home.path], input: Data(Self.key.utf8))
            #expect(refused.status == 1)
            #expect(refused.errors.contains("--replace"))
        }
        let shown = try await home.run("network", "show", "--json").objects()
        #expect(shown[0]["tag"] as? String == first[0]["tag"] as? String)
        let joined = try await home.run("network", "join", "--replace", "--json", input: Data(Self.key.utf8)).objects()
        #expect(joined[0]["tag"] as? String == Self.tag)
        #expect(joined[0]["key"] == nil)
        let again = try await home.run("network", "join", "--json", input: Data(Self.key.uppercased().utf8)).objects()
        #expect(again[0]["isChanged"] as? Bool == false)
    }

    @Test("join tells of a mistyped key, repeats none of it, and changes nothing")
    func mistyped() async throws {
        let home = try await TestHome.named("alice")
        for text in ["", String(Self.key.dropLast(2)), Self.key.replacingOccurrences(of: "hqryg", with: "hqrgy")] {
            let result = try await home.run("network", "join", "--json", input: Data(text.utf8))
            #expect(result.status == 4)
            #expect(result.errors.contains("\n  try: "))
            #expect(!(result.errors + result.output).contains("zzzfv"))
        }
        #expect(!FileManager.default.fileExists(atPath: home.path + "/network.key"))
    }

    @Test("join takes a key from a file of mode 600 and from no other")
    func keyFile() async throws {
        let home = try await TestHome.named("alice")
        let path = try file(Self.key + "\n", in: home, mode: 0o644)
        defer { unlink(path) }
        let refused = try await home.run("network", "join", "--key-file", path)
        #expect(refused.status == 8)
        #expect(refused.errors.contains("chmod 600"))
        #expect(chmod(path, 0o600) == 0)
        #expect(try await home.run("network", "join", "--key-file", path).status == 0)
        #expect(try await home.run("network", "show").output == "network \(Self.tag)\n")
    }

    @Test("join takes no key from an argument, which others can read")
    func argument() async throws {
        let home = try await TestHome.named("alice")
        let result = try await home.run("network", "join", Self.key)
        #expect(result.status == 64)
        #expect(result.errors.contains("never taken from an argument"))
        #expect(!(result.errors + result.output).contains("zzzfv"))
        #expect(!FileManager.default.fileExists(atPath: home.path + "/network.key"))
    }

    @Test("leave asks, and forgets the key only after a yes", arguments: ["n\n", "\n", "y\n"])
    func leaveAsks(answer: String) async throws {
        let home = try await TestHome.named("alice")
        #expect(try await home.run("network", "create").status == 0)
        let terminal = try Terminal.run(["network", "leave", "--home", home.path])
        try await terminal.expect(#"cannot be got back .* earshot network show --reveal\. \[y/N\] "#)
        terminal.write(Data(answer.utf8))
        #expect(try await terminal.end().status == (answer == "y\n" ? 0 : 1))
        #expect(FileManager.default.fileExists(atPath: home.path + "/network.key") == (answer != "y\n"))
    }

    @Test("leave forgets the key, where nobody can be asked only with --yes, and show says that there is none")
    func leave() async throws {
        let home = try await TestHome.named("alice")
        #expect(try await home.run("network", "create").status == 0)
        let refused = try await home.run("network", "leave")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("say --yes") && refused.errors.contains("earshot network show --reveal"))
        #expect(try await home.run("network", "show", "--json").objects()[0]["hasKey"] as? Bool == true)
        #expect(try await home.run("network", "leave", "--yes").output.contains("left"))
        #expect(try await home.run("network", "leave").output.contains("no network key"))
        let shown = try await home.run("network", "show", "--reveal", "--json").objects()
        #expect(shown[0]["hasKey"] as? Bool == false)
    }

    @Test("without an identity says how to make one")
    func notInitialized() async throws {
        let home = try TestHome()
        for command in ["create", "leave", "show"] {
            #expect(try await home.run("network", command).status == 3, "\(command)")
        }
    }

    @Test("says to whom a change does not apply yet: to the node that runs")
    func running() async throws {
        let home = try await TestHome.named("alice")
        let (node, _) = try await home.up()
        #expect(try await home.run("network", "create").errors.contains("restart"))
        let shown = try await home.run("network", "show")
        #expect(shown.errors.contains("has no network key"))
        let status = try await home.run("status", "--json").objects()
        #expect(status[0]["networkTag"] == nil)
        node.signal(SIGTERM)
        _ = try await node.end()
        let (again, _) = try await home.up()
        #expect(try await home.run("network", "show").errors == "")
        again.signal(SIGTERM)
        _ = try await again.end()
    }

    @Test("keeps nodes apart, and up tells both what to do")
    func apart() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        #expect(try await alice.run("network", "create").status == 0)
        let (aliceNode, port) = try await alice.up()
        let (bobNode, _) = try await bob.up("--peer", "127.0.0.1:\(port)")
        for (node, home) in [(aliceNode, alice), (bobNode, bob)] {
            try await node.expectError("earshot network show")
            #expect(try await home.run("users", "--json").objects().isEmpty)
        }
    }
}
