import Earshot
import Foundation
import NIOHTTP1
import Testing

@testable import EarshotGateway

@Suite("A conversation of many over the local API")
struct ConversationRoutesTests {
    /// Two nodes that have met and joined `#ops`.
    private static func joined(_ body: @escaping @Sendable (TestNode, TestNode) async throws -> Void) async throws {
        try await TestNode.pair { alice, bob in
            for node in [alice, bob] { _ = try await node.client.join("#ops") }
            for node in [alice, bob] {
                try await node.until("both are in") { try await node.client.participants(of: "#ops").count == 2 }
            }
            try await body(alice, bob)
        }
    }

    @Test("is joined by its name, written to, read and left, as the document says")
    func life() async throws {
        try await Self.joined { alice, bob in
            let conversation = try await alice.client.conversation("#ops")
            #expect(conversation.kind == "open" && conversation.uniqueName == "ops" && conversation.peer == nil)
            #expect(conversation.status == "joined" && conversation.isAdvertised == true)
            #expect(conversation.isNameShared == true)
            #expect(Set(conversation.participants.compactMap(\.name)) == ["alice", "bob"])
            let sent = try await alice.client.send("hello", to: "#ops")
            #expect(sent.conversationName == "ops" && sent.counts?.recipients == 1)
            try await alice.until("bob has it") {
                try await alice.client.message(sent.id).counts?.delivered == 1
            }
            let history = try await bob.client.history(with: conversation.id)
            #expect(history.map(\.text) == ["hello"] && history.first?.counts == nil)
            #expect(try await bob.client.send("hi", to: conversation.id).conversationID == conversation.id)
            try await bob.client.setTyping(true, to: "#ops")
            try await bob.client.markAllRead(with: "#ops")
            let left = try await bob.client.leave("#ops")
            #expect(left.status == "left")
            try await alice.until("bob is out") { try await alice.client.participants(of: "#ops").count == 1 }
            let former = try await alice.client.participants(of: "#ops", includingFormer: true)
            #expect(former.first { $0.name == "bob" }?.status == "left")
            let refused = await #expect(throws: GatewayError.self) { _ = try await bob.client.send("x", to: "#ops") }
            #expect(refused?.code == .notJoined && refused?.code.status == .conflict)
        }
    }

    @Test("that is private belongs to its owner, and is joined by whom they invite")
    func privateLife() async throws {
        try await TestNode.pair { alice, bob in
            let created = try await alice.client.create(
                private: "crew", friendlyName: "The crew", attributes: #"{"topic":"build"}"#, givesHistory: true,
                inviting: ["bob"])
            #expect(created.kind == "private" && created.status == "joined" && created.friendlyName == "The crew")
            #expect(created.owner?.name == "alice" && created.creator == created.owner)
            #expect(created.givesHistory == true && created.attributes == #"{"topic":"build"}"#)
            try await bob.until("bob is invited") {
                try await bob.client.allConversations().contains { $0.uniqueName == "crew" && $0.status == "invited" }
            }
            let early = await #expect(throws: GatewayError.self) { _ = try await bob.client.send("x", to: "#crew") }
            #expect(early?.code == .notJoined)
            #expect(try await bob.client.join(known: "#crew@alice").status == "joined")
            try await alice.until("bob has joined") {
                try await alice.client.participants(of: "#crew").contains { $0.name == "bob" && $0.status == "joined" }
            }
            let participants = try await bob.client.participants(of: "#crew")
            #expect(participants.first { $0.name == "alice" }?.role == "owner")
            #expect(participants.allSatisfy { $0.sinceMilliseconds != nil })
            let sent = try await alice.client.send("hello", to: "#crew")
            try await alice.until("bob has it") { try await alice.client.message(sent.id).counts?.delivered == 1 }
            #expect(try await bob.client.conversation("#crew").unreadCount == 1)
            #expect(try await bob.client.history(with: "#crew").map(\.text) == ["hello"])

            let foreign = await #expect(throws: GatewayError.self) {
                _ = try await bob.client.invite(["alice"], to: "#crew")
            }
            #expect(foreign?.code == .notOwner && foreign?.code.status == .forbidden)
            let again = await #expect(throws: GatewayError.self) { _ = try await alice.client.create(private: "crew") }
            #expect(again?.code == .conversationExists && again?.code.status == .conflict)
            let same = try await alice.client.create(private: "#crew", friendlyName: "Another", orGet: true)
            #expect(same.id == created.id && same.friendlyName == "The crew" && same.participants.count == 2)
            #expect(try await alice.client.update("#crew", friendlyName: "", attributes: nil).friendlyName == nil)
            let wrong = await #expect(throws: GatewayError.self) {
                _ = try await alice.client.update("#crew", friendlyName: nil, attributes: "[1]")
            }
            #expect(wrong?.code == .invalidConversation)

