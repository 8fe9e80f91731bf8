import Earshot
import Foundation
import Testing

@testable import EarshotGateway

@Suite("Searching over the local API")
struct SearchRoutesTests {
    @Test("finds by words, and by who, where and when, as the document says")
    func filters() async throws {
        try await TestNode.pair { alice, bob in
            for node in [alice, bob] { _ = try await node.client.join("#ops") }
            for node in [alice, bob] {
                try await node.until("both are in") { try await node.client.participants(of: "#ops").count == 2 }
            }
            let direct = try await alice.client.send("Lunch on Friday?", to: "bob")
            let group = try await alice.client.send("no lunch today", to: "#ops")
            let answer = try await bob.client.send("lunch it is", to: "alice")
            try await alice.until("bob's is here") { try await alice.client.search("lunch").count == 3 }
            let client = alice.client
            #expect(try await client.search("LUNCH").map(\.id).contains(answer.id))
            #expect(try await client.search("friday lunch").map(\.id) == [direct.id])
            #expect(try await client.search("lunch", in: "#ops").map(\.id) == [group.id])
            #expect(try await client.search("lunch", in: "bob").count == 2)
            #expect(try await client.search("lunch", from: "bob").map(\.id) == [answer.id])
            #expect(try await client.search("lunch", from: "alice").count == 2)
            #expect(try await client.search("lunch", from: "me").count == 2)
            let written = Date(timeIntervalSince1970: Double(group.timestampMilliseconds) / 1000)
            #expect(try await client.search("lunch", until: written).map(\.id) == [direct.id])
            #expect(try await client.search("lunch", since: written).count == 2)
            let newest = try await client.search("lunch", limit: 1)
            #expect(try await client.search("lunch", before: newest[0].id, limit: 1).count == 1)
            #expect(try await client.search("dinner").isEmpty)
        }
    }

    @Test("refuses what says nothing, with the reason", arguments: ["?text=", "?text=%21%21", ""])
    func nothing(query: String) async throws {
        try await TestNode.with("alice") { node in
            let response = try await RawRequest(path: "/v1/search\(query)").send(to: node.node.home.socketFile)
            #expect(response.status == (query.isEmpty ? 400 : 422))
        }
    }

    @Test("refuses a time that is none")
    func time() async throws {
        try await TestNode.with("alice") { node in
            let response = try await RawRequest(path: "/v1/search?text=a&since=yesterday").send(
                to: node.node.home.socketFile)
            #expect(response.status == 400)
        }
    }
}
