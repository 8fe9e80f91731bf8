import Earshot
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("A call answers with what its caller may read:")
struct AnswersByScopeTests {
    /// Stands in everything that only who may read is told.
    private static let secret = "quokka"
    /// Stands in drafts of others, which nobody is told who has a token without the scope `all`.
    private static let draftSecret = "wombat"

    private struct Caller: Sendable, CustomStringConvertible {
        let scopes: Set<Scope>
        let isLimited: Bool

        var mayRead: Bool { scopes.contains(.read) }
        var mayDraft: Bool { !scopes.isDisjoint(with: [.draft, .send]) }
        var name: String { scopes.map(\.rawValue).sorted().joined(separator: "-") + (isLimited ? "-limited" : "") }
        var description: String { name }

        /// Every kind of token but those that may do everything.
        static let all: [Caller] =
            [[.read], [.draft], [.send], [.draft, .send], [.read, .draft], [.read, .send]].map {
                Caller(scopes: $0, isLimited: false)
            }
            + [[.draft], [.send], [.read, .send]].map { Caller(scopes: $0, isLimited: true) }
    }

    /// A user who knows somebody, and has something of everything.
    private struct Scene: Sendable {
        let alice: TestNode
        let bobID: String
        let received: String
        var places: [String: String]

        init(_ alice: TestNode, _ bob: TestNode) async throws {
            let stranger = try await TestNode.with("stranger") { $0.node.userID.description }
            let (client, bobID) = (alice.client, bob.node.userID.description)
            (self.alice, self.bobID) = (alice, bobID)
            let sent = try await bob.client.send("\(secret) text", to: alice.node.userID.description)
            try await bob.wait(for: "delivered", of: sent.id)
            received = sent.id
            _ = try await client.react("y", to: received)
            let group = try await client.create(
                private: "\(secret)-group", friendlyName: secret, attributes: #"{"\#(secret)":1}"#)
            let open = try await client.join("\(secret)-open")
            let inGroup = try await client.send("\(secret) text", to: group.id)
            let later = #"{"to":"\#(bobID)","text":"\#(secret)","notBefore":"2999-01-01T00:00:00Z"}"#
            _ = try await alice.ask("POST", "/v1/scheduled", later)
            let draft = try await client.insertDraft("\(secret) \(draftSecret)", to: bobID)
            let file: GatewayAttachment = try await alice.ask(
                "POST", "/v1/files/upload?name=\(secret).txt", "the file's content"
            ).decoded()
            try await client.prepareConsumer("\(secret)-consumer")
            _ = try await client.register(.command(path: "/bin/true", arguments: []), name: "\(secret)-target")
            places = [
                "bob": bobID, "stranger": stranger, "received": received, "group": group.id, "open": open.id,
                "inGroup": inGroup.id, "draft": draft.id, "file": file.fileID, "consumer": "\(secret)-consumer",
                "beginning": "\(try await alice.node.journal.latest().description.prefix(16)).0.0",
            ]
        }

        /// What a request of a caller names, with messages that nothing has happened to yet.
        func places(
            for caller: Caller, _ headers: [String], _ probes: [RouteProbe], number: Int
        ) async throws -> [String: String] {
            let names = { (name: String) in probes.contains { ($0.path + $0.body).contains("{\(name)}") } }
            var places = places
            places["fresh"] = "\(caller.name)\(number)"
            if names("own") { places["own"] = try await alice.client.send("\(secret) text", to: bobID).id }
            if names("later") {
                let later = #"{"to":"\#(bobID)","text":"\#(secret)","notBefore":"2999-01-01T00:00:00Z"}"#
                let scheduled: GatewayScheduled = try await alice.ask("POST", "/v1/scheduled", later).decoded()
                places["later"] = scheduled.id
            }
            if names("mine") { places["mine"] = try await changedDraft(of: caller, headers) }
            return places
        }

        /// A draft that a caller has inserted, and that a person has changed since; that of a person for who inserts none.
        func changedDraft(of caller: Caller, _ headers: [String]) async throws -> String {
            guard caller.mayDraft else { return places["draft"] ?? "" }
            let body = #"{"to":"\#(bobID)","text":"mine"}"#
            let id = try await alice.ask("POST", "/v1/drafts", body, headers).idOfAnswer()
            try await alice.client.editDraft(id, "\(secret) that a person wrote")
            return id
        }
    }

