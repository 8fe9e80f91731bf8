import EarshotCrypto
import EarshotProtocol
import EarshotStore
import Foundation
import GRDB
import Testing

@Suite("earshot doctor", .keepsWhatItStarts)
struct DoctorTests {
    @Test("finds nothing wrong with a new home, and starts a node to look further")
    func healthy() async throws {
        let home = try await TestHome.named("alice")
        let result = try await home.doctor("--listen", "0")
        let findings = try findings(in: result)
        #expect(result.status == 0)
        #expect(findings.allSatisfy { ["ok", "note"].contains($0.severity) })
        #expect(findings.contains { $0.check == "node" && $0.severity == "note" })
        #expect(findings.contains { $0.check == "port" })
        #expect(!FileManager.default.fileExists(atPath: home.path + "/node.sock"))
    }

    @Test("tells people what it looked at, what is wrong and what to do")
    func text() async throws {
        let home = try await TestHome.named("alice")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: home.path + "/device.key")
        let result = try await home.run("doctor", "--no-discovery")
        #expect(result.status == 12)
        #expect(result.output.contains(try Regex("(?m)^✓ disk +[0-9]+ .* are free")))
        #expect(result.output.contains(try Regex("(?m)^✗ home +others may read")))
        #expect(result.output.contains("try: chmod 600 \(home.path)/device.key"))
        #expect(result.output.hasSuffix("1 problem\n"))
    }

    @Test("says how to make an identity if there is none")
    func notInitialized() async throws {
        let result = try await TestHome().doctor()
        #expect(result.status == 12)
        #expect(try finding("home", in: result)?.remedy?.contains("earshot init") == true)
    }

    @Test("names files that others may read")
    func loose() async throws {
        let home = try await TestHome.named("alice")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path)
        let result = try await home.doctor()
        #expect(try finding("home", in: result)?.severity == "problem")
        #expect(try finding("home", in: result)?.remedy == "chmod 700 \(home.path)")
    }

    @Test("names a corrupt database, and starts no node on it")
    func corrupt() async throws {
        let home = try await TestHome.named("alice")
        let file = URL(fileURLWithPath: home.path + "/history.db")
        try Store(path: file.path).close()
        // Not every page of a database is in use; those of its tables are.
        let database = try DatabaseQueue(path: file.path)
        let page = try await database.read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'entry'")
        }
        try database.close()
        let place = (try #require(page) - 1) * 4096
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(place..<place + 1000, with: Data(repeating: 0xaa, count: 1000))
        try bytes.write(to: file)
        let result = try await home.doctor()
        #expect(result.status == 12)
        #expect(try finding("database", in: result)?.severity == "problem")
        #expect(try finding("node", in: result) == nil)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("notes the lock and the socket of a node that was killed: harmless")
    func killed() async throws {
        let home = try await TestHome.named("alice")
        let (node, _) = try await home.up()
        node.signal(SIGKILL)
        _ = try await node.end()
        let result = try await home.doctor("--listen", "0")
        #expect(result.status == 0)
        #expect(try finding("lock", in: result)?.severity == "note")
        #expect(try finding("lock", in: result)?.what.contains("\(node.pid)") == true)
        #expect(try finding("socket", in: result)?.severity == "note")
    }

    @Test("names the process that holds the home if no node answers")
    func held() async throws {
        let home = try await TestHome.named("alice")
        let (node, _) = try await home.up()
        try FileManager.default.removeItem(atPath: home.path + "/node.sock")
        let result = try await home.doctor()
        #expect(result.status == 12)
        #expect(try finding("lock", in: result)?.severity == "problem")
        #expect(try finding("lock", in: result)?.what.contains("\(node.pid)") == true)
    }

    @Test("names an expired credential that only a passphrase renews")
    func expired() async throws {
        let home = try TestHome()
        let passphrase = home.path + ".passphrase"
        try Data("correct horse\n".utf8).write(to: URL(fileURLWithPath: passphrase))
        defer { unlink(passphrase) }
        chmod(passphrase, 0o600)
        let made = try await home.run("init", "--name", "alice", "--passphrase-file", passphrase)
        try #require(made.status == 0, "\(made.errors)")
        try home.expireCredential(passphrase: "correct horse")
        let result = try await home.doctor("--listen", "0")
        #expect(result.status == 12)
        #expect(try finding("credential", in: result)?.severity == "problem")
        #expect(try finding("credential", in: result)?.remedy?.contains("--passphrase-file") == true)
    }

    @Test("tells both users if their name is taken")
    func takenName() async throws {
        let (one, other) = (try await TestHome.named("alice"), try await TestHome.named("alice"))
        let (node, port) = try await one.up()
        let (otherNode, _) = try await other.up("--peer", "127.0.0.1:\(port)")
        try await node.expect("was met")
        try await otherNode.expect("was met")
        for home in [one, other] {
            let result = try await home.doctor()
            #expect(result.status == 12)
            #expect(try finding("names", in: result)?.severity == "problem")
            #expect(try finding("names", in: result)?.remedy?.contains("earshot trust alice@") == true)
        }
    }

    @Test("asks the running node, and its peers, whether its port can be reached")
    func running() async throws {
        let pair = try await Pair.met()
        let result = try await pair.alice.doctor()
        #expect(result.status == 0)
        #expect(try finding("lock", in: result)?.what.contains("\(pair.aliceNode.pid)") == true)
        #expect(try finding("port", in: result)?.severity == "ok")
        #expect(try finding("clock", in: result)?.severity == "ok")
        #expect(try finding("peers", in: result)?.what.contains("bob") == true)
    }

    @Test("says why no node can be started")
    func portInUse() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await alice.up()
        let result = try await bob.doctor("--port", port)
        #expect(result.status == 12)
        #expect(try finding("node", in: result)?.what.contains(port) == true)
    }

    private struct Found: Equatable {
        let check: String
        let severity: String
        let what: String
        let remedy: String?
    }

    private func findings(in result: Program.Result) throws -> [Found] {
        try result.objects().map { object in
            Found(
                check: try #require(object["check"] as? String),
                severity: try #require(object["severity"] as? String), what: try #require(object["what"] as? String),
                remedy: object["remedy"] as? String)
        }
    }

    /// The first finding of a check.
    private func finding(_ check: String, in result: Program.Result) throws -> Found? {
        try findings(in: result).first { $0.check == check }
    }
}

extension TestHome {
    /// Without multicast: tests stay on loopback.
    fileprivate func doctor(_ options: String...) async throws -> Program.Result {
        try await Program.run(["doctor", "--no-discovery", "--json", "--home", path] + options)
    }

    /// Puts a credential that expired a month ago in the place of the home's, of the same name and keys.
    fileprivate func expireCredential(passphrase: String) throws {
        func bytes(_ file: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + file)))
        }
        let old = try Credential(decoding: bytes("credential"))
        let secret = SecretBytes(copying: Array(passphrase.utf8))
        let identity = try SigningKey(seed: PassphraseBox.open(bytes("identity.key"), passphrase: secret))
        let device = try SigningKey(seed: SecretBytes(copying: bytes("device.key").suffix(64).prefix(32)))
        let day: Int64 = 24 * 3600 * 1000
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let expired = Credential.issue(
            name: old.name, identityKey: identity, deviceKey: device, agreementKey: old.agreementKey,
            notBefore: now - 60 * day, notAfter: now - 30 * day)
        try Data(expired.encoded()).write(to: URL(fileURLWithPath: path + "/credential"))
    }
}
