import Earshot
import Foundation
import Testing

@testable import EarshotGateway

@Suite("A place in a request that cannot be read")
struct PlaceInRequestTests {
    /// Every query item that says where a page begins.
    private static func targets(_ place: String) -> [String] {
        [
            "events?after=\(place)", "conversations?before=\(place)", "conversations/me/messages?before=\(place)",
            "conversations/me/messages?after=\(place)", "conversations/me/unread?after=\(place)",
            "conversations/me/participants?after=\(place)", "search?text=a&before=\(place)",
        ]
    }

    @Test("is an error, and never the beginning", arguments: ["", "garbage", "0000000000000000.x.0"])
    func unreadable(place: String) async throws {
        try await TestNode.with("alice") { alice in
            try await alice.node.conversations.own.send("a note")
            for target in Self.targets(place) {
                let response = try await RawRequest(path: "/v1/\(target)").send(to: alice.node.home.socketFile)
                #expect([400, 404, 422].contains(response.status), "\(target): \(response.status)")
            }
        }
    }

    @Test("is tried out for every query item that is one")
    func all() throws {
        let document = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/docs/openapi.yaml"
        let lines = try String(contentsOfFile: document, encoding: .utf8).split(separator: "\n")
        let names = lines.filter {
            ["- name: before", "- name: after"].contains($0.trimmingCharacters(in: .whitespaces))
        }
        #expect(names.count <= Self.targets("x").count, "a new one: \(names)")
    }
}