    private func callers(_ scene: Scene) async throws -> [(caller: Caller, headers: [String])] {
        var callers: [(Caller, [String])] = []
        for caller in Caller.all {
            let token = try await scene.alice.client.createToken(
                caller.name, scopes: caller.scopes.sorted { $0.rawValue < $1.rawValue },
                to: caller.isLimited ? [scene.bobID] : nil)
            callers.append((caller, ["authorization: Bearer \(token.token)"]))
        }
        return callers
    }

    private func routes(of node: Node) async throws -> [Route] {
        let tokens = try await TokenBook(node: node)
        return Router(
            node: node, feed: EventFeed(node: node), tokens: tokens, door: PageDoor(node: node, tokens: tokens),
            held: HeldRequests()
        ).routes
    }

    private static func key(of route: Route) -> String { "\(route.method.rawValue) \(route.path)" }

    @Test("there are requests for every route, and for no other")
    func table() async throws {
        try await TestNode.with("alice") { alice in
            let routes = try await routes(of: alice.node)
            #expect(Set(routes.map(Self.key)) == Set(RouteProbe.all.keys))
        }
    }

    @Test("no route tells in any answer, header, error or event what a token may not read, whatever its scopes")
    func secrets() async throws {
        try await TestNode.with("\(Self.secret)-alice") { alice in
            try await TestNode.with("\(Self.secret)", peers: [alice.port]) { bob in
                for node in [alice, bob] { try await node.waitForLink() }
                let scene = try await Scene(alice, bob)
                for (caller, headers) in try await callers(scene) {
                    try await tell(caller, headers, of: try await routes(of: alice.node), scene)
                    // A conversation has room for a few.
                    for draft in try await alice.client.drafts() where draft.insertedBy == caller.name {
                        try await alice.client.discardDraft(draft.id)
                    }
                }
            }
        }
    }

    private func tell(_ caller: Caller, _ headers: [String], of routes: [Route], _ scene: Scene) async throws {
        if caller.mayDraft {
            // Of these it hears.
            let mine = try await scene.changedDraft(of: caller, headers)
            _ = try await scene.alice.client.sendDraft(mine)
        }
        for (number, route) in routes.enumerated() {
            let probes = RouteProbe.all[Self.key(of: route)] ?? []
            let places = try await scene.places(for: caller, headers, probes, number: number)
            var isAllowed = false
            if case .scope(let needed) = route.permission {
                isAllowed = caller.scopes.contains(needed) || needed == .draft && caller.scopes.contains(.send)
            }
            for probe in probes {
                let fill = { (text: String) in places.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) } }
                let answer = try await RawRequest(
                    method: route.method.rawValue, path: fill(probe.path), body: Array(fill(probe.body).utf8),
                    headers: headers + probe.headers.map(fill)
                ).send(toPort: scene.alice.httpPort)
                let text = answer.head + "\n" + String(decoding: answer.body, as: UTF8.self)
                let about = "\(caller): \(route.method.rawValue) \(probe.path) \(probe.body)\n\(text)"
                if isAllowed, probe.isGood { #expect((200..<300).contains(answer.status), "\(about)") }
                #expect(caller.mayRead || !text.contains(Self.secret), "\(about)")
                #expect(!text.contains(Self.draftSecret), "\(about)")
            }
        }
    }

