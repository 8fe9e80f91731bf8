import Foundation
import TestSupport
import Testing

@Suite("The passphrase", .keepsWhatItStarts)
struct PassphraseOptionTests {
    private func file(_ text: String, in home: TestHome, mode: Int = 0o600) throws -> String {
        let path = home.path + ".passphrase-\(text.hashValue)"
        let isMade = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        try #require(isMade)
        return path
    }

    @Test("opens the identity, and a wrong one has an exit status of its own")
    func wrong() async throws {
        let home = try TestHome()
        let right = try file("correct horse\n", in: home)
        let wrong = try file("battery staple\n", in: home)
        defer { for path in [right, wrong] { unlink(path) } }
        #expect(try await home.run("init", "--name", "alice", "--passphrase-file", right).status == 0)
        let refused = try await home.run("up", "--no-discovery", "--passphrase-file", wrong)
        #expect(refused.status == 4)
        #expect(refused.errors.contains("passphrase is wrong"))
        let (node, _) = try await home.up("--passphrase-file", right)
        node.signal(SIGTERM)
        #expect(try await node.end().status == 0)
    }

    @Test("is not taken from a file that others may read")
    func looseFile() async throws {
        let home = try TestHome()
        let path = try file("correct horse\n", in: home, mode: 0o644)
        defer { unlink(path) }
        let result = try await home.run("init", "--name", "alice", "--passphrase-file", path)
        #expect(result.status == 8)
        #expect(result.errors.contains("chmod 600"))
        #expect(!FileManager.default.fileExists(atPath: home.path + "/identity.key"))
    }

    @Test("may be a credential that the service manager keeps")
    func credential() async throws {
        let (folder, home) = (try TemporaryFolder(), try TestHome())
        let isMade = FileManager.default.createFile(
            atPath: folder.file("secret"), contents: Data("correct horse\n".utf8),
            attributes: [.posixPermissions: 0o440])
        try #require(isMade)
        let initialize = ["init", "--name", "alice", "--passphrase-credential"]
        let environment = ["CREDENTIALS_DIRECTORY": folder.path]
        let made = try RunningProgram(initialize + ["secret", "--home", home.path], environment: environment)
        #expect(try await made.end().status == 0)
        let node = try RunningProgram(
            ["up", "--no-discovery", "--passphrase-credential", "secret", "--home", home.path], environment: environment
        )
        try await node.expect("is up")
        for name in ["other", "../secret"] {
            let refused = try await RunningProgram(
                initialize + [name, "--home", home.path + ".other"], environment: environment
            ).end()
            #expect(refused.status == 4)
            #expect(refused.errors.contains("LoadCredential="))
        }
        #expect(try await home.run("up", "--passphrase-credential", "secret").status == 4)
    }

    @Test("comes from one source only")
    func sources() async throws {
        let home = try TestHome()
        let result = try await home.run("init", "--name", "alice", "--passphrase", "--passphrase-fd", "3")
        #expect(result.status == 64)
    }
}
