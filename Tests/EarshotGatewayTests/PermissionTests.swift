import Earshot
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("A route of the local API")
struct PermissionTests {
    /// Who may use a route.
    private enum Users {
        /// Those with a token of the right scope, the page and the owner.
        case programs
        /// The page and the owner: no token, whatever its scopes.
        case page
        /// The owner on the Unix socket.
        case owner
    }

    /// Every route that changes something, or tells of what is the owner's. The other routes read, and are for programs.
    private static let table: [String: Users] = [
        "POST /v1/conversations": .programs,
        "POST /v1/conversations/{conversation}/read": .programs,
        "POST /v1/conversations/{conversation}/typing": .programs,
        "POST /v1/conversations/{conversation}/join": .programs,
        "POST /v1/conversations/{conversation}/leave": .programs,
        "POST /v1/conversations/{conversation}/invite": .programs,
        "POST /v1/conversations/{conversation}/remove": .programs,
        "POST /v1/conversations/{conversation}/hand-over": .programs,
        "POST /v1/conversations/{conversation}/update": .programs,
        "POST /v1/conversations/{conversation}/close": .programs,
        "POST /v1/conversations/{conversation}/erase": .programs,
        "POST /v1/conversations/{conversation}/notifications": .programs,
        "POST /v1/devices/{device}/name": .owner,
        "POST /v1/devices/{device}/revoke": .owner,
        "GET /v1/pairing": .owner,
        "POST /v1/pairing": .owner,
        "POST /v1/pairing/decision": .owner,
        "DELETE /v1/pairing": .owner,
        "POST /v1/drafts": .programs,
        "POST /v1/drafts/{draft}/edit": .programs,
        "POST /v1/drafts/{draft}/send": .programs,
        "DELETE /v1/drafts/{draft}": .programs,
        "POST /v1/files": .owner,
        "POST /v1/files/upload": .programs,
        "POST /v1/files/rules": .owner,
        "POST /v1/files/{file}/fetch": .programs,
        "POST /v1/files/{file}/decline": .programs,
        "DELETE /v1/files/{file}": .programs,
        "POST /v1/files/{file}/save": .owner,
        "POST /v1/inbox/{consumer}": .programs,
        "POST /v1/inbox/{consumer}/fail": .programs,
        "POST /v1/consumers": .programs,
        "POST /v1/consumers/{consumer}/move": .programs,
        "DELETE /v1/consumers/{consumer}": .programs,
        "POST /v1/consumers/{consumer}/set-aside/{message}/again": .programs,
        "POST /v1/messages": .programs,
        "POST /v1/messages/{message}/cancel": .programs,
        "POST /v1/messages/{message}/reply": .programs,
        "POST /v1/messages/{message}/edit": .programs,
        "POST /v1/messages/{message}/retract": .programs,
        "POST /v1/messages/{message}/react": .programs,
        "POST /v1/messages/erase": .programs,
        "GET /v1/notifications/targets": .page,
        "POST /v1/notifications/targets": .page,
        "DELETE /v1/notifications/targets/{target}": .page,
        "POST /v1/notifications/handle": .programs,
        "POST /v1/profile": .programs,
        "POST /v1/scheduled": .programs,
        "DELETE /v1/scheduled/{scheduled}": .programs,
        "GET /v1/tokens": .page,
        "POST /v1/tokens": .owner,
        "DELETE /v1/tokens/{token}": .page,
        "POST /v1/users/{user}/trust": .programs,
        "POST /v1/web": .owner,
        "DELETE /v1/web": .owner,
        "POST /v1/login": .programs,
    ]

    private static func routes(of node: Node) async throws -> [Route] {
        let tokens = try await TokenBook(node: node)
        return Router(
            node: node, feed: EventFeed(node: node), tokens: tokens, door: PageDoor(node: node, tokens: tokens),
            held: HeldRequests()
        ).routes
    }

    @Test("that is more than a token, or outlives one, takes no token, whatever its scopes")
    func owners() async throws {
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("all", scopes: [.all]).token
            var unknown = Set(Self.table.keys)
            for route in try await Self.routes(of: alice.node) {
                let name = "\(route.method) \(route.path)"
                unknown.remove(name)
                guard let users = Self.table[name] ?? (route.method == .GET ? .programs : nil) else {
                    Issue.record("\(name) has no row in this table: say who may use it")
                    continue
                }
                guard users != .programs else { continue }
                let path = route.path.description.replacing(/\{[a-z]+\}/, with: "x")
                for body in ["", "{}", #"{"withIdentity":true}"#] {
                    let request = RawRequest(
                        method: route.method.rawValue, path: path, body: Array(body.utf8),
                        headers: ["authorization: Bearer \(token)"])
                    for answer in [
                        try await request.send(toPort: alice.httpPort),
                        try await request.send(to: alice.node.home.socketFile),
                    ] {
                        #expect(answer.status == 403, "\(name) \(body)")
                        if answer.status == 403 { #expect(try answer.error().code == "forbidden", "\(name)") }
                    }
                }
            }
            #expect(unknown == [], "the table has routes that there are not")
        }
    }
}
