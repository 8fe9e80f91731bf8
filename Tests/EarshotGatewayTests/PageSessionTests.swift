import Earshot
import Foundation
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("A session of the page")
struct PageSessionTests {
    @Test("is proved by each request, and the node proves each answer, also one that refuses")
    func proofs() async throws {
        try await TestNode.with("alice") { alice in
            let browser = try await PageBrowser(try await alice.client.openPage())
            #expect(try await browser.ask("GET", "/v1/node").status == 200)
            #expect(try await browser.ask("GET", "/v1/conversations?limit=1").status == 200)
            #expect(try await browser.ask("POST", "/v1/messages", body: "{}").status == 400)
            #expect(try await browser.ask("GET", "/v1/nothing").status == 404)
            #expect(try await browser.ask("POST", "/v1/pairing", body: "{}").status == 403)
            #expect(try await browser.ask("POST", "/v1/files/upload").status == 400)
            let long = String(repeating: "x", count: GatewayLimits.bodyBytes + 1)
            #expect(try await browser.ask("POST", "/v1/messages", body: long).status == 413)
            try await alice.client.closePage()
        }
    }

    @Test("is not proved by a proof for anything else")
    func wrong() async throws {
        try await TestNode.with("alice") { alice in
            let browser = try await PageBrowser(try await alice.client.openPage())
            var stranger = browser
            stranger.nonce = SessionProof.randomNonce()
            let requests = [
                browser.request("GET", "/v1/node", provedMethod: "POST"),
                browser.request("GET", "/v1/node", provedPath: "/v1/users"),
                browser.request("GET", "/v1/users?x=1", provedPath: "/v1/users"),
                browser.request("GET", "/v1/node", provedPort: browser.port + 1),
                stranger.request("GET", "/v1/node"),
                browser.request("GET", "/v1/node", nonce: ""),
                browser.request("GET", "/v1/node", role: .answer),
                browser.request("GET", "/v1/node", role: .greeting),
                browser.request("GET", "/v1/node", role: .login),
                RawRequest(path: "/v1/node"),
                RawRequest(
                    path: "/v1/node", headers: ["authorization: Earshot-Session session=\"\(browser.session)\""]),
                RawRequest(path: "/v1/node", headers: ["authorization: Bearer earshot_\(browser.session)_x"]),
            ]
            for request in requests {
                let answer = try await request.send(toPort: browser.port)
                #expect(answer.status == 401, "\(request)")
                #expect(!answer.head.contains("authentication-info"))
            }
            #expect(try await browser.status() == 200)
            // A session is none elsewhere, and its name and id are no token.
            let elsewhere = try await browser.request("GET", "/v1/node", provedPort: alice.httpPort)
                .send(toPort: alice.httpPort)
            #expect(elsewhere.status == 401)
            let token = try await alice.client.createToken("all", scopes: [.all]).token
            let shown = try await RawRequest(path: "/v1/node", headers: ["authorization: Bearer \(token)"])
                .send(toPort: browser.port)
            #expect(shown.status == 401)
            try await alice.client.closePage()
        }
    }