            #expect(try await alice.client.remove("bob", from: "#crew").participants.count == 1)
            try await bob.until("bob hears of it") { try await bob.client.conversation("#crew").status == "removed" }
            let late = await #expect(throws: GatewayError.self) { _ = try await bob.client.send("x", to: "#crew") }
            #expect(late?.code == .notJoined && late?.message.contains("removed") == true)
            #expect(try await alice.client.close("#crew").status == "closed")
            let closed = await #expect(throws: GatewayError.self) { _ = try await alice.client.send("x", to: "#crew") }
            #expect(closed?.code == .conversationClosed)
        }
    }

    @Test("that is private is handed over, and left; an invitation is declined")
    func handOver() async throws {
        try await TestNode.pair { alice, bob in
            _ = try await alice.client.create(private: "crew", inviting: ["bob"])
            _ = try await alice.client.create(private: "club", inviting: ["bob"])
            for name in ["crew", "club"] {
                try await bob.until("bob is invited") {
                    try await bob.client.allConversations().contains { $0.uniqueName == name && $0.status == "invited" }
                }
            }
            #expect(try await bob.client.leave("#club").status == "left")
            try await alice.until("the answer is here") {
                try await alice.client.participants(of: "#club", includingFormer: true)
                    .contains { $0.name == "bob" && $0.status == "left" }
            }
            _ = try await bob.client.join(known: "#crew")
            try await alice.until("bob has joined") {
                try await alice.client.participants(of: "#crew").contains { $0.name == "bob" && $0.status == "joined" }
            }
            let stays = await #expect(throws: GatewayError.self) { _ = try await alice.client.leave("#crew") }
            #expect(stays?.code == .notOwner)
            _ = try await alice.client.handOver("#crew", to: "bob")
            try await alice.until("bob owns it") { try await alice.client.conversation("#crew").owner?.name == "bob" }
            #expect(try await alice.client.conversation("#crew").creator?.name == "alice")
            #expect(try await alice.client.leave("#crew").status == "left")
        }
    }

    @Test("is named with its creator where several have one name")
    func ambiguous() async throws {
        try await TestNode.pair { alice, bob in
            let own = try await alice.client.create(private: "ops")
            _ = try await bob.client.create(private: "ops", inviting: ["alice"])
            try await alice.until("alice is invited") {
                try await alice.client.allConversations().contains { $0.status == "invited" }
            }
            // An invitation disturbs nobody who uses the name.
            #expect(try await alice.client.conversation("#ops").id == own.id)
            _ = try await alice.client.join(known: "#ops@bob")
            let error = await #expect(throws: GatewayError.self) { _ = try await alice.client.send("x", to: "#ops") }
            #expect(error?.code == .ambiguousConversation)
            #expect(Set(error?.parameters.suggestions ?? []) == ["#ops@alice", "#ops@bob"])
            #expect(try await alice.client.send("x", to: "#ops@alice").conversationID == own.id)
            let token = try await alice.client.createToken("builds", scopes: [.send], to: ["#ops@alice"])
            #expect(token.details.to?.map(\.id) == [own.id])
        }
    }

    @Test("is begun with what belongs to its kind, and by whoever may do everything")
    func creating() async throws {
        try await TestNode.pair { alice, _ in
            let token = try await alice.client.createToken("sender", scopes: [.send]).token
            func post(_ body: String, _ headers: String...) async throws -> Int {
                try await RawRequest(
                    method: "POST", path: "/v1/conversations", body: Array(body.utf8), headers: headers
                ).send(to: alice.node.home.socketFile).status
            }
            #expect(try await post(#"{"uniqueName":"a","friendlyName":"A"}"#) == 400)
            #expect(try await post(#"{"uniqueName":"a","orGet":true}"#) == 400)
            #expect(try await post(#"{"uniqueName":"a","kind":"private","orGet":"yes"}"#) == 400)
            #expect(try await post(#"{"uniqueName":"a","kind":"private","isAdvertised":true}"#) == 400)
            #expect(try await post(#"{"uniqueName":"a","kind":"direct"}"#) == 400)
            #expect(try await post(#"{"uniqueName":"a","kind":"private","attributes":"7"}"#) == 422)
            #expect(try await post(#"{"uniqueName":"a@b","kind":"private"}"#) == 422)
            #expect(try await post(#"{"uniqueName":"\u0301a"}"#) == 422)
            #expect(try await post(#"{"uniqueName":"a","kind":"private"}"#, "authorization: Bearer \(token)") == 403)
            #expect(try await post(#"{"uniqueName":"a","kind":"private"}"#) == 201)
        }
    }

    @Test("is found among those that others tell of, and not under another name")
    func advertised() async throws {
        try await TestNode.pair { alice, bob in
            _ = try await alice.client.join("ops")
            try await bob.until("bob hears of it") { try await !bob.client.advertisedConversations().isEmpty }
            let told = try await bob.client.advertisedConversations()
            #expect(told.map(\.uniqueName) == ["ops"] && told.first?.users.map(\.name) == ["alice"])
            let stranger = await #expect(throws: GatewayError.self) { _ = try await bob.client.conversation("#ops") }
            #expect(stranger?.code == .notJoined && stranger?.parameters.name == "ops")
            let unknown = await #expect(throws: GatewayError.self) { _ = try await bob.client.conversation("#opz") }
            #expect(unknown?.code == .unknownConversation && unknown?.parameters.suggestions == ["#ops"])
            let invalid = await #expect(throws: GatewayError.self) { _ = try await bob.client.join("a/b") }
            #expect(invalid?.code == .invalidName)
        }
    }

    @Test("is all that a token may write to which is limited to it")
    func token() async throws {
        try await Self.joined { alice, bob in
            let token = try await alice.client.createToken("builds", scopes: [.send], to: ["#ops"])
            #expect(token.details.to?.map(\.name) == ["#ops"])
            func send(to recipient: String) async throws -> Int {
                try await RawRequest(
                    method: "POST", path: "/v1/messages", body: Array(#"{"to":"\#(recipient)","text":"x"}"#.utf8),
                    headers: ["authorization: Bearer \(token.token)"]
                ).send(toPort: alice.httpPort).status
            }
            #expect(try await send(to: "#ops") == 201)
            #expect(try await send(to: "bob") == 403)
            _ = try await alice.client.join("other")
            #expect(try await send(to: "#other") == 403)
            withExtendedLifetime(bob) {}
        }
    }
}
