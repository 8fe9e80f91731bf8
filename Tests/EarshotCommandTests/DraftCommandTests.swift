import EarshotGateway
import Foundation
import Testing

@Suite("earshot draft", .keepsWhatItStarts)
struct DraftCommandTests {
    @Test("lists what programs have prepared, and sends, changes and discards it by the beginning of its id")
    func drafts() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("draft").lines == ["no drafts"])
        for text in ["one", "two"] {
            #expect(try await pair.alice.run("draft", "insert", "bob", text, "--by", "quotes").status == 0)
        }
        let listed = try await pair.alice.run("draft", "list", "bob")
        #expect(listed.lines.count == 3 && listed.lines[1].contains("quotes") && listed.lines[1].contains("bob"))
        let ids = try await pair.alice.run("draft", "list", "--json").objects().compactMap { $0["id"] as? String }
        let (first, second) = (String(ids[0].prefix(8)), ids[1])
        #expect(try await pair.alice.run("draft", "edit", first, "first").lines == ["edited"])
        let sent = try await pair.alice.run("draft", "send", first, "--json")
        #expect(try sent.objects().last?["text"] as? String == "first")
        #expect(try await pair.alice.run("draft", "discard", second).lines == ["discarded"])
        let gone = try await pair.alice.run("draft", "send", second)
        #expect(gone.status != 0 && gone.errors.contains("it may have been sent or discarded"))
        #expect(gone.errors.contains("earshot draft list"))
        try await pair.bob.until("bob has the draft that was sent") { client in
            try await client.history(with: "alice").map(\.text) == ["first"]
        }
    }
}
