import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("A draft", .timeLimit(.ofHungTest))
struct DraftTests {
    private let network: TestNetwork
    private let alice: Node
    private let bob: Node

    init() async throws {
        network = try TestNetwork()
        alice = try await network.node("alice")
        bob = try await network.node("bob")
    }

    private func texts(of node: Node, with peer: Node) async throws -> [String] {
        try await node.conversations.direct(with: peer.userID).history().map(\.text)
    }

    /// What the journal of alice says of drafts.
    private func told(after place: EventID?, _ count: Int) async throws -> [Event] {
        var events: [Event] = []
        for try await entry in place.map(alice.journal.events(after:)) ?? alice.journal.events() {
            switch entry.event {
            case .draftInserted, .draftUpdated, .draftSent, .draftDiscarded: events.append(entry.event)
            default: continue
            }
            if events.count == count { break }
        }
        return events
    }

    @Test("never leaves the node before a person sends it, and is a message once it is sent")
    func send() async throws {
        let place = try await alice.journal.latest()
        let draft = try await alice.drafts.insert(MessageDraft("a quote"), to: bob.userID, by: "quotes")
        await network.advance(by: .seconds(60))
        #expect(try await texts(of: bob, with: alice).isEmpty)
        #expect(await alice.drafts.all() == [draft] && draft.insertedBy == "quotes")
        let received = bob.events.events(.messageReceived)
        let message = try await alice.drafts.send(draft.id)
        #expect(try await received.first { _ in true }?.text == "a quote")
        #expect(await alice.drafts.all().isEmpty)
        let events = try await told(after: place, 2)
        #expect(
            events == [
                .draftInserted(
                    DraftChange(draftID: draft.id, conversationID: draft.conversationID, insertedBy: "quotes")),
                .draftSent(
                    DraftChange(
                        draftID: draft.id, conversationID: draft.conversationID, insertedBy: "quotes",
                        messageID: message.messageID)),
            ])
    }

    @Test("becomes one message, however often it is sent")
    func repeated() async throws {
        let draft = try await alice.drafts.insert(MessageDraft("once"), to: bob.userID, by: "quotes")
        async let first = alice.drafts.send(draft.id)
        async let second = alice.drafts.send(draft.id)
        let ids = try await [first.messageID, second.messageID, alice.drafts.send(draft.id).messageID]
        #expect(Set(ids).count == 1)
        #expect(try await texts(of: alice, with: bob) == ["once"])
    }

    @Test("is there, or its message is, whenever the node crashes while it is sent; never both and never neither")
    func crash() async throws {
        for number in 0..<8 {
            let alice = try await network.node("alice")
            let text = "number \(number)"
            let draft = try await alice.drafts.insert(MessageDraft(text), to: bob.userID, by: nil)
            let sending = Task { try await alice.drafts.send(draft.id) }
            // Now and then it is through before the crash.
            if number.isMultiple(of: 4) { _ = await sending.result }
            try await network.crash(alice)
            _ = await sending.result
            let again = try await network.node("alice")
            let isDraft = await again.drafts.all().contains { $0.id == draft.id }
            let isMessage = try await texts(of: again, with: bob).contains(text)
            #expect(isDraft != isMessage, "\(number)")
        }
    }

    @Test("stays when it cannot be sent, and says why")
    func refused() async throws {
        let draft = try await alice.drafts.insert(MessageDraft("later"), to: bob.userID, by: "quotes")
        try network.fillDisk(of: alice)
        await #expect { try await alice.drafts.send(draft.id) } throws: { ($0 as? EarshotError)?.code == .storeFull }
        try network.freeDisk(of: alice)
        await network.advance(by: .seconds(5))
        try await alice.messages.send("hello", to: bob.userID)
        try await alice.users.decide(.block, about: bob.userID)
        await #expect { try await alice.drafts.send(draft.id) } throws: { ($0 as? EarshotError)?.code == .blocked }
        #expect(await alice.drafts.all() == [draft])
    }

    @Test("is changed by a person, and sent as it is then")
    func update() async throws {
        let draft = try await alice.drafts.insert(
            MessageDraft("a qoute", headers: ["x": "y"]), to: bob.userID, by: "quotes")
        let changed = try await alice.drafts.update(draft.id, text: "a quote")
        #expect(changed.content.headers == ["x": "y"] && changed.updatedAt != nil && draft.updatedAt == nil)
        let message = try await alice.drafts.send(draft.id)
        #expect(message.text == "a quote" && message.headers == ["x": "y"])
        await #expect { try await alice.drafts.update(draft.id, text: "no") } throws: {
            ($0 as? EarshotError)?.code == .unknownDraft
        }
    }

    @Test("is inserted once with a key: also when it was sent since, and not when it was discarded")
    func keys() async throws {
        func insert(_ key: String) async throws -> Draft {
            try await alice.drafts.insert(MessageDraft(key), to: bob.userID, by: "quotes", idempotencyKey: key)
        }
        let first = try await insert("one")
        #expect(try await insert("one") == first && first.messageID == nil)
        let message = try await alice.drafts.send(first.id)
        #expect(try await insert("one").messageID == message.messageID)
        let second = try await insert("two")
        try await alice.drafts.discard(second.id)
        try await alice.drafts.discard(second.id)
        try await network.crash(alice)
        let again = try await network.node("alice")
        await #expect {
            try await again.drafts.insert(MessageDraft("two"), to: bob.userID, by: "quotes", idempotencyKey: "two")
        } throws: {
            ($0 as? EarshotError)?.code == .draftDiscarded
        }
        await #expect { try await again.drafts.send(second.id) } throws: {
            ($0 as? EarshotError)?.code == .unknownDraft
        }
        #expect(try await texts(of: again, with: bob) == ["one"])
    }

    @Test("goes when the messages of its conversation are erased, and when the conversation is left")
    func erased() async throws {
        let place = try await alice.journal.latest()
        let direct = try await alice.drafts.insert(MessageDraft("to bob"), to: bob.userID, by: "quotes")
        let ops = try await alice.conversations.join(named: "ops")
        let open = try await alice.drafts.insert(MessageDraft("to all"), into: ops, by: "quotes")
        try await alice.conversations.direct(with: bob.userID).eraseContents()
        #expect(await alice.drafts.all() == [open])
        let discarded = alice.events.events(.draftDiscarded)
        try await ops.leave()
        #expect(try await discarded.first { $0.draftID == open.id } != nil)
        #expect(await alice.drafts.all().isEmpty)
        let ended = try await told(after: place, 4).filter { $0.name == .draftDiscarded }
        #expect(ended.count == 2)
        await #expect { try await alice.drafts.insert(MessageDraft("no"), into: ops, by: nil) } throws: {
            ($0 as? EarshotError)?.code == .notJoined
        }
        #expect(direct.conversationID != open.conversationID)
    }

    @Test("is one of a few; the next is refused, and those that wait stay")
    func tooMany() async throws {
        for number in 1...Limits.draftsPerConversation {
            try await alice.drafts.insert(MessageDraft("\(number)"), to: bob.userID, by: "flood")
        }
        await #expect { try await alice.drafts.insert(MessageDraft("more"), to: bob.userID, by: "flood") } throws: {
            ($0 as? EarshotError)?.code == .tooManyDrafts
        }
        let waiting = await alice.drafts.all().compactMap { Int($0.content.text) }
        #expect(waiting.sorted() == Array(1...Limits.draftsPerConversation))
        await #expect { try await alice.drafts.insert(MessageDraft("x"), to: bob.userID, by: "two words") } throws: {
            ($0 as? EarshotError)?.code == .invalidMessage
        }
    }

    @Test("is what a bot answers with, once for each message, in the commit that acknowledges it")
    func bot() async throws {
        let bot = Bot("quotes", on: alice).otherwise { message in try await message.draft("on \(message.text)") }
        try await bot.prepare()
        async let running: Void = bot.run()
        let inserted = alice.events.events(.draftInserted)
        try await bob.messages.send("quote me", to: alice.userID)
        #expect(try await inserted.first { _ in true }?.insertedBy == "quotes")
        let draft = try #require(await alice.drafts.all().first)
        #expect(draft.content.text == "on quote me" && draft.content.headers[Inbox.automaticHeader] != nil)
        #expect(try await texts(of: bob, with: alice) == ["quote me"])
        let message = try await alice.drafts.send(draft.id)
        #expect(message.text == "on quote me")
        await network.stop()
        try await running
    }

    @Test("that goes with an acknowledgement is there once if that is repeated, also when it is sent or gone")
    func acknowledged() async throws {
        let received = alice.events.events(.messageReceived)
        try await alice.inbox.makeConsumer("bot")
        try await bob.messages.send("one", to: alice.userID)
        try await bob.messages.send("two", to: alice.userID)
        _ = try await received.first { $0.text == "two" }
        let batch = try await alice.inbox.receive(consumer: "bot", limit: 2)
        let replies = batch.messages.map { message in
            var reply = InboxReply(to: bob.userID, MessageDraft("re \(message.text)"), answering: message.messageID)
            reply.isDraft = true
            return reply
        }
        func acknowledge() async throws {
            let sent = try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: replies)
            #expect(sent.isEmpty)
        }
        try await acknowledge()
        try await acknowledge()
        let drafts = await alice.drafts.all()
        #expect(drafts.map(\.content.text).sorted() == ["re one", "re two"])
        try await alice.drafts.update(drafts[0].id, text: "changed")
        try await alice.drafts.send(drafts[0].id)
        try await alice.drafts.discard(drafts[1].id)
        try await acknowledge()
        #expect(await alice.drafts.all().isEmpty)
        #expect(try await texts(of: alice, with: bob).filter { $0 == "changed" }.count == 1)
    }
}