    @Test("does on the page what its owner does there, and not what is theirs on the Unix socket")
    func permissions() async throws {
        try await TestNode.with("alice") { alice in
            let browser = try await PageBrowser(try await alice.client.openPage())
            #expect(try await browser.ask("GET", "/v1/tokens").status == 200)
            #expect(try await browser.ask("GET", "/v1/notifications/targets").status == 200)
            _ = try await alice.client.createToken("old", scopes: [.read])
            #expect(try await browser.ask("DELETE", "/v1/tokens/old").status == 204)
            for (method, path, body) in [
                ("POST", "pairing", #"{"withIdentity":true}"#), ("POST", "pairing/decision", #"{"accepted":true}"#),
                ("POST", "tokens", #"{"name":"x","scopes":["all"]}"#), ("POST", "web", "{}"), ("DELETE", "web", ""),
                ("POST", "notifications/targets", #"{"kind":"webhook","url":"http://127.0.0.1:9/"}"#),
                ("POST", "files/rules", #"{"rules":[]}"#),
            ] {
                let answer = try await browser.ask(method, "/v1/\(path)", body: body)
                #expect(answer.status == 403, "\(method) \(path)")
            }
            try await alice.client.closePage()
        }
    }

    @Test("goes on when the node comes back: at the same port, with another nonce")
    func goesOn() async throws {
        let homes = try TemporaryFolder()
        let before = try await TestNode.with("alice", homes: homes) { alice in
            try await PageBrowser(try await alice.client.openPage(port: Int(PortForOneTest.next())))
        }
        try await TestNode.with("alice", homes: homes) { alice in
            var browser = before
            // Whoever asks for the page waits until it is open again.
            #expect(try await alice.client.openPage().port == before.port)
            // What was proved to whoever had the port meanwhile is good for nothing.
            #expect(try await browser.status() == 401)
            try await browser.greet()
            #expect(browser.nonce != before.nonce)
            #expect(try await browser.status() == 200)
            try await alice.client.closePage()
        }
    }

    @Test("ends when somebody else has its port, and that is said aloud")
    func taken() async throws {
        let homes = try TemporaryFolder()
        let browser = try await TestNode.with("alice", homes: homes) { alice in
            try await PageBrowser(try await alice.client.openPage(port: Int(PortForOneTest.next())))
        }
        let log = RecordedLog()
        let other = try LoopbackConnection.occupy(UInt16(browser.port))
        try await TestNode.with("alice", log: log, homes: homes) { alice in
            let page = try await alice.client.openPage()
            #expect(page.port != browser.port && page.lostPort == browser.port)
            #expect(try await alice.client.tokens().isEmpty)
            #expect(log.lines.contains { $0.contains("the page's port is in use by another program") })
            close(other)
            try await alice.client.closePage()
            #expect(try await alice.client.openPage(port: browser.port).lostPort == nil)
            #expect(try await browser.greeting().send(toPort: browser.port).status == 401)
            try await alice.client.closePage()
        }
    }

    @Test("has no key on the disk that a copy of the database gives away")
    func stored() async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage(inFile: true)
            let browser = try await PageBrowser(page)
            let secrets = [browser.key, Array(try PageBrowser.login(of: page).secret.utf8)]
            let files = try FileManager.default.subpathsOfDirectory(atPath: alice.node.home.path)
            for file in files where !file.hasSuffix(".sock") {
                let url = URL(filePath: alice.node.home.path).appending(path: file)
                guard try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true else { continue }
                let bytes = try Data(contentsOf: url)
                for secret in secrets { #expect(bytes.firstRange(of: secret) == nil, "\(file)") }
            }
            try await alice.client.closePage()
        }
    }

    @Test("is no token, and those that an earlier version gave to tabs are good no more")
    func tokensOfTabs() async throws {
        let homes = try TemporaryFolder()
        let text = try await TestNode.with("alice", homes: homes) { alice in
            try await TokenBook(node: alice.node).create("page-1x", scopes: ["all"], recipients: nil, lifetime: nil)
                .text
        }
        try await TestNode.with("alice", homes: homes) { alice in
            let answer = try await RawRequest(path: "/v1/node", headers: ["authorization: Bearer \(text)"])
                .send(toPort: alice.httpPort)
            #expect(answer.status == 401)
            #expect(try await alice.client.tokens().isEmpty)
        }
    }

    @Test("is said in one way, and nothing that is like it is taken")
    func credentials() {
        let whole = #"Earshot-Session session="a", nonce="b", cnonce="c", proof="d""#
        #expect(SessionCredentials([whole])?.proof == "d")
        for wrong in [
            "", "Earshot-Session", "Bearer x", #"Earshot-Session session="a""#, whole + #", proof="e""#,
            whole + #", other="e""#, whole.replacing("\"", with: ""), whole.replacing("Earshot", with: "Other"),
            whole.replacing("\"d\"", with: "\"\(String(repeating: "d", count: 200))\""),
        ] {
            #expect(SessionCredentials([wrong]) == nil, "\(wrong)")
        }
        #expect(SessionCredentials([whole, whole]) == nil && SessionCredentials([]) == nil)
    }
}
