import Earshot
import EarshotGateway
import Foundation
import TestSupport
import Testing

@Suite("The local API")
struct GatewayTests {
    @Test("tells who the node is")
    func status() async throws {
        try await TestNode.with("álice") { node in
            let status = try await node.client.status()
            #expect(status.name == "álice")
            #expect(status.version == Earshot.version)
            #expect(status.id == node.node.userID.description)
            #expect(status.port == node.port)
            #expect(status.links.isEmpty)
            #expect((status.discovery.devices, status.discovery.operations, status.dialTargets) == (0, 0, 0))
        }
    }

    @Test("tells what the node sees of why messages flow, as the node itself does")
    func diagnosis() async throws {
        try await TestNode.with("alice") { node in
            let findings = try await node.client.diagnosis()
            let own = await node.node.findings()
            #expect(findings == own.map { GatewayFinding($0) })
            #expect(findings.contains { $0.check == "discovery" && $0.severity == "note" && $0.code == "discoveryOff" })
        }
    }

    @Test("listens on a socket that only its owner may use, and removes it at the end")
    func socket() async throws {
        let path = try await TestNode.with("alice") { node in
            let path = node.node.home.socketFile
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            return path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("that nobody serves is told from other errors")
    func noNode() async throws {
        let home = Home(path: "/tmp/earshot-nobody-\(UUID().uuidString.prefix(8))")
        let error = try await #require(throws: GatewayError.self) {
            try await GatewayClient(home: home).status()
        }
        #expect(error.code == .noNode)
        #expect(error.parameters.path == home.socketFile)
    }

    @Test("finds a user by name, by name and fingerprint, and by key")
    func users() async throws {
        try await TestNode.pair { alice, bob in
            let key = bob.node.userID.description
            for text in ["bob", "bob@\(key.prefix(4))", key] {
                let user = try await alice.client.user(named: text)
                #expect(user.id == key)
            }
            let users = try await alice.client.users()
            #expect(users.map(\.name) == ["bob"])
            await #expect(throws: GatewayError.self) { try await alice.client.user(named: "a/b?c#d") }
        }
    }

    @Test("says what users say of themselves, and lets the owner say it")
    func profiles() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await alice.client.ownProfile().friendlyName == "")
            let changed = try await alice.client.updateProfile(friendlyName: "Alice", picture: Data([1, 2]))
            #expect(changed.friendlyName == "Alice" && changed.picture == Data([1, 2]) && !changed.isBot)
            #expect(try await alice.client.updateProfile(attributes: "{}").friendlyName == "Alice")
            _ = try await alice.client.send("hello", to: "bob")
            try await bob.until("bob has heard of it") {
                try await bob.client.profile(of: "alice").attributes == "{}"
            }
            func post(_ body: String) async throws -> Int {
                try await RawRequest(method: "POST", path: "/v1/profile", body: Array(body.utf8))
                    .send(to: alice.node.home.socketFile).status
            }
            #expect(try await post(#"{"picture":"no base64!"}"#) == 400)
            #expect(try await post(#"{"attributes":"7"}"#) == 422)
            #expect(try await post(#"{"commands":[{"name":"x","summary":"X.","usage":"/x"}]}"#) == 200)
            #expect(try await alice.client.ownProfile().commands.map(\.usage) == ["/x"])
        }
    }

    @Test("takes a message to several recipients, and says what became of it for each")
    func severalRecipients() async throws {
        try await TestNode.pair { alice, bob in
            let stranger = String(repeating: "3", count: 51) + "0"
            let results = try await alice.client.send("hi", to: ["bob", "nobody", stranger], key: "k")
            #expect(results.map(\.to) == ["bob", "nobody", stranger])
            #expect(results.map(\.message?.recipients.first?.id) == [bob.node.userID.description, nil, stranger])
            #expect(results.map(\.failure?.code) == [nil, .unknownUser, nil])
            let again = try await alice.client.send("hi", to: ["bob", "nobody", stranger], key: "k")
            #expect(again.map(\.message?.id) == results.map(\.message?.id))
            #expect(try await alice.client.history(with: "bob").map(\.text) == ["hi"])
        }
    }

    @Test("takes a layout and a session with a message, shows both, and says what is wrong with them")
    func content() async throws {
        try await TestNode.pair { alice, bob in
            let layout = LayoutRequest(
                caption: "Luigi's", accessibilityLabel: "dinner", url: "https://Example.org:81/a")
            let first = try await alice.client.send(
                "Dinner?", to: "bob", layout: layout, session: SessionRequest(id: nil, summary: "asked"))
            #expect(first.layout?.caption == "Luigi's" && first.layout?.subcaption == nil)
            #expect(first.layout?.url == "https://Example.org:81/a" && first.layout?.urlHost == "example.org:81")
            let session = try #require(first.session)
            let second = try await alice.client.send(
                "Yes!", to: "bob", session: SessionRequest(id: session.id, summary: "agreed"))
            #expect(second.session?.id == session.id && second.session?.counter == 2 && second.layout == nil)
            let history = try await alice.client.history(with: "bob")
            #expect(history.map { $0.session?.isSuperseded } == [true, false])
            #expect(history.first?.layout == first.layout)
            let reply = try await alice.client.reply("here", to: first.id, layout: LayoutRequest(imageTitle: "map"))
            #expect(reply.layout?.imageTitle == "map")
            let long = String(repeating: "x", count: Limits.layoutTextBytes + 1)
            for wrong in [LayoutRequest(url: "javascript:x"), LayoutRequest(caption: long)] {
                let error = await #expect(throws: GatewayError.self) {
                    try await alice.client.send("hi", to: "bob", layout: wrong)
                }
                #expect(error?.code == .invalidMessage)
            }
            let error = await #expect(throws: GatewayError.self) {
                try await alice.client.send("hi", to: "bob", session: SessionRequest(id: "x", summary: "s"))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("has a status of its own where some of several recipients are refused, and refuses what none could get")
    func someRefused() async throws {
        try await TestNode.pair { alice, _ in
            let token = try await alice.client.createToken("sender", scopes: [.read, .send], to: ["bob"]).token
            func post(_ body: String, _ headers: String...) async throws -> RawRequest.Response {
                try await RawRequest(
                    method: "POST", path: "/v1/messages", body: Array(body.utf8),
                    headers: ["authorization: Bearer \(token)"] + headers
                ).send(to: alice.node.home.socketFile)
            }
            let stranger = String(repeating: "3", count: 51) + "0"
            let some = try await post(#"{"to":["bob","\#(stranger)"],"text":"hi"}"#)
            #expect(some.status == 207)
            let results: GatewaySendResults = try some.decoded()
            #expect(results.results.map(\.failure?.code) == [nil, .forbidden])
            #expect(try await post(#"{"to":["bob"],"text":"hi"}"#).status == 201)
            #expect(try await post(#"{"to":[],"text":"hi"}"#).status == 422)
            #expect(try await post(#"{"to":["bob"],"text":"hi","session":{"summary":"s"}}"#).status == 400)
            #expect(try await post(#"{"to":[7],"text":"hi"}"#).status == 400)
            // A wrong message or key is refused as a whole, whether or not anybody is known.
            #expect(try await post(#"{"to":["nobody"],"text":""}"#).status == 422)
            #expect(try await post(#"{"to":["nobody"],"text":"hi"}"#, "idempotency-key: ").status == 400)
            let long = String(repeating: "k", count: Limits.idempotencyKeyBytes + 1)
            #expect(try await post(#"{"to":["nobody"],"text":"hi"}"#, "idempotency-key: \(long)").status == 400)
        }
    }

    @Test("takes a message to its recipient, and gives both the same history")
    func history() async throws {
        try await TestNode.pair { alice, bob in
            let sent = try await alice.client.send("grüße 👋", to: "bob", headers: ["kind": "test"])
            #expect(sent.recipients.map(\.state) == ["queued"])
            try await alice.wait(for: "delivered", of: sent.id)
            let received = try #require(try await bob.client.history(with: "alice").first)
            #expect(received.id == sent.id)
            #expect(received.sender == GatewayParty(id: alice.node.userID.description, name: "alice"))
            #expect(received.text == sent.text && received.headers == sent.headers)
            #expect(received.timestamp == sent.timestamp)
            try await bob.client.markRead(upTo: sent.id, with: "alice")
            try await alice.wait(for: "read", of: sent.id)
        }
    }

    @Test("tells who types, and of whom it cannot be told")
    func typing() async throws {
        let judge = try DocumentJudge.shared.get()
        try await TestNode.pair { alice, bob in
            try await bob.client.withEvents([.typingStarted, .typingEnded]) { events in
                try await alice.client.setTyping(true, to: "bob")
                try await alice.client.setTyping(false, to: "bob")
                var seen: [GatewayEvent] = []
                for try await event in events {
                    judge?.check(event, as: "Event")
                    seen.append(event)
                    if seen.count == 2 { break }
                }
                #expect(seen.map(\.name) == ["typingStarted", "typingEnded"])
                let conversation = try await bob.client.conversation("alice").id
                #expect(seen.allSatisfy { $0.user?.name == "alice" && $0.conversationID == conversation })
            }
            try await alice.client.decide(.block, about: "bob")
            let error = await #expect(throws: GatewayError.self) { try await alice.client.setTyping(true, to: "bob") }
            #expect(error?.code == .blocked)
        }
    }

    @Test("pages a history before and after a message")
    func pages() async throws {
        try await TestNode.pair { alice, _ in
            var ids: [String] = []
            for number in 1...5 { ids.append(try await alice.client.send("\(number)", to: "bob").id) }
            let client = alice.client
            #expect(try await client.history(with: "bob", limit: 2).map(\.id) == Array(ids[3...]))
            #expect(try await client.history(with: "bob", before: ids[3], limit: 2).map(\.id) == Array(ids[1...2]))
            #expect(try await client.history(with: "bob", after: ids[0], limit: 2).map(\.id) == Array(ids[1...2]))
            #expect(try await client.history(with: "bob", order: .arrival, limit: 2).map(\.id) == Array(ids[3...]))
            #expect(
                try await client.history(with: "bob", before: ids[3], order: .arrival, limit: 2).map(\.id)
                    == Array(ids[1...2]))
        }
    }

    @Test("lists conversations with their last message and what is unread, the latest first")
    func conversations() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await bob.client.conversations().isEmpty)
            var sent = try await alice.client.send("one", to: "bob")
            sent = try await alice.client.send("two", to: "bob")
            try await alice.wait(for: "delivered", of: sent.id)
            let listed = try await bob.client.conversations()
            #expect(listed.map(\.id) == [sent.conversationID])
            #expect(listed.first?.unreadCount == 2 && listed.first?.lastMessage?.text == "two")
            #expect(Set(listed.first?.participants.compactMap(\.name) ?? []) == ["alice", "bob"])
            #expect(listed.first?.peer?.name == "alice")
            try await bob.client.markRead(upTo: sent.id, with: sent.conversationID)
            for name in ["alice", sent.conversationID, alice.node.userID.description] {
                let conversation = try await bob.client.conversation(name)
                #expect(conversation.id == sent.conversationID && conversation.unreadCount == 0)
                #expect(try await bob.client.history(with: name).map(\.text) == ["one", "two"])
            }
            #expect(try await alice.client.conversations().first?.unreadCount == 0)
            #expect(try await bob.client.conversations(before: sent.conversationID).isEmpty)
        }
    }

    @Test("shows what is unread, from the first on and after a message, until all is marked")
    func unread() async throws {
        try await TestNode.pair { alice, bob in
            var sent: [GatewayMessage] = []
            for text in ["one", "two", "three"] { sent.append(try await alice.client.send(text, to: "bob")) }
            try await alice.wait(for: "delivered", of: sent[2].id)
            #expect(try await bob.client.conversation("alice").firstUnread?.text == "one")
            #expect(try await bob.client.unread(with: "alice", limit: 2).map(\.text) == ["one", "two"])
            #expect(try await bob.client.unread(with: "alice", after: sent[1].id).map(\.text) == ["three"])
            #expect(try await alice.client.unread(with: "bob").isEmpty)
            for body in ["{}", #"{"all":false}"#, #"{"all":true,"upTo":"\#(sent[0].id)"}"#] {
                let answer = try await RawRequest(
                    method: "POST", path: "/v1/conversations/alice/read", body: Array(body.utf8)
                ).send(to: bob.node.home.socketFile)
                #expect(answer.status == 400, "\(body)")
            }
            try await bob.client.markAllRead(with: "alice")
            try await alice.wait(for: "read", of: sent[2].id)
            #expect(try await bob.client.unread(with: "alice").isEmpty)
            let conversation = try await bob.client.conversation("alice")
            #expect(conversation.unreadCount == 0 && conversation.firstUnread == nil)
        }
    }

    @Test("has the conversation with a key that was never met, once something was written to it")
    func strangersConversation() async throws {
        let stranger = try await TestNode.with("carol") { $0.node.userID.description }
        try await TestNode.with("alice") { alice in
            let nobody = await #expect(throws: GatewayError.self) { try await alice.client.conversation(stranger) }
            #expect(nobody?.code == .unknownConversation)
            let sent = try await alice.client.send("welcome", to: stranger)
            let listed = try await alice.client.conversations()
            #expect(listed.map(\.id) == [sent.conversationID])
            #expect(listed.first?.peer == GatewayParty(id: stranger, name: nil))
            for name in [stranger, sent.conversationID] {
                #expect(try await alice.client.conversation(name).id == sent.conversationID)
                #expect(try await alice.client.history(with: name).map(\.id) == [sent.id])
            }
            #expect(try await alice.client.cancel(sent.id).recipients.first?.state == "failed")
            #expect(try await alice.client.deleteContents(with: stranger).deletedCount == 1)
        }
    }

    @Test("knows the conversation with a user to whom nothing was written, also by its id")
    func emptyConversation() async throws {
        try await TestNode.pair { alice, _ in
            let conversation = try await alice.client.conversation("bob")
            #expect(conversation.lastMessage == nil && conversation.unreadCount == 0)
            #expect(try await alice.client.conversation(conversation.id) == conversation)
            let other = await #expect(throws: GatewayError.self) {
                try await alice.client.conversation(String(repeating: "0", count: 52))
            }
            #expect(other?.code == .unknownConversation)
        }
    }

    @Test("says in one word how sure the user can be of another")
    func trust() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await alice.client.user(named: "bob").trust == "new")
            _ = try await alice.client.send("hi", to: "bob")
            #expect(try await alice.client.user(named: "bob").trust == "unverified")
            #expect(try await alice.client.decide(.verify, about: "bob").trust == "verified")
            #expect(try await alice.client.decide(.block, about: "bob").trust == "blocked")
            withExtendedLifetime(bob) {}
        }
    }

    @Test("does not take the message of one conversation for another's")
    func foreignMessage() async throws {
        try await TestNode.pair { alice, bob in
            let other = "0000000000000000000000000000000000000000000000000000-1"
            let error = await #expect(throws: GatewayError.self) {
                try await alice.client.markRead(upTo: other, with: "bob")
            }
            #expect(error?.code == .unknownMessage)
            withExtendedLifetime(bob) {}
        }
    }

    @Test("refuses what the limits of a message refuse", arguments: [0, Limits.textBytes + 1])
    func textLimits(count: Int) async throws {
        try await TestNode.pair { alice, _ in
            let error = await #expect(throws: GatewayError.self) {
                try await alice.client.send(String(repeating: "x", count: count), to: "bob")
            }
            #expect(error?.code == .invalidMessage)
        }
    }

    @Test("takes the longest text, whatever its bytes become in JSON")
    func longestText() async throws {
        try await TestNode.pair { alice, bob in
            let text = String(repeating: "\u{1}", count: Limits.textBytes)
            let sent = try await alice.client.send(text, to: "bob")
            try await bob.until("it is delivered") {
                try await bob.client.history(with: "alice").first?.text == text
            }
            #expect(try await alice.client.message(sent.id).text == text)
        }
    }
}
