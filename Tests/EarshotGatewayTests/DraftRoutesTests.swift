import Earshot
import Foundation
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("The local API for drafts")
struct DraftRoutesTests {
    private static func shown(_ token: String) -> [String] { ["authorization: Bearer \(token)"] }

    private func ask(
        _ alice: TestNode, _ method: String, _ path: String, _ body: String = "", _ headers: [String] = []
    ) async throws -> RawRequest.Response {
        try await RawRequest(method: method, path: "/v1/\(path)", body: Array(body.utf8), headers: headers)
            .send(toPort: alice.httpPort)
    }

    @Test("a token with the scope draft prepares messages, and sends none by any route")
    func cannotSend() async throws {
        try await TestNode.pair { alice, _ in
            let quotes = Self.shown(try await alice.client.createToken("quotes", scopes: [.draft]).token)
            let message = try await alice.client.send("own", to: "bob")
            let inserted = try await ask(alice, "POST", "drafts", #"{"to":"bob","text":"a quote"}"#, quotes)
            #expect(inserted.status == 201)
            let draft = try #require(try await alice.client.drafts().first)
            #expect(try inserted.idOfAnswer() == draft.id)
            #expect(draft.insertedBy == "quotes" && draft.recipient.name == "bob" && draft.text == "a quote")
            for (method, path, body) in [
                ("POST", "messages", #"{"to":"bob","text":"x"}"#), ("POST", "drafts/\(draft.id)/send", ""),
                ("POST", "scheduled", #"{"to":"bob","text":"x","notBefore":"2999-01-01T00:00:00Z"}"#),
                ("POST", "messages/\(message.id)/reply", #"{"text":"x"}"#),
                ("POST", "messages/\(message.id)/edit", #"{"text":"x"}"#),
                ("POST", "messages/\(message.id)/react", #"{"emoji":"x"}"#),
                ("POST", "messages/\(message.id)/retract", ""), ("POST", "messages/\(message.id)/cancel", ""),
                ("POST", "conversations/bob/typing", #"{"isTyping":true}"#),
                ("POST", "conversations", #"{"uniqueName":"ops"}"#),
            ] {
                let answer = try await ask(alice, method, path, body, quotes)
                #expect(answer.status == 403, "\(path)")
                #expect(try answer.error().message.hasPrefix("the token may insert drafts, and a person sends them"))
            }
            for path in ["users", "conversations", "messages/\(message.id)", "inbox?consumer=x", "node", "tokens"] {
                #expect(try await ask(alice, "GET", path, "", quotes).status == 403, "\(path)")
            }
            #expect(try await alice.client.history(with: "bob").map(\.text) == ["own"])
        }
    }

    @Test("a token sees, changes and withdraws its own drafts, and those of nobody else")
    func own() async throws {
        try await TestNode.pair { alice, _ in
            let quotes = Self.shown(try await alice.client.createToken("quotes", scopes: [.draft]).token)
            let other = Self.shown(try await alice.client.createToken("other", scopes: [.send]).token)
            let mine = try await alice.client.insertDraft("mine", to: "bob")
            let theirs = try await ask(alice, "POST", "drafts", #"{"to":"bob","text":"theirs"}"#, quotes).idOfAnswer()
            #expect(mine.insertedBy == nil)
            for (headers, id, status) in [
                (quotes, mine.id, 404), (other, theirs, 404), (quotes, theirs, 200),
            ] {
                #expect(try await ask(alice, "GET", "drafts/\(id)", "", headers).status == status)
                let edited = try await ask(alice, "POST", "drafts/\(id)/edit", #"{"text":"new"}"#, headers)
                #expect(edited.status == status)
            }
            #expect(try await ask(alice, "POST", "drafts/\(theirs)/send", "", other).status == 404)
            #expect(try await ask(alice, "DELETE", "drafts/\(mine.id)", "", quotes).status == 404)
            let listed: [ToldID] = try await ask(alice, "GET", "drafts?conversation=bob", "", quotes).decoded()
            #expect(listed.map(\.id) == [theirs])
            #expect(try await alice.client.drafts().map(\.text) == ["mine", "new"])
            let asOther = #"{"to":"bob","text":"x","insertedBy":"other"}"#
            #expect(try await ask(alice, "POST", "drafts", asOther, quotes).status == 403)
            #expect(try await ask(alice, "DELETE", "drafts/\(theirs)", "", quotes).status == 204)
            #expect(try await alice.client.drafts().map(\.text) == ["mine"])
        }
    }

    @Test("a token with the scope draft may be limited to some conversations")
    func limited() async throws {
        try await TestNode.pair { alice, _ in
            let token = try await alice.client.createToken("quotes", scopes: [.draft], to: ["bob"])
            let headers = Self.shown(token.token)
            #expect(token.details.to?.map(\.name) == ["bob"] && token.details.scopes == ["draft"])
            #expect(try await ask(alice, "POST", "drafts", #"{"to":"bob","text":"x"}"#, headers).status == 201)
            let refused = try await ask(alice, "POST", "drafts", #"{"to":"me","text":"x"}"#, headers)
            #expect(refused.status == 403)
            #expect(try refused.error().message.hasPrefix("the token may not send to"))
        }
    }

    @Test("a person sends or discards what a program prepared, and it hears which, of its own drafts alone")
    func hears() async throws {
        try await TestNode.pair { alice, bob in
            let quotes = Self.shown(try await alice.client.createToken("quotes", scopes: [.draft]).token)
            let insert = { (text: String) async throws -> String in
                try await ask(alice, "POST", "drafts", #"{"to":"bob","text":"\#(text)"}"#, quotes).idOfAnswer()
            }
            let (sent, discarded) = (try await insert("one"), try await insert("two"))
            let own = try await alice.client.insertDraft("mine", to: "bob")
            let message = try await alice.client.sendDraft(sent)
            #expect(try await alice.client.sendDraft(sent).id == message.id)
            try await alice.client.discardDraft(discarded)
            try await alice.client.discardDraft(discarded)
            try await alice.client.discardDraft(own.id)
            try await bob.waitFor("one", from: "alice")
            // From the beginning of the journal: it was away.
            let first = try await alice.node.journal.latest()
            let beginning = "\(first.description.prefix(16)).0.0"
            let stream = try await ask(alice, "GET", "events?after=\(beginning)&count=4", "", quotes)
            let text = String(decoding: stream.body, as: UTF8.self)
            let events = try text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map {
                try JSONDecoder().decode(GatewayEvent.self, from: Data($0.dropFirst(6).utf8))
            }
            #expect(events.map(\.name) == ["draftInserted", "draftInserted", "draftSent", "draftDiscarded"])
            #expect(events.map(\.draft?.id) == [sent, discarded, sent, discarded])
            #expect(events[2].message == nil && events[2].draft?.messageID == message.id)
            let hidden = try await ask(alice, "GET", "events?after=\(beginning)&count=1", "", other(alice))
            #expect(hidden.status == 403)
        }
    }

    private func other(_ alice: TestNode) async throws -> [String] {
        Self.shown(try await alice.client.createToken("sender", scopes: [.send]).token)
    }

    @Test("a program reads the inbox and drafts what it would answer, and is refused where it would send")
    func inbox() async throws {
        try await TestNode.pair { alice, bob in
            let token = try await alice.client.createToken("quotes", scopes: [.read, .draft]).token
            let headers = Self.shown(token)
            _ = try await ask(alice, "POST", "consumers", #"{"name":"quotes"}"#, headers)
            _ = try await bob.client.send("hello", to: "alice")
            let given = try await ask(alice, "GET", "inbox?consumer=quotes&wait=30", "", headers)
            let batch: GatewayBatch = try given.decoded()
            let answering = try #require(batch.messages.first?.id)
            func acknowledge(_ more: String) async throws -> RawRequest.Response {
                let send = #"{"text":"hi","answering":"\#(answering)"\#(more)}"#
                return try await ask(
                    alice, "POST", "inbox/quotes", #"{"ack":"\#(batch.cursor)","send":[\#(send)]}"#, headers)
            }
            #expect(try await acknowledge("").status == 403)
            let timed = try await acknowledge(#","isDraft":true,"notBefore":"2999-01-01T00:00:00Z""#)
            #expect(timed.status == 400)
            #expect(try await acknowledge(#","isDraft":true"#).status == 200)
            let draft = try #require(try await alice.client.drafts(in: "bob").first)
            #expect(draft.text == "hi" && draft.insertedBy == "quotes")
            #expect(try await alice.client.history(with: "bob").map(\.text) == ["hello"])
        }
    }
}

extension TestNode {
    /// A message of another node is here.
    fileprivate func waitFor(_ text: String, from peer: String) async throws {
        try await until("\(text) has come") { try await client.history(with: peer).contains { $0.text == text } }
    }
}
