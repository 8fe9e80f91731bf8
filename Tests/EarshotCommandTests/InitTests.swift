import Foundation
import Testing

@Suite("earshot init")
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
