import EarshotGateway
import Foundation
import Testing

@Suite("earshot search and earshot inbox", .keepsWhatItStarts)
struct SearchCommandTests {
    @Test("search finds words, with where, who and when; the last one is shown last")
    func search() async throws {
        let pair = try await Pair.met()
        for text in ["Lunch on Friday?", "lunch was good"] {
            #expect(try await pair.alice.run("send", "bob", text, "--wait", "delivered").status == 0)
        }
        #expect(try await pair.bob.run("send", "alice", "no lunch", "--wait", "delivered").status == 0)
        try await pair.alice.until("all is indexed") { try await $0.search("lunch").count == 3 }
        func found(_ options: String...) async throws -> [String] {
            try await pair.alice.run(["search"] + options + ["--json"]).objects().compactMap { $0["text"] as? String }
        }
        #expect(try await found("lunch") == ["no lunch", "lunch was good", "Lunch on Friday?"])
        #expect(try await found("lunch", "friday") == ["Lunch on Friday?"])
        #expect(try await found("lunch", "--from", "bob") == ["no lunch"])
        #expect(try await found("lunch", "--in", "bob", "--since", "1h", "--limit", "1") == ["no lunch"])
        #expect(try await found("lunch", "--until", "1h") == [])
        let shown = try await pair.alice.run("search", "lunch")
        #expect(shown.lines.map { $0.contains("  alice to bob: ") } == [true, true, false])
        #expect(shown.lines[2].hasSuffix("  bob: no lunch"))
        #expect(try await pair.alice.run("search", "dinner").output == "no message holds these words\n")
        #expect(try await pair.alice.run("search", "!").errors.contains("no letter and no digit"))
    }

    @Test("inbox shows what is not read, by conversation, and leaves it unread")
    func inbox() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("inbox").output == "nothing unread\n")
        for text in ["one", "two"] {
            #expect(try await pair.bob.run("send", "alice", text, "--wait", "delivered").status == 0)
        }
        for _ in 1...2 {
            let inbox = try await pair.alice.run("inbox")
            #expect(inbox.lines[0] == "bob  2 unread")
            #expect(inbox.lines.dropFirst().map { $0.suffix(8) } == ["bob: one", "bob: two"])
        }
        #expect(try await pair.alice.run("inbox", "--since", "1h", "--json").objects().count == 2)
        #expect(try await pair.alice.run("read", "bob").status == 0)
        #expect(try await pair.alice.run("inbox").output == "nothing unread\n")
    }
}
