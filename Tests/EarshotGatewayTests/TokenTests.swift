import Earshot
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("A token for the local API")
struct TokenTests {
    private static func shown(_ token: String) -> [String] { ["authorization: Bearer \(token)"] }

    @Test("lets a program do what its scopes say, on the socket and on TCP")
    func scopes() async throws {
        try await TestNode.pair { alice, _ in
            let read = Self.shown(try await alice.client.createToken("reader", scopes: [.read]).token)
            let send = Self.shown(try await alice.client.createToken("sender", scopes: [.send], to: ["bob"]).token)
            let message = Array(#"{"to":"bob","text":"x"}"#.utf8)
            for (headers, reads, sends) in [(read, 200, 403), (send, 403, 201)] {
                let reading = RawRequest(path: "/v1/users", headers: headers)
                let sending = RawRequest(method: "POST", path: "/v1/messages", body: message, headers: headers)
                let making = RawRequest(path: "/v1/tokens", headers: headers)
                for (request, status) in [(reading, reads), (sending, sends), (making, 403)] {
                    let answers = [
                        try await request.send(to: alice.node.home.socketFile),
                        try await request.send(toPort: alice.httpPort),
                    ]
                    #expect(answers.map(\.status) == [status, status], "\(request)")
                    if status == 403 { #expect(try answers.map { try $0.error().code } == ["forbidden", "forbidden"]) }
                }
            }
        }
    }

    @Test("has identifiers of its own for participants, and others when it is made anew")
    func identifiers() async throws {
        try await TestNode.pair { alice, _ in
            func identifiers(_ headers: [String]) async throws -> [String?] {
                let request = RawRequest(path: "/v1/conversations/bob/participants", headers: headers)
                let participants: [GatewayParticipant] = try await request.send(to: alice.node.home.socketFile)
                    .decoded()
                #expect(participants.map(\.name).sorted { ($0 ?? "") < ($1 ?? "") } == ["alice", "bob"])
                return participants.map(\.applicationIdentifier)
            }
            #expect(try await identifiers([]) == [nil, nil])
            let quotes = Self.shown(try await alice.client.createToken("quotes", scopes: [.read]).token)
            let games = Self.shown(try await alice.client.createToken("games", scopes: [.read]).token)
            let first = try await identifiers(quotes)
            #expect(try await identifiers(quotes) == first && !first.contains(nil))
            _ = try await alice.client.revokeToken("quotes")
            let again = Self.shown(try await alice.client.createToken("quotes", scopes: [.read]).token)
            let all = first + (try await identifiers(games)) + (try await identifiers(again))
            #expect(Set(all).count == 6)
        }
    }

    @Test("that is limited to some users sends to nobody else, and takes nothing of others back")
    func recipients() async throws {
        try await TestNode.with("alice") { alice in
            try await TestNode.with("bob", peers: [alice.port]) { bob in
                try await TestNode.with("carol", peers: [alice.port]) { carol in
                    try await alice.until("alice has met both") { await alice.node.users.all.count == 2 }
                    let token = try await alice.client.createToken("sender", scopes: [.read, .send], to: ["bob"])
                    #expect(token.details.to?.map(\.name) == ["bob"])
                    let toCarol = try await alice.client.send("x", to: "carol")
                    let later = #"{"to":"carol","text":"x","notBefore":"2999-01-01T00:00:00Z"}"#
                    let scheduled = try await RawRequest(method: "POST", path: "/v1/scheduled", body: Array(later.utf8))
                        .send(to: alice.node.home.socketFile).body
                    let scheduledID = try JSONDecoder().decode(GatewayScheduled.self, from: scheduled).id
                    for (method, path, body) in [
                        ("POST", "messages", #"{"to":"carol","text":"x"}"#),
                        ("POST", "messages/\(toCarol.id)/cancel", ""),
                        ("POST", "conversations/carol/read", #"{"upTo":"\#(toCarol.id)"}"#),
                        ("POST", "conversations/carol/typing", #"{"isTyping":true}"#),
                        ("POST", "scheduled", later), ("DELETE", "scheduled/\(scheduledID)", ""),
                    ] {
                        let answer = try await RawRequest(
                            method: method, path: "/v1/\(path)", body: Array(body.utf8),
                            headers: Self.shown(token.token)
                        ).send(toPort: alice.httpPort)
                        #expect(answer.status == 403)
                        #expect(try answer.error().message.hasPrefix("the token may not send to"))
                    }
                    withExtendedLifetime((bob, carol)) {}
                }
            }
        }
    }

    @Test("that may not send what goes with an acknowledgement is told which message that is")
    func acknowledgement() async throws {
        try await TestNode.with("alice") { alice in
            try await TestNode.with("bob", peers: [alice.port]) { bob in
                try await TestNode.with("carol", peers: [alice.port]) { carol in
                    try await alice.until("alice has met both") { await alice.node.users.all.count == 2 }
                    let tokens = [
                        (try await alice.client.createToken("reader", scopes: [.read]).token, 0),
                        (try await alice.client.createToken("to-bob", scopes: [.read, .send], to: ["bob"]).token, 1),
                    ]
                    for (token, index) in tokens {
                        let headers = Self.shown(token)
                        let batch = try await RawRequest(path: "/v1/inbox?consumer=bot\(index)", headers: headers)
                            .send(toPort: alice.httpPort)
                        let object = try JSONSerialization.jsonObject(with: batch.body) as? [String: Any]
                        let cursor = try #require(object?["cursor"] as? String)
                        let sends = #"[{"to":"bob","text":"x"},{"to":"carol","text":"x"}]"#
                        let answer = try await RawRequest(
                            method: "POST", path: "/v1/inbox/bot\(index)",
                            body: Array(#"{"ack":"\#(cursor)","send":\#(sends)}"#.utf8), headers: headers
                        ).send(toPort: alice.httpPort)
                        #expect(try answer.status == 403 && answer.error().code == "forbidden")
                        #expect(try answer.errorParameters()["index"] as? Int == index)
                    }
                    withExtendedLifetime((bob, carol)) {}
                }
            }
        }
    }

    @Test("receives and acknowledges for consumers that were made with it, and for no others")
    func consumers() async throws {
        try await TestNode.pair { alice, bob in
            let ask = { (method: String, path: String, body: String, headers: [String]) in
                try await RawRequest(method: method, path: path, body: Array(body.utf8), headers: headers)
                    .send(to: alice.node.home.socketFile)
            }
            let reader = Self.shown(try await alice.client.createToken("reader", scopes: [.read]).token)
            let other = Self.shown(try await alice.client.createToken("other", scopes: [.read, .send]).token)
            let all = Self.shown(try await alice.client.createToken("all", scopes: [.all]).token)
            #expect(try await ask("POST", "/v1/consumers", #"{"name":"bot"}"#, []).status == 201)
            _ = try await bob.client.send("hello", to: "alice")
            let batch: GatewayBatch = try await ask("GET", "/v1/inbox?consumer=bot&wait=30", "", []).decoded()
            let acknowledgement = #"{"ack":"\#(batch.cursor)"}"#
            // Another program's consumer of that name has a place of its own.
            for headers in [reader, other] {
                #expect(try await ask("GET", "/v1/inbox?consumer=bot&attempts=1", "", headers).status == 200)
                #expect(try await ask("POST", "/v1/inbox/bot", acknowledgement, headers).status == 200)
            }
            #expect(try await alice.node.inbox.consumers().filter { $0.token == nil }.map(\.lag) == [1])

            #expect(try await ask("GET", "/v1/inbox?consumer=mine", "", reader).status == 200)
            let listed = try await ask("GET", "/v1/consumers", "", reader).body
            #expect(String(decoding: listed, as: UTF8.self).contains(#""token":"reader""#))
            for (headers, name, status) in [
                (reader, "mine", 200), (other, "mine", 404), (all, "mine", 404), ([], "mine", 404),
                (reader, "reader%2Fmine", 404), (other, "reader%2Fmine", 404), (all, "reader%2Fmine", 200),
                ([], "reader%2Fmine", 200),
            ] {
                let answer = try await ask("POST", "/v1/inbox/\(name)", acknowledgement, headers)
                #expect(answer.status == status, "\(name) \(headers)")
            }
            try await alice.client.revokeToken("reader")
            let renewed = Self.shown(try await alice.client.createToken("reader", scopes: [.read]).token)
            #expect(try await ask("GET", "/v1/inbox?consumer=mine", "", renewed).status == 200)
        }
    }

    @Test("makes a few consumers, and leaves room for those of others")
    func consumerLimit() async throws {
        try await TestNode.with("alice") { alice in
            let make = { (name: String, headers: [String]) in
                try await RawRequest(
                    method: "POST", path: "/v1/consumers", body: Array(#"{"name":"\#(name)"}"#.utf8), headers: headers
                ).send(to: alice.node.home.socketFile).status
            }
            let reader = Self.shown(try await alice.client.createToken("reader", scopes: [.read]).token)
            let other = Self.shown(try await alice.client.createToken("other", scopes: [.read]).token)
            for number in 0..<8 { #expect(try await make("\(number)", reader) == 201) }
            #expect(try await make("one-more", reader) == 503)
            #expect(try await make("other", other) == 201)
            #expect(try await make("owner", []) == 201)
        }
    }

    @Test("is needed on TCP, and one that is wrong or revoked is none, on the socket as well")
    func refused() async throws {
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("reader", scopes: [.read]).token
            let revoked = try await alice.client.createToken("old", scopes: [.all]).token
            try await alice.client.revokeToken("old")
            let wrong = String(token.dropLast()) + (token.last == "0" ? "1" : "0")
            let headers = [
                [], Self.shown(""), Self.shown("x"), Self.shown(wrong), Self.shown(revoked),
                Self.shown(token) + Self.shown(token), ["authorization: Basic \(token)"], ["authorization: \(token)"],
                Self.shown("\(token) x"), Self.shown("earshot_\(token.split(separator: "_")[1])_"),
            ]
            for headers in headers {
                for path in ["/v1/node", "/v1/nothing", "/v1/openapi.yaml"] {
                    let answer = try await RawRequest(path: path, headers: headers).send(toPort: alice.httpPort)
                    #expect(answer.status == 401, "\(headers)")
                    #expect(answer.head.contains("www-authenticate: Bearer"))
                    #expect(try answer.error().code == "unauthorized")
                }
                let onSocket = try await RawRequest(path: "/v1/node", headers: headers)
                    .send(to: alice.node.home.socketFile)
                #expect(onSocket.status == (headers.isEmpty ? 200 : 401))
            }
            #expect(
                try await RawRequest(path: "/v1/node", headers: Self.shown(token)).send(toPort: alice.httpPort).status
                    == 200)
        }
    }

    @Test("does not help a page of somebody else, or a name that somebody pointed here")
    func origins() async throws {
        try await TestNode.with("alice") { alice in
            let port = alice.httpPort
            let token = Self.shown(try await alice.client.createToken("all", scopes: [.all]).token)
            let foreign = [
                ["host: evil.example:\(port)"], ["host: evil.example"], ["host: 127.0.0.1"], ["host: localhost"],
                ["host: 127.0.0.1:\(port + 1)"], ["host: [::1]:\(port)"], ["origin: http://evil.example"],
                ["origin: null"], ["origin: https://localhost:\(port)"], ["origin: http://localhost:\(port + 1)"],
                ["sec-fetch-site: cross-site"], ["sec-fetch-site: same-site"],
            ]
            for headers in foreign {
                let answer = try await RawRequest(path: "/v1/node", headers: headers + token).send(toPort: port)
                #expect(answer.status == 403, "\(headers)")
                #expect(try answer.error().code == "foreignOrigin")
                #expect(!answer.head.lowercased().contains("access-control"))
            }
            let absolute = try await RawRequest(path: "http://evil.example/v1/node", headers: token).send(toPort: port)
            #expect(absolute.status == 403)
            let own = [
                [], ["host: LOCALHOST:\(port)"], ["origin: http://127.0.0.1:\(port)", "sec-fetch-site: same-origin"],
                ["sec-fetch-site: none"],
            ]
            for headers in own {
                let answer = try await RawRequest(path: "/v1/node", headers: headers + token).send(toPort: port)
                #expect(answer.status == 200, "\(headers)")
                #expect(!answer.head.lowercased().contains("set-cookie"))
            }
        }
    }

    @Test("is shown once, and is not on the disk; its last use is")
    func stored() async throws {
        let homes = try TemporaryFolder()
        let token = try await TestNode.with("alice", homes: homes) { alice in
            let made = try await alice.client.createToken("reader", scopes: [.read, .send], lifetime: .seconds(3600))
            #expect(made.details.usedAt == nil && made.details.scopes == ["read", "send"])
            #expect(try #require(made.details.expiresAt) > made.details.createdAt)
            _ = try await RawRequest(path: "/v1/node", headers: Self.shown(made.token)).send(toPort: alice.httpPort)
            let listed = try await alice.client.tokens()
            #expect(listed.map(\.name) == ["reader"] && listed.first?.usedAt != nil)
            let secret = Data(try #require(made.token.split(separator: "_").last).utf8)
            let files = try FileManager.default.subpathsOfDirectory(atPath: alice.node.home.path)
            for file in files where !file.hasSuffix(".sock") {
                let url = URL(filePath: alice.node.home.path).appending(path: file)
                guard try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true else { continue }
                let bytes = try Data(contentsOf: url)
                #expect(bytes.firstRange(of: secret) == nil, "\(file)")
            }
            return made.token
        }
        try await TestNode.with("alice", homes: homes) { alice in
            #expect(try await alice.client.tokens().first?.usedAt != nil)
            let answer = try await RawRequest(path: "/v1/node", headers: Self.shown(token))
                .send(toPort: alice.httpPort)
            #expect(answer.status == 200)
        }
    }

    @Test(
        "is made with a name of its own and scopes that there are",
        arguments: [
            (#"{"name":"reader","scopes":["read"]}"#, 409, "tokenExists"),
            (#"{"name":"a b","scopes":["read"]}"#, 422, "invalidName"),
            (#"{"name":"","scopes":["read"]}"#, 422, "invalidName"),
            (#"{"name":"page-builder","scopes":["read"]}"#, 422, "invalidName"),
            (#"{"name":"b","scopes":[]}"#, 400, "invalidRequest"),
            (#"{"name":"b","scopes":["eat"]}"#, 400, "invalidRequest"),
            (#"{"name":"b","scopes":["read"],"to":["bob"]}"#, 400, "invalidRequest"),
            (#"{"name":"b","scopes":["send"],"to":["nobody"]}"#, 404, "unknownUser"),
            (#"{"name":"b","scopes":["read"],"expiresInSeconds":0}"#, 400, "invalidRequest"),
        ])
    func creation(body: String, status: Int, code: String) async throws {
        try await TestNode.with("alice") { alice in
            _ = try await alice.client.createToken("reader", scopes: [.read])
            let answer = try await RawRequest(method: "POST", path: "/v1/tokens", body: Array(body.utf8))
                .send(to: alice.node.home.socketFile)
            #expect(answer.status == status)
            #expect(try answer.error().code == code)
            #expect(try await alice.client.tokens().count == 1)
        }
    }

    @Test("ends the event streams and waiting requests that it has open when it is revoked")
    func openRequests() async throws {
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("reader", scopes: [.read]).token
            let (opened, open) = AsyncStream<Void>.makeStream()
            let head = "GET /v1/events HTTP/1.1\r\nhost: x\r\nconnection: close\r\n"
            let request = head + "authorization: Bearer \(token)\r\n\r\n"
            async let stream = RawRequest.exchange(Array(request.utf8), with: alice.node.home.socketFile) {
                open.yield()
            }
            _ = await opened.first { true }
            try await alice.client.revokeToken("reader")
            // It ends as a whole response does: with the last chunk.
            #expect(String(decoding: try await stream, as: UTF8.self).hasSuffix("0\r\n\r\n"))
        }
    }

    @Test("that is not there cannot be revoked")
    func unknown() async throws {
        try await TestNode.with("alice") { alice in
            let error = await #expect(throws: GatewayError.self) { try await alice.client.revokeToken("x") }
            #expect(error?.code == .unknownToken)
        }
    }

    @Test("may hold so many event streams; the next is refused at once, and other requests are answered")
    func streams() async throws {
        let held = HeldRequests(limit: 1)
        let router = Router(
            routes: [.get("/slow", isHeld: true) { _ in .done }, .get("/fast") { _ in .done }], held: held)
        let program = Access(token: .init(id: "x", name: "x"), [.read])
        let first = try await router.respond(to: Request(method: .GET, target: "/slow", access: program))
        let error = await #expect(throws: GatewayError.self) {
            try await router.respond(to: Request(method: .GET, target: "/slow", access: program))
        }
        #expect(error?.code == .tooManyRequests)
        _ = try await router.respond(to: Request(method: .GET, target: "/fast", access: program))
        first.release?()
        #expect(try await router.respond(to: Request(method: .GET, target: "/slow", access: program)).release != nil)
    }
}
