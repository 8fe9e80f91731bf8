import Earshot
import Foundation
import Testing

@Suite("earshot status", .keepsWhatItStarts)
struct StatusCommandTests {
    @Test("shows the links of two nodes: their direction, since when, and the peers' clocks")
    func links() async throws {
        let pair = try await Pair.met()
        let status = try await pair.alice.run("status", "--json").objects()[0]
        #expect(status["version"] as? String == Earshot.version)
        let links = try #require(status["links"] as? [[String: Any]])
        #expect(links.count == 1)
        #expect((links[0]["user"] as? [String: Any])?["name"] as? String == "bob")
        #expect(links[0]["isOutbound"] as? Bool == true)
        let since = try #require(links[0]["establishedAtMilliseconds"] as? Double)
        #expect(abs(since / 1000 - Date().timeIntervalSince1970) < 60)
        #expect(abs(try #require(links[0]["clockOffsetMilliseconds"] as? Double)) < 60_000)
        #expect((status["discovery"] as? [String: Any])?["stack"] as? String == "off")
        let text = try await pair.bob.run("status").output
        #expect(text.contains(try Regex(#"(?m)^links +alice, from 127\.0\.0\.1:\d+, since .*, clock [+-]0\.\d s$"#)))
    }

    @Test("says who waits for how many messages")
    func queue() async throws {
        let pair = try await Pair.met()
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        for text in ["one", "two"] { #expect(try await pair.alice.run("send", "bob", text).status == 0) }
        let status = try await pair.alice.run("status", "--json").objects()[0]
        #expect(status["undeliveredMessages"] as? Int == 2)
        let undelivered = try #require(status["undelivered"] as? [[String: Any]])
        #expect(undelivered.map { $0["count"] as? Int } == [2])
        #expect(
            try await pair.alice.run("status").output.contains(try Regex("(?m)^undelivered +2 messages wait for bob$")))
    }

    @Test("lists the addresses that peers may connect to, each with the port")
    func addresses() async throws {
        let home = try await TestHome.named("alice")
        let (_, port) = try await home.up()
        let status = try await home.run("status", "--json").objects()[0]
        let addresses = try #require(status["addresses"] as? [String])
        #expect(addresses.allSatisfy { $0.hasSuffix(":\(port)") && !$0.hasPrefix("127.") })
    }
}
