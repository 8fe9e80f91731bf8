import EarshotGateway
import Foundation
import Testing

@Suite("earshot token", .keepsWhatItStarts)
struct TokenCommandTests {
    @Test("makes a token that is shown once, lists it with its last use, and revokes it")
    func tokens() async throws {
        let pair = try await Pair.met()
        let made = try await pair.alice.run("token", "create", "reminders", "--scope", "send", "--to", "bob")
        #expect(made.status == 0)
        let token = try #require(made.lines.first)
        #expect(made.lines.count == 1 && token.hasPrefix("earshot_"))
        let listed = try await pair.alice.run("token", "list")
        #expect(!listed.output.contains(token))
        #expect(listed.lines.last?.contains("reminders") == true && listed.lines.last?.hasSuffix("never") == true)
        #expect(listed.lines.last?.contains("bob") == true)
        #expect(try await pair.alice.run("token", "create", "reminders", "--scope", "read").status == 1)
        #expect(try await pair.alice.run("token", "revoke", "reminders").lines == ["reminders is revoked"])
        #expect(try await pair.alice.run("token", "revoke", "reminders").status == 1)
        #expect(
            try await pair.alice.run("token", "list").lines == ["no tokens: earshot token create NAME --scope read"])
    }

    @Test("shows that a token which may only read sends to nobody")
    func readOnly() async throws {
        let home = try await TestHome.named("alice")
        for scope in ["read", "send", "all"] {
            #expect(try await home.run("token", "create", scope, "--scope", scope).status == 0)
        }
        let recipients = try await home.run("token", "list").lines.dropFirst().map {
            $0.split(separator: " ").prefix(3).joined(separator: " ")
        }
        #expect(Set(recipients) == ["read read nobody", "send send everybody", "all all everybody"])
    }

    @Test(
        "refuses what no token can be",
        arguments: [
            ["x"], ["x", "--scope", "eat"], ["x", "--scope", "read", "--to", "bob"],
            ["x", "--scope", "all", "--scope", "send", "--to", "bob"], ["x", "--scope", "read", "--expires", "0"],
        ])
    func usage(arguments: [String]) async throws {
        #expect(try await Program.run(["token", "create"] + arguments).status == 64)
    }
}
