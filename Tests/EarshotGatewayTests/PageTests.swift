import Earshot
import Foundation
import Testing

@testable import EarshotGateway

@Suite("The page")
struct PageTests {
    private static func login(_ page: GatewayPage) throws -> String {
        try #require(page.address.split(separator: "#login=").last.map(String.init))
    }

    private static func enter(_ login: String, at port: Int) async throws -> RawRequest.Response {
        try await RawRequest(method: "POST", path: "/v1/login", body: Array("{\"login\":\"\(login)\"}".utf8))
            .send(toPort: port)
    }

    @Test("is served on loopback with its policy, to whoever asks, and nothing else without a token")
    func served() async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage()
            let index = try await RawRequest(path: "/").send(toPort: page.port)
            #expect(index.status == 200)
            #expect(index.head.lowercased().contains("content-type: text/html; charset=utf-8"))
            #expect(index.head.contains("default-src 'none'; script-src 'self'"))
            #expect(try await RawRequest(path: "/main.js").send(toPort: page.port).status == 200)
            #expect(try await RawRequest(path: "/v1/users").send(toPort: page.port).status == 401)
            #expect(try await RawRequest(path: "/nothing.js").send(toPort: page.port).status == 401)
            #expect(try await RawRequest(path: "/../page.js").send(toPort: page.port).status == 401)
            // The port of the API has no page.
            #expect(try await RawRequest(path: "/").send(toPort: alice.httpPort).status == 401)
            try await alice.client.closePage()
        }
    }

    @Test("lets in with a login once")
    func once() async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage()
            let login = try Self.login(page)
            let entered = try await Self.enter(login, at: page.port)
            #expect(entered.status == 201)
            let token = try (entered.decoded() as GatewayTab).token
            let users = try await RawRequest(path: "/v1/users", headers: ["authorization: Bearer \(token)"])
                .send(toPort: page.port)
            #expect(users.status == 200)
            #expect(try await Self.enter(login, at: page.port).status == 401)
            #expect(try await Self.enter("guessed", at: page.port).status == 401)
            try await alice.client.closePage()
        }
    }

    @Test("gives another login at the same port, as long as it is open")
    func again() async throws {
        try await TestNode.with("alice") { alice in
            let first = try await alice.client.openPage()
            let second = try await alice.client.openPage()
            #expect(first.port == second.port && first.address != second.address)
            let refused = await #expect(throws: GatewayError.self) {
                try await alice.client.openPage(port: first.port == 50_000 ? 50_001 : 50_000)
            }
            #expect(refused?.code == .portInUse)
            try await alice.client.closePage()
        }
    }

    @Test("ends its sessions with its port")
    func closed() async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage()
            let token = try (await Self.enter(try Self.login(page), at: page.port).decoded() as GatewayTab).token
            let unused = try Self.login(try await alice.client.openPage())
            try await alice.client.closePage()
            let users = try await RawRequest(path: "/v1/users", headers: ["authorization: Bearer \(token)"])
                .send(toPort: alice.httpPort)
            #expect(users.status == 401)
            let next = try await alice.client.openPage()
            #expect(try await Self.enter(unused, at: next.port).status == 401)
            try await alice.client.closePage()
        }
    }

    @Test("holds as many sessions as it may: another one ends the oldest")
    func sessions() async throws {
        try await TestNode.with("alice") { alice in
            var tokens: [String] = []
            var port = 0
            for _ in 0...PageDoor.sessionLimit {
                let page = try await alice.client.openPage()
                let answer = try await Self.enter(try Self.login(page), at: page.port)
                tokens.append(try (answer.decoded() as GatewayTab).token)
                port = page.port
            }
            var statuses: [Int] = []
            for token in tokens {
                let request = RawRequest(path: "/v1/node", headers: ["authorization: Bearer \(token)"])
                statuses.append(try await request.send(toPort: port).status)
            }
            #expect(statuses == [401] + [Int](repeating: 200, count: PageDoor.sessionLimit))
            try await alice.client.closePage()
        }
    }

    @Test("is opened again as soon as it is closed, and closed by those who find it closed")
    func turns() async throws {
        try await TestNode.with("alice") { alice in
            for _ in 0..<10 {
                let page = try await alice.client.openPage()
                #expect(try await RawRequest(path: "/").send(toPort: page.port).status == 200)
                try await alice.client.closePage()
            }
            try await alice.client.closePage()
        }
    }

    @Test(
        "is not for pages of others, nor under another host's name",
        arguments: [
            "host: evil.example", "origin: http://evil.example", "sec-fetch-site: cross-site",
        ])
    func foreign(header: String) async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage()
            for path in ["/", "/main.js", "/v1/users"] {
                #expect(try await RawRequest(path: path, headers: [header]).send(toPort: page.port).status == 403)
            }
            try await alice.client.closePage()
        }
    }
}