    @Test("who may not read is told ids and states of what they wrote, and of nothing else")
    func states() async throws {
        try await TestNode.pair { alice, bob in
            let received = try await bob.client.send("hello", to: "alice")
            try await bob.wait(for: "delivered", of: received.id)
            let token = try await alice.client.createToken("sender", scopes: [.send]).token
            let headers = ["authorization: Bearer \(token)"]
            func fields(_ method: String, _ path: String, _ body: String = "") async throws -> [String: Any] {
                let answer = try await alice.ask(method, path, body, headers)
                #expect(answer.status < 300, "\(path): \(String(decoding: answer.body, as: UTF8.self))")
                return try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
            }
            let sent = try await fields("POST", "/v1/messages", #"{"to":"bob","text":"x"}"#)
            #expect(Set(sent.keys) == ["id", "conversationID", "recipients"])
            let recipient = try #require((sent["recipients"] as? [[String: Any]])?.first)
            #expect(recipient["id"] as? String == bob.node.userID.description && recipient["name"] == nil)
            #expect(recipient["state"] is String)
            let several = try await fields("POST", "/v1/messages", #"{"to":["bob"],"text":"x"}"#)
            let result = try #require((several["results"] as? [[String: Any]])?.first)
            #expect((result["message"] as? [String: Any])?["text"] == nil && result["to"] as? String == "bob")
            let id = try #require(sent["id"] as? String)
            for (path, body) in [
                ("messages/\(received.id)/react", #"{"emoji":"y","remove":true}"#),
                ("messages/\(id)/edit", #"{"text":"y"}"#), ("messages/\(id)/retract", ""),
            ] { #expect(Set(try await fields("POST", "/v1/\(path)", body).keys) == ["id"], "\(path)") }
            let draft = try await fields("POST", "/v1/drafts", #"{"to":"bob","text":"x"}"#)
            #expect(Set(draft.keys) == ["id", "conversationID", "insertedBy", "createdAt"])
            let later = #"{"to":"bob","text":"x","notBefore":"2999-01-01T00:00:00Z"}"#
            let scheduled = try await fields("POST", "/v1/scheduled", later)
            #expect(Set(scheduled.keys) == ["id", "notBefore", "createdAt"])
            let joined = try await fields("POST", "/v1/conversations", #"{"uniqueName":"ops"}"#)
            #expect(Set(joined.keys) == ["id", "status"])
        }
    }

    @Test("an error says to who may not read what is wrong and how to learn more, and no name that is nearly the same")
    func suggestions() async throws {
        try await TestNode.pair { alice, _ in
            let message = #"{"to":"bobb","text":"x"}"#
            let told = try await alice.ask("POST", "/v1/messages", message)
            #expect(try told.errorParameters()["suggestions"] as? [String] == ["bob"])
            let token = try await alice.client.createToken("sender", scopes: [.send]).token
            let untold = try await alice.ask("POST", "/v1/messages", message, ["authorization: Bearer \(token)"])
            #expect(try untold.status == 404 && untold.error().code == "unknownUser")
            #expect(try untold.error().message.contains("scope read"))
            #expect(try untold.errorParameters()["suggestions"] == nil)
        }
    }

    @Test("a token that may read hears of no drafts but its own")
    func events() async throws {
        try await TestNode.pair { alice, _ in
            for (name, scopes, heard) in [
                ("reader", [Scope.read], "messageQueued"), ("both", [.read, .draft], "draftInserted"),
            ] {
                let token = try await alice.client.createToken(name, scopes: scopes).token
                let headers = ["authorization: Bearer \(token)"]
                let beginning = try await alice.node.journal.latest()
                _ = try await alice.client.insertDraft("of a person", to: "bob")
                _ = try await alice.client.insertDraft("of another program", to: "bob", by: "other")
                _ = try await alice.ask("POST", "/v1/drafts", #"{"to":"bob","text":"of \#(name)"}"#, headers)
                _ = try await alice.client.send("x", to: "bob")
                let path = "/v1/events?names=draftInserted,messageQueued&after=\(beginning)&count=1"
                let stream = try await alice.ask("GET", path, "", headers)
                let text = String(decoding: stream.body, as: UTF8.self)
                #expect(text.contains("event: \(heard)"), "\(name): \(text)")
            }
        }
    }
}

extension TestNode {
    /// - Parameter headers: without any, the owner asks, on the socket.
    func ask(
        _ method: String, _ path: String, _ body: String = "", _ headers: [String] = []
    ) async throws -> RawRequest.Response {
        try await RawRequest(method: method, path: path, body: Array(body.utf8), headers: headers)
            .send(to: node.home.socketFile)
    }
}

extension RawRequest.Response {
    /// The field `id` of the answer.
    func idOfAnswer() throws -> String {
        let fields = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        return try #require(fields["id"] as? String, "\(status) \(String(decoding: body, as: UTF8.self))")
    }
}
