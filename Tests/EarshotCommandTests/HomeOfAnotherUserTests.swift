import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import EarshotCommand

@Suite("Root and the home directory of another user:", .keepsWhatItStarts, .enabled(if: geteuid() == 0))
struct HomeOfAnotherUserTests {
    /// Somebody who has no other part in this. That there is no such name does not matter.
    private static let owner: uid_t = 60_123

    /// What each command needs beside its options. A command that is not here is missing.
    private static let arguments: [String: [String]] = [
        "audit": ["bob"], "block": ["bob"], "bot run": ["x", "--exec", "/bin/true"], "bot status": [],
        "bot move": ["x", "--from", "now"], "bot retry": ["x", "--all"], "bot remove": ["x"], "cancel": ["3fk9qbmj-1"],
        "chat": ["bob"], "conversation accept": ["#a"], "conversation close": ["#a"],
        "conversation create": ["a"], "conversation decline": ["#a"],
        "conversation hand-over": ["#a", "bob"], "conversation invite": ["#a", "bob"],
        "conversation join": ["a"], "conversation leave": ["#a"], "conversation list": [],
        "conversation participants": ["#a"], "conversation remove": ["#a", "bob"], "conversation show": ["#a"],
        "conversation update": ["#a", "--friendly-name", "x"], "conversations": [], "device add": [],
        "device list": [], "device rename": ["x", "y"], "device revoke": ["x", "--yes"], "doctor": [],
        "draft discard": ["x"], "draft edit": ["x", "y"], "draft insert": ["bob", "x"], "draft list": [],
        "draft send": ["x"], "edit": ["3fk9qbmj-1", "x"], "erase": ["3fk9qbmj-1", "--yes"],
        "delete": ["3fk9qbmj-1", "--yes"], "export": ["/tmp/nowhere/backup", "--passphrase-file", "{passphrase}"],
        "files decline": ["3fk9qbmj-1"], "files fetch": ["3fk9qbmj-1"], "files list": [], "files quota": ["1GB"],
        "files remove": ["3fk9qbmj-1"], "files rule add": ["ask"], "files rule list": [],
        "files rule remove": ["1"], "history": ["bob"],
        "import": ["/tmp/nowhere/backup", "--passphrase-file", "{passphrase}"],
        "inbox": [],
        "init": ["--name", "x"], "metrics": [], "network create": [], "network join": [],
        "network leave": ["--yes"], "network show": [], "notify add desktop": [],
        "notify add command": ["/bin/true"], "notify add webhook": ["http://localhost/"],
        "notify level": ["bob", "all"],
        "notify list": [], "notify remove": ["x"], "profile set": ["--friendly-name", "x"], "profile show": [],
        "react": ["3fk9qbmj-1", "x"], "read": ["bob"], "reply": ["3fk9qbmj-1", "x"], "retract": ["3fk9qbmj-1"],
        "save": ["3fk9qbmj-1"], "search": ["x"], "send": ["bob", "x"], "service install": [], "service remove": [],
        "service status": [], "short-lived-node": ["--tells", "2"], "status": [], "stop": [],
        "token create": ["x", "--scope", "read"],
        "token list": [], "token revoke": ["x"], "trust": ["bob"], "unblock": ["bob"], "up": ["--no-discovery"],
        "users": [], "verify": ["bob"], "web": [],
    ]
    /// They read and write no home.
    private static let others: Set<String> = ["completions", "test-network"]

    /// The commands that do something, by the words that a user types.
    private static func commands(
        of type: any ParsableCommand.Type = EarshotProgram.self, _ words: [String] = []
    ) -> [String] {
        let subcommands = type.configuration.subcommands
        guard !subcommands.isEmpty else { return [words.joined(separator: " ")] }
        return subcommands.flatMap { commands(of: $0, words + [$0.configuration.commandName ?? ""]) }
    }

    private static func owners(of folder: String) throws -> [String: uid_t] {
        var owners: [String: uid_t] = [:]
        for name in [""] + (try FileManager.default.subpathsOfDirectory(atPath: folder)) {
            var status = stat()
            try #require(lstat(folder + "/" + name, &status) == 0)
            owners[name] = status.st_uid
        }
        return owners
    }

    private static func give(_ path: String) throws {
        for name in try owners(of: path).keys { try #require(lchown(path + "/" + name, owner, owner) == 0) }
    }

    private static func passphraseFile(in folder: TemporaryFolder) throws -> String {
        let file = folder.file("passphrase")
        try #require(
            FileManager.default.createFile(
                atPath: file, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o600]))
        return file
    }

    @Test("every command is tried")
    func table() {
        #expect(Set(Self.commands()) == Set(Self.arguments.keys).union(Self.others))
    }

    @Test("no command leaves a file of root there; each is refused, with who may run it")
    func refused() async throws {
        let home = try await TestHome.named("alice")
        try Self.give(home.path)
        let before = try Self.owners(of: home.path)
        let folder = try TemporaryFolder()
        let secret = try Self.passphraseFile(in: folder)
        for (command, arguments) in Self.arguments.sorted(by: { $0.key < $1.key }) {
            let words = command.split(separator: " ").map(String.init)
            let given = arguments.map { $0 == "{passphrase}" ? secret : $0 }
            // What follows is another program's.
            let split = given.firstIndex(of: "--exec") ?? given.endIndex
            let result = try await Program.run(words + given[..<split] + ["--home", home.path] + given[split...])
            #expect(try Self.owners(of: home.path) == before, "\(command) changed what is there")
            // They only look, or ask a node that runs.
            guard !["doctor", "metrics", "service status", "service remove"].contains(command) else { continue }
            #expect(result.status == 8, "\(command): \(result.status) \(result.errors)")
            #expect(
                result.errors.contains("sudo -u '#\(Self.owner)' earshot"), "\(command): \(result.errors)")
        }
    }

    @Test("a home is not made in the folder of another user, either", arguments: ["init", "import"])
    func made(command: String) async throws {
        let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
        let (backup, secret) = (own.file("alice.backup"), try Self.passphraseFile(in: own))
        let home = try await TestHome.named("alice")
        #expect(try await home.run("export", backup, "--passphrase-file", secret).status == 0)
        try Self.give(folder.path)
        let arguments = command == "init" ? ["--name", "alice"] : [backup, "--passphrase-file", secret]
        let result = try await Program.run(
            [command] + arguments + ["--home", folder.path + "/.local/share/earshot"])
        #expect(result.status == 8, "\(result.errors)")
        #expect(result.errors.contains("sudo -u '#\(Self.owner)' earshot"), "\(result.errors)")
        #expect(try Self.owners(of: folder.path) == ["": Self.owner])
    }

    @Test("root's own home is root's to use")
    func own() async throws {
        let home = try await TestHome.named("alice")
        #expect(try await home.run("status").status == 0)
    }
}
