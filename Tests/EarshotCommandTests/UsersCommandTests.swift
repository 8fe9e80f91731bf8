import EarshotGateway
import Foundation
import Testing

@Suite("earshot users", .keepsWhatItStarts)
struct UsersCommandTests {
    @Test("with a name shows all of one user, with the whole key, which send takes")
    func one() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.bob.run("send", "alice", "hi", "--wait", "delivered").status == 0)
        let key = try await pair.bob.userID()
        let text = try await pair.alice.run("users", "bob").output
        for row in ["name +bob", "key +\(key)", "fingerprint +\(try await pair.bob.key().fingerprint)", "unread +1"] {
            #expect(text.contains(try Regex("(?m)^\(row)$")), "\(row)")
        }
        let shown = try #require(text.firstMatch(of: /(?m)^key +(.+)$/)).output.1
        #expect(try await pair.alice.run("send", String(shown), "hello").status == 0)
        #expect(try await pair.alice.run("users", "bob", "--json").objects().map { $0["id"] as? String } == [key])
        #expect(try await pair.alice.run("users", "nobody").status == 5)
    }

    @Test("with a name that several have shows each, and what to type for it")
    func several() async throws {
        let namesakes = try await Namesakes.met()
        let text = try await namesakes.alice.run("users", "bob").output
        for home in [namesakes.first, namesakes.second] {
            #expect(text.contains("to type      bob@\(try await home.key().prefix)\n"))
        }
    }
}
