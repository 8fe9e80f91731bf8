import Earshot
import Foundation
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("The document of the local API")
struct DocumentTests {
    @Test("is what the program serves")
    func served() async throws {
        let document = try String(
            contentsOf: PackageFolder.root.appending(path: "docs/openapi.yaml"), encoding: .utf8)
        #expect(OpenAPIDocument.text == document)
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("sender", scopes: [.send]).token
            let answer = try await RawRequest(path: "/v1/openapi.yaml", headers: ["authorization: Bearer \(token)"])
                .send(toPort: alice.httpPort)
            #expect(answer.status == 200 && answer.head.contains("content-type: application/yaml"))
            #expect(String(decoding: answer.body, as: UTF8.self) == document)
        }
    }

    @Test("has every route, with its query, its scope and whether it takes a body, and no other")
    func routes() async throws {
        guard let judge = try DocumentJudge.shared.get() else { return }
        try await TestNode.with("alice") { alice in
            let tokens = try await TokenBook(node: alice.node)
            let routes = Router(
                node: alice.node, feed: EventFeed(node: alice.node), tokens: tokens,
                door: PageDoor(node: alice.node, tokens: tokens), held: HeldRequests()
            ).routes
            #expect(routes.count > 15)
            #expect(try judge.check(routes) == "")
            #expect(try judge.check(Array(routes.dropLast())).contains("not served: [('"))
            let undescribed: Route = .get("/v1/colours") { _ in .done }
            #expect(try judge.check(routes + [undescribed]).contains("not in the document: [('GET', '/v1/colours'"))
        }
    }

    /// The judge compares each request that is taken with the document, and so does here with `MessageName`.
    @Test("has short ids for messages wherever the program takes them")
    func shortIDs() async throws {
        let stranger = try await TestNode.with("carol") { $0.node.userID.description }
        try await TestNode.pair { alice, bob in
            let waiting = ShortMessageID.shown(try await alice.client.send("later", to: stranger).id)
            let sent = try await bob.client.send("hello", to: "alice")
            try await bob.wait(for: "delivered", of: sent.id)
            let id = ShortMessageID.shown(sent.id)
            #expect(id.wholeMatch(of: /[0-9a-z]{8}-1/) != nil)

            func ask(_ method: String, _ path: String, _ body: String = "") async throws -> Data {
                let answer = try await RawRequest(method: method, path: "/v1/\(path)", body: Array(body.utf8))
                    .send(to: alice.node.home.socketFile)
                #expect(answer.status < 300, "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
                return answer.body
            }
            _ = try await ask("GET", "messages/\(id)")
            _ = try await ask("POST", "messages/\(waiting)/cancel")
            for bound in ["before", "after"] { _ = try await ask("GET", "conversations/bob/messages?\(bound)=\(id)") }
            _ = try await ask("POST", "conversations/bob/read", #"{"upTo":"\#(id)"}"#)
            _ = try await ask("POST", "consumers", #"{"name":"bot","from":"beginning"}"#)
            let batch = try await ask("GET", "inbox?consumer=bot&attempts=1")
            let cursor = try #require(try JSONSerialization.jsonObject(with: batch) as? [String: Any])["cursor"]
            let answer = #"[{"to":"bob","text":"x","answering":"\#(id)"}]"#
            _ = try await ask("POST", "inbox/bot", #"{"ack":"\#(try #require(cursor as? String))","send":\#(answer)}"#)
            _ = try await ask("POST", "consumers", #"{"name":"other","from":"beginning"}"#)
            _ = try await ask("GET", "inbox?consumer=other&attempts=1")
            _ = try await ask("POST", "inbox/other/fail", #"{"message":"\#(id)","reason":"no"}"#)
            _ = try await ask("POST", "consumers/other/set-aside/\(id)/again")
            _ = try await ask("POST", "messages/erase", #"{"messages":["\#(id)"]}"#)
        }
    }

    @Test("says what each event is")
    func events() async throws {
        guard let judge = try DocumentJudge.shared.get() else { return }
        try await TestNode.with("alice") { alice in
            try await alice.client.withEvents { events in
                try await TestNode.with("bob", peers: [alice.port]) { bob in
                    for node in [alice, bob] { try await node.waitForLink() }
                    let sent = try await bob.client.send("hello", to: "alice")
                    try await bob.wait(for: "delivered", of: sent.id)
                    _ = try await alice.client.send("hello", to: "bob")
                }
                var names: Set<String> = []
                for try await event in events {
                    judge.check(event, as: "Event")
                    names.insert(event.name)
                    if names.isSuperset(of: ["messageReceived", "messageQueued", "userDiscovered", "userUpdated"]) {
                        break
                    }
                }
            }
        }
    }
}
