import Earshot
import Foundation
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("Names that programs give:")
struct NamesOfProgramsTests {
    /// A call that a key makes one of, however often it is repeated.
    private struct Keyed: Sendable {
        let route: String
        var path: String { String(route.drop { $0 != "/" }) }
        /// `{text}` stands for what the program says.
        let body: String
        /// Whether what it makes is a message at once.
        var isMessage = true
        /// Where in the answer its id is.
        var id: @Sendable ([String: Any]) -> String? = { $0["id"] as? String }

        static let all: [Keyed] = [
            Keyed(route: "POST /v1/messages", body: #"{"to":"bob","text":"{text}"}"#),
            Keyed(route: "POST /v1/messages", body: #"{"to":["bob"],"text":"{text}"}"#) { answer in
                let result = (answer["results"] as? [[String: Any]])?.first
                return (result?["message"] as? [String: Any])?["id"] as? String
            },
            Keyed(
                route: "POST /v1/messages",
                body: #"{"to":"bob","text":"{text}","session":{"id":"{session}","summary":"s"}}"#),
            Keyed(route: "POST /v1/messages/{message}/reply", body: #"{"text":"{text}"}"#),
            Keyed(route: "POST /v1/messages/{message}/reply", body: #"{"text":"{text}","inPlace":true}"#),
            Keyed(
                route: "POST /v1/scheduled",
                body: #"{"to":"bob","text":"{text}","notBefore":"2999-01-01T00:00:00Z"}"#, isMessage: false),
            Keyed(route: "POST /v1/drafts", body: #"{"to":"bob","text":"{text}"}"#, isMessage: false),
        ]
    }

    private struct Program: Sendable {
        let name: String
        let headers: [String]
    }

    /// Lends a node with some programs, of which the first is the owner's own, and a message of somebody else.
    private static func scene(
        _ body: @escaping @Sendable (_ alice: TestNode, _ programs: [Program], _ message: String) async throws -> Void
    ) async throws {
        try await TestNode.pair { alice, bob in
            let hello = try await bob.client.send("hello", to: "alice")
            try await bob.wait(for: "delivered", of: hello.id)
            var programs = [Program(name: "owner", headers: [])]
            for (name, scopes) in [("one", [Scope.read, .send]), ("two", [.read, .send]), ("three", [.all])] {
                let token = try await alice.client.createToken(name, scopes: scopes).token
                programs.append(Program(name: name, headers: ["authorization: Bearer \(token)"]))
            }
            try await body(alice, programs, hello.id)
        }
    }

    private static func ask(
        _ keyed: Keyed, _ key: String, by program: Program, saying text: String, of alice: TestNode,
        about message: String
    ) async throws -> String {
        let body = keyed.body.replacing("{text}", with: text).replacing(
            "{session}", with: String(repeating: "0", count: 26))
        let answer = try await alice.ask(
            "POST", keyed.path.replacing("{message}", with: message), body,
            program.headers + ["idempotency-key: \(key)"])
        let said = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 201, "\(program.name): \(keyed.body): \(said)")
        let fields = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        return try #require(keyed.id(fields), "\(said)")
    }

    @Test("every call that takes a key is tried")
    func table() {
        var (path, method): (String, String) = ("", "")
        var routes: Set<String> = []
        for line in OpenAPIDocument.text.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/  (/v1/.*):/#) { path = String(match.1) }
            if let match = line.wholeMatch(of: #/    (get|post|delete):/#) { method = match.1.uppercased() }
            if line.contains("parameters/idempotencyKey\"") { routes.insert("\(method) \(path)") }
        }
        #expect(routes == Set(Keyed.all.map(\.route)))
    }

    @Test("programs with the same key never meet, whatever each does with it, and each finds its own again")
    func keys() async throws {
        try await Self.scene { alice, programs, message in
            for (number, first) in Keyed.all.enumerated() {
                for (other, second) in Keyed.all.enumerated() {
                    let key = "k\(number)-\(other)"
                    var made: [(program: Program, keyed: Keyed, text: String, id: String)] = []
                    for (place, program) in programs.enumerated() {
                        let keyed = place.isMultiple(of: 2) ? first : second
                        let text = "of \(program.name) with \(key)"
                        let id = try await Self.ask(keyed, key, by: program, saying: text, of: alice, about: message)
                        made.append((program, keyed, text, id))
                    }
                    #expect(Set(made.map(\.id)).count == programs.count, "\(key): \(made.map(\.id))")
                    for (program, keyed, text, id) in made {
                        let again = try await Self.ask(keyed, key, by: program, saying: text, of: alice, about: message)
                        #expect(again == id)
                        if keyed.isMessage { #expect(try await alice.client.message(id).text == text) }
                    }
                    try await Self.tidy(alice)
                }
            }
        }
    }

    /// There is room for a few drafts.
    private static func tidy(_ alice: TestNode) async throws {
        for draft in try await alice.client.drafts() { try await alice.client.discardDraft(draft.id) }
    }

    @Test("a program whose token is limited to one user does not rewrite what another has sent to somebody else")
    func limited() async throws {
        try await TestNode.with("alice") { alice in
            try await TestNode.with("bob", peers: [alice.port]) { bob in
                try await TestNode.with("carol", peers: [alice.port]) { carol in
                    try await alice.until("alice has met both") { await alice.node.users.all.count == 2 }
                    func token(_ name: String, _ to: [String]?) async throws -> [String] {
                        let token = try await alice.client.createToken(name, scopes: [.read, .send], to: to).token
                        return ["authorization: Bearer \(token)"]
                    }
                    let (deploy, other) = (try await token("deploy", nil), try await token("other", ["bob"]))
                    let key = ["idempotency-key: build-7"]
                    let toCarol = try await alice.client.send("to carol", to: "carol")
                    let path = "/v1/messages/\(toCarol.id)/reply"
                    let body = #"{"text":"40 %","inPlace":true}"#
                    let place = try await alice.ask("POST", path, body, deploy + key).idOfAnswer()
                    let toBob = try await alice.client.send("to bob", to: "bob")
                    let rewritten = try await alice.ask(
                        "POST", "/v1/messages/\(toBob.id)/reply", #"{"text":"rewritten","inPlace":true}"#, other + key
                    ).idOfAnswer()
                    #expect(rewritten != place)
                    #expect(try await alice.client.message(place).text == "40 %")
                    withExtendedLifetime((bob, carol)) {}
                }
            }
        }
    }

    @Test("programs with the same consumer each have their own place, answers, failures and messages set aside")
    func consumers() async throws {
        try await Self.scene { alice, programs, message in
            var answers: [String] = []
            for program in programs {
                let made = try await alice.ask(
                    "POST", "/v1/consumers", #"{"name":"bot","from":"beginning"}"#, program.headers)
                #expect(made.status == 201, "\(program.name): \(String(decoding: made.body, as: UTF8.self))")
            }
            for program in programs {
                let batch: GatewayBatch = try await alice.ask(
                    "GET", "/v1/inbox?consumer=bot&attempts=1", "", program.headers
                ).decoded()
                #expect(batch.messages.map(\.id) == [message], "\(program.name)")
                let failed: GatewayFailureNoted = try await alice.ask(
                    "POST", "/v1/inbox/bot/fail", #"{"message":"\#(message)","reason":"of \#(program.name)"}"#,
                    program.headers
                ).decoded()
                #expect(failed.isSetAside)
                let aside: [GatewaySetAside] = try await alice.ask(
                    "GET", "/v1/consumers/bot/set-aside", "", program.headers
                ).decoded()
                #expect(aside.map(\.reason) == ["of \(program.name)"])
                let send =
                    #"[{"to":"bob","text":"answer","answering":"\#(message)"},"#
                    + #"{"to":"bob","text":"of \#(program.name)","idempotencyKey":"k"}]"#
                let again = try await alice.ask(
                    "POST", "/v1/consumers", #"{"name":"other","from":"beginning"}"#, program.headers)
                #expect(again.status == 201)
                let handed: GatewayBatch = try await alice.ask("GET", "/v1/inbox?consumer=other", "", program.headers)
                    .decoded()
                let body = #"{"ack":"\#(handed.cursor)","send":\#(send)}"#
                for _ in 0..<2 {
                    let acknowledged: GatewayAcknowledgement = try await alice.ask(
                        "POST", "/v1/inbox/other", body, program.headers
                    ).decoded()
                    answers += acknowledged.messages.map(\.id)
                }
                if program.name == "one" || program.name == "two" {
                    let listed: [GatewayConsumer] = try await alice.ask("GET", "/v1/consumers", "", program.headers)
                        .decoded()
                    #expect(listed.map(\.name) == ["bot", "other"] && Set(listed.map(\.token)) == [program.name])
                }
            }
            #expect(answers.count == 4 * programs.count && Set(answers).count == 2 * programs.count)
        }
    }

    @Test("the owner finds the consumers of tokens under the token's name, and moves and removes them")
    func management() async throws {
        try await TestNode.pair { alice, _ in
            let token = try await alice.client.createToken("ci", scopes: [.read]).token
            let headers = ["authorization: Bearer \(token)"]
            for program in [[], headers] {
                #expect(try await alice.ask("POST", "/v1/consumers", #"{"name":"bot"}"#, program).status == 201)
            }
            let listed = try await alice.client.consumers()
            #expect(Set(listed.map { "\($0.token ?? "")/\($0.name)" }) == ["/bot", "ci/bot"])
            #expect(try await alice.ask("POST", "/v1/consumers/ci%2Fbot/move", #"{"from":"beginning"}"#).status == 204)
            #expect(try await alice.ask("GET", "/v1/consumers/ci%2Fbot/set-aside").status == 200)
            #expect(try await alice.ask("DELETE", "/v1/consumers/bot").status == 204)
            let missing = try await alice.ask("DELETE", "/v1/consumers/bot")
            #expect(try missing.status == 404 && missing.errorParameters()["suggestions"] as? [String] == ["ci/bot"])
            #expect(try await alice.ask("DELETE", "/v1/consumers/ci%2Fbot").status == 204)
            // A program names none but its own.
            let foreign = try await alice.ask("GET", "/v1/inbox?consumer=ci%2Fbot", "", headers)
            #expect(foreign.status == 422)
        }
    }
}
