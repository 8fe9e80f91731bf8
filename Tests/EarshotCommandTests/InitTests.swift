import Foundation
import Testing

@Suite("earshot init", .keepsWhatItStarts)
struct InitTests {
    @Test("makes a home directory and keys that are their owner's alone")
    func permissions() async throws {
        let home = try await TestHome.named("alice")
        #expect(try home.mode() == 0o700)
        for file in ["/identity.key", "/device.key"] { #expect(try home.mode(of: file) == 0o600) }
    }

    @Test("refuses a second time, and changes nothing")
    func second() async throws {
        let home = try await TestHome.named("alice")
        let before = try #require(FileManager.default.contents(atPath: home.path + "/identity.key"))
        let result = try await home.run("init", "--name", "mallory")
        #expect(result.status == 1)
        #expect(result.errors.contains("there is an identity"))
        #expect(result.errors.contains("\n  try: "))
        #expect(FileManager.default.contents(atPath: home.path + "/identity.key") == before)
    }

    @Test("says that the identity is there already if it is repeated with the same name, and changes nothing")
    func repeated() async throws {
        let home = try await TestHome.named("Zoe\u{308}")
        let before = try #require(FileManager.default.contents(atPath: home.path + "/identity.key"))
        let result = try await home.run("init", "--name", "Zo\u{EB}", "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try result.objects().first?["isMade"] as? Bool == false)
        #expect(FileManager.default.contents(atPath: home.path + "/identity.key") == before)
    }

    @Test("joins the network of a key in a file, and says so again")
    func network() async throws {
        let (first, second) = (try await TestHome.named("alice"), try TestHome())
        let key = try #require(try await first.run("network", "create", "--json").objects().first)
        let file = first.path + "/key"
        let isMade = FileManager.default.createFile(
            atPath: file, contents: Data(try #require(key["key"] as? String).utf8),
            attributes: [.posixPermissions: 0o600])
        try #require(isMade)
        for isMade in [true, false] {
            let result = try await second.run("init", "--name", "bob", "--network-key-file", file, "--json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(try result.objects().first?["isMade"] as? Bool == isMade)
            #expect(try result.objects().first?["networkTag"] as? String == key["tag"] as? String)
        }
        #expect(
            try await second.run("network", "show", "--json").objects().first?["tag"] as? String == key["tag"]
                as? String)
    }

    @Test("refuses a home whose path is too long for the socket of a node, and makes nothing; so do --join and import")
    func longPath() async throws {
        let path = "/tmp/earshot-test-\(UUID().uuidString.prefix(8))" + String(repeating: "x", count: 90)
        let commands = [["init", "--name", "alice"], ["init", "--join"], ["import", "/nonexistent.backup"]]
        for command in commands {
            let result = try await Program.run(command + ["--home", path])
            #expect(result.status != 0)
            #expect(result.errors.contains("the system's limit is 107"), "\(command): \(result.errors)")
            #expect(result.errors.contains("\n  try: name a home directory with a shorter path"))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("makes no identity if the file of the network key cannot be used")
    func missingNetworkKey() async throws {
        let home = try TestHome()
        #expect(try await home.run("init", "--name", "bob", "--network-key-file", "/nonexistent").status != 0)
        #expect(!FileManager.default.fileExists(atPath: home.path))
    }

    @Test(
        "refuses an invalid name",
        arguments: ["", "a\u{7}b", " bob", "a@b", "#a", "a,b", "a/b", String(repeating: "x", count: 64)])
    func invalidName(name: String) async throws {
        let home = try TestHome()
        let result = try await home.run("init", "--name", name)
        #expect(result.status == 1)
        #expect(result.errors.contains("is not a name"))
        #expect(!result.errors.contains("\u{7}"))
    }

    @Test("tells the fingerprint, which status repeats")
    func fingerprint() async throws {
        let home = try TestHome()
        let made = try await home.run("init", "--name", "alice", "--json").objects()
        let status = try await home.run("status", "--json").objects()
        #expect(made.count == 1 && status.count == 1)
        #expect(made[0]["fingerprint"] as? String == status[0]["fingerprint"] as? String)
        #expect(status[0]["isRunning"] as? Bool == false)
    }
}
