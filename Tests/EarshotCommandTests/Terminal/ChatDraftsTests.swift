import Foundation
import Testing

@testable import EarshotCommand
@testable import EarshotGateway

@Suite("Drafts in a chat")
struct ChatDraftsTests {
    private func draft(_ id: String, _ text: String, by name: String? = "quotes") throws -> GatewayDraft {
        var object: [String: Any] = [
            "id": id, "conversationID": "c", "recipient": ["id": "bob"], "text": text, "headers": [:], "mentions": [],
            "attachments": [], "timeToLiveSeconds": 1, "createdAt": "2026-01-01T00:00:00.000Z",
        ]
        object["insertedBy"] = name
        return try JSONDecoder().decode(GatewayDraft.self, from: try JSONSerialization.data(withJSONObject: object))
    }

    @Test("are shown with who inserted them, and with what is dangerous as its code")
    func lines() throws {
        #expect(ChatDrafts.lines(1, try draft("a", "hello")) == ["draft 1 by quotes, not sent: hello"])
        #expect(
            ChatDrafts.lines(2, try draft("a", "\u{202e}one\ntwo\u{1b}[31m", by: nil)) == [
                "draft 2 by you, not sent: \\u{202e}one", "  two\\u{1b}[31m",
            ])
        let long = ChatDrafts.lines(3, try draft("a", (1...100).map(String.init).joined(separator: "\n")))
        #expect(long.count == 9 && long.last == "  … (/draft take 3 shows all of it)")
    }

    @Test("are shown with all that they would bring along")
    func besides() throws {
        var object: [String: Any] = [
            "id": "a", "conversationID": "c", "recipient": ["id": "bob"], "text": "", "headers": [:], "mentions": [],
            "attachments": [["fileID": "f", "name": "\u{202e}plan.pdf", "mediaType": "a/b", "byteCount": 2900]],
            "timeToLiveSeconds": 1, "createdAt": "2026-01-01T00:00:00.000Z",
        ]
        object["layout"] = ["caption": "Dinner", "url": "https://example.org/menu"]
        let draft = try JSONDecoder().decode(
            GatewayDraft.self, from: try JSONSerialization.data(withJSONObject: object))
        #expect(
            ChatDrafts.lines(1, draft) == [
                "draft 1 by you, not sent: ┃ Dinner", "  ┃ https://example.org/menu",
                "  [\\u{202e}plan.pdf, 2.90 kB]",
            ])
    }

    @Test("are new once, and named by their numbers")
    func numbers() throws {
        var drafts = ChatDrafts()
        let (one, two) = (try draft("a", "one"), try draft("b", "two"))
        #expect(throws: Failure.self) { try drafts.named("") }
        let new = [drafts.update([one]), drafts.update([one, two]), drafts.update([two])].map { $0.map(\.number) }
        #expect(new == [[1], [2], []])
        #expect(try drafts.named("") == two && drafts.named("1") == two)
        _ = drafts.update([one, two])
        for name in ["", "0", "3", "x"] { #expect(throws: Failure.self) { try drafts.named(name) } }
        #expect(try drafts.named("2") == two)
    }

    @Test(
        "are sent, taken and discarded by commands",
        arguments: [
            ("/drafts", ChatCommand.drafts), ("/draft send 2", .draft(.send, "2")), ("/draft take", .draft(.take, "")),
            ("/draft discard  1", .draft(.discard, "1")),
        ])
    func commands(line: String, command: ChatCommand) { #expect(ChatCommand(line) == command) }

    @Test("are counted in the status, and the one in the line is named with who inserted it")
    func status() {
        var status = ChatStatus(name: "bob")
        status.draftCount = 2
        #expect(status.text == "bob ── 2 drafts")
        status.takenDraft = "quotes"
        #expect(status.text == "bob ── in the line: a draft by quotes")
    }
}
