import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("The inbox of a node", .timeLimit(.ofHungTest))
struct InboxTests {
    private let network: TestNetwork
    private let alice: Node
    private let bob: Node

    init() async throws {
        network = try TestNetwork()
        alice = try await network.node("alice")
        bob = try await network.node("bob")
    }

    /// Bob writes, and Alice has it.
    private func write(_ texts: String..., headers: [String: String] = [:]) async throws {
        let received = alice.events.events(.messageReceived)
        for text in texts {
            try await bob.messages.send(text, headers: headers, to: alice.userID)
            _ = try await received.first { $0.text == text }
        }
    }

    private func reply(_ text: String, answering: MessageID? = nil, key: String? = nil) -> InboxReply {
        InboxReply(to: bob.userID, MessageDraft(text), answering: answering, idempotencyKey: key)
    }

    private func texts(_ batch: InboxBatch) -> [String] { batch.messages.map(\.text) }

    @Test("hands out what arrived, again and again until it is acknowledged")
    func acknowledge() async throws {
        try await write("before")
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "two", "three")
        let first = try await alice.inbox.receive(consumer: "bot", limit: 2)
        let again = try await alice.inbox.receive(consumer: "bot", limit: 2)
        #expect(texts(first) == ["one", "two"] && again == first)
        try await alice.inbox.acknowledge(consumer: "bot", through: first.cursors[0])
        #expect(texts(try await alice.inbox.receive(consumer: "bot")) == ["two", "three"])
        try await alice.inbox.acknowledge(consumer: "bot", through: first.cursor)
        let last = try await alice.inbox.receive(consumer: "bot")
        try await alice.inbox.acknowledge(consumer: "bot", through: last.cursor)
        #expect(try await alice.inbox.receive(consumer: "bot").messages == [])
        let consumer = try #require(try await alice.inbox.consumers().first)
        #expect(consumer.lag == 0 && consumer.cursor == last.cursor && consumer.acknowledgedAt != nil)
    }

    @Test("tells the sender of a message that a program has dealt with it, once that is on the disk")
    func handled() async throws {
        try await alice.inbox.makeConsumer("bot")
        let (delivered, handled) = (bob.events.events(.messageDelivered), bob.events.events(.messageHandled))
        let messages = try await bob.messages.send([.init("one"), .init("two")], to: alice.userID)
        _ = try await delivered.first { $0.messageID == messages[1].messageID }
        let batch = try await alice.inbox.receive(consumer: "bot", limit: 2, wait: .seconds(1))
        try network.fillDisk(of: alice)
        await #expect(throws: EarshotError.self) {
            try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor)
        }
        try network.freeDisk(of: alice)
        await network.advance(by: .seconds(60))
        #expect(try await states(of: messages) == [.delivered, .delivered])
        try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursors[0])
        #expect(try await handled.first { _ in true }?.messageID == messages[0].messageID)
        #expect(try await states(of: messages) == [.handled, .delivered])
        #expect(try await bob.messages.message(messages[0].messageID).times(for: alice.userID).handledAt != nil)
        let read = bob.events.events(.messageRead)
        try await alice.messages.markRead(messages[1].messageID)
        _ = try await read.first { $0.messageID == messages[1].messageID }
        try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor)
        #expect(try await handled.first { _ in true }?.messageID == messages[1].messageID)
        #expect(try await states(of: messages) == [.read, .read])
    }

    private func states(of messages: [Message]) async throws -> [DeliveryState?] {
        var states: [DeliveryState?] = []
        for message in messages {
            states.append(try await bob.messages.message(message.messageID).states[alice.userID])
        }
        return states
    }

    @Test("edits and reacts with an acknowledgement, and answers in the conversation, all once if it is repeated")
    func amendments() async throws {
        let shown = try await alice.messages.send("working", to: bob.userID)
        try await alice.inbox.makeConsumer("bot")
        try await write("question")
        let batch = try await alice.inbox.receive(consumer: "bot")
        let question = try #require(batch.messages.first).messageID
        let foreign = InboxReply.edit(question, "mine")
        let error = await #expect(throws: EarshotError.self) {
            try await alice.inbox.acknowledge(
                consumer: "bot", through: batch.cursor, sending: [InboxReply(MessageDraft("no")), foreign])
        }
        #expect(error?.code == .notAuthor && error?.parameters.index == 1)
        let replies: [InboxReply] = [
            .edit(shown.messageID, "done"), .react("👍", to: question),
            InboxReply(MessageDraft("here"), answering: question),
        ]
        let received = bob.events.events(.messageReceived)
        for _ in 1...2 {
            let sent = try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: replies)
            #expect(sent.map(\.text) == ["here"])
        }
        _ = try await received.first { $0.text == "here" }
        let history = try await bob.conversations.direct(with: alice.userID).history(limit: 10)
        #expect(history.map(\.text) == ["done", "question", "here"])
        #expect(history[1].reactions.map(\.emoji) == ["👍"])
    }

    @Test("gives an answer in a place another text, and leaves the place empty once it was taken back")
    func places() async throws {
        try await write("question")
        let question = try #require(
            try await alice.conversations.direct(with: bob.userID).history(limit: 1).first
        ).messageID
        let first = try await alice.messages.reply("0 %", to: question, inPlace: "place")
        let second = try await alice.messages.reply("9 %", to: question, inPlace: "place")
        #expect(second.messageID == first.messageID && second.text == "9 %" && second.replyTo == question)
        try await alice.messages.retract(first.messageID)
        #expect(try await alice.messages.reply("10 %", to: question, inPlace: "place").isRetracted)
        #expect(try await alice.conversations.direct(with: bob.userID).history(limit: 10).count == 2)
    }

    @Test("lets a consumer begin now, with the first message, or with the first that is not older than a time")
    func starts() async throws {
        try await write("old")
        await network.advance(by: .seconds(60))
        let date = network.now
        try await write("new")
        try await alice.inbox.makeConsumer("now", from: .now)
        try await alice.inbox.makeConsumer("all", from: .beginning)
        try await alice.inbox.makeConsumer("recent", from: .notOlderThan(date))
        try await alice.inbox.makeConsumer("never", from: .notOlderThan(Date(timeIntervalSince1970: 1e300)))
        #expect(texts(try await alice.inbox.receive(consumer: "now")) == [])
        #expect(texts(try await alice.inbox.receive(consumer: "all")) == ["old", "new"])
        #expect(texts(try await alice.inbox.receive(consumer: "recent")) == ["new"])
        #expect(try await alice.inbox.consumers().map(\.name) == ["all", "never", "now", "recent"])
        #expect(try await alice.inbox.consumers().map(\.lag) == [2, 0, 0, 1])
    }

    @Test("makes a consumer that asks for the first time, and it begins then")
    func unknownConsumer() async throws {
        try await write("before")
        #expect(try await alice.inbox.receive(consumer: "bot").messages == [])
        try await write("after")
        #expect(texts(try await alice.inbox.receive(consumer: "bot")) == ["after"])
        let error = await #expect(throws: EarshotError.self) { try await alice.inbox.receive(consumer: "a/b") }
        #expect(error?.code == .invalidConsumer)
    }

    @Test("answers with nothing when nothing came in time")
    func timeOut() async throws {
        try await alice.inbox.makeConsumer("bot")
        #expect(try await alice.inbox.receive(consumer: "bot", wait: .milliseconds(40)).messages == [])
        // Time goes on for everybody.
        await network.advance(by: .seconds(3600))
    }

    @Test("has one reader for a consumer, which is woken when something arrives")
    func oneReader() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await withThrowingTaskGroup(of: Result<InboxBatch, any Error>.self) { [alice] group in
            for _ in 0..<2 {
                group.addTask {
                    do { return .success(try await alice.inbox.receive(consumer: "bot", wait: .seconds(3600))) } catch {
                        return .failure(error)
                    }
                }
            }
            // One of the two waits until something comes, so the other is the first to end.
            let refused = try #require(try await group.next())
            #expect(throws: EarshotError.self) { try refused.get() }
            try await write("hello")
            let served = try #require(try await group.next())
            #expect(texts(try served.get()) == ["hello"])
        }
    }

    @Test("serves the next reader when the one before is cancelled")
    func cancelled() async throws {
        try await alice.inbox.makeConsumer("bot")
        let first = Task { try await alice.inbox.receive(consumer: "bot", wait: .seconds(3600)) }
        first.cancel()
        #expect(try await first.value.messages == [])
        #expect(try await alice.inbox.receive(consumer: "bot").messages == [])
    }

    @Test("acknowledges and answers together, once for each message, and repeats its answer")
    func answers() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "two")
        let batch = try await alice.inbox.receive(consumer: "bot")
        let replies = [
            reply("to one", answering: batch.messages[0].messageID), reply("to two"), reply("and more"),
        ]
        let sent = try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: replies)
        #expect(sent.map(\.text) == ["to one", "to two", "and more"])
        let repeated = try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: replies)
        #expect(repeated.map(\.messageID) == sent.map(\.messageID))
        let history = try await alice.conversations.direct(with: bob.userID).history()
        #expect(history.map(\.text) == ["one", "two", "to one", "to two", "and more"])
    }

    @Test("accepts nothing if one answer cannot be sent, and says which")
    func invalidAnswer() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one")
        let batch = try await alice.inbox.receive(consumer: "bot")
        let error = await #expect(throws: EarshotError.self) {
            try await alice.inbox.acknowledge(
                consumer: "bot", through: batch.cursor, sending: [reply("fine"), reply("")])
        }
        #expect(error?.code == .invalidMessage && error?.parameters.index == 1)
        #expect(try await alice.inbox.consumers().first?.lag == 1)
    }

    /// What is wrong with an acknowledgement.
    private func error(
        acknowledging cursor: InboxCursor, _ replies: InboxReply...
    ) async -> EarshotError? {
        await #expect(throws: EarshotError.self) {
            try await alice.inbox.acknowledge(consumer: "bot", through: cursor, sending: replies)
        }
    }

    @Test("refuses an answer with an acknowledgement that comes behind a later one, or after nothing was handed out")
    func tooLate() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "two")
        let batch = try await alice.inbox.receive(consumer: "bot")
        try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: [reply("to two")])
        let late = await error(acknowledging: batch.cursors[0], reply("to one"))
        let empty = try await alice.inbox.receive(consumer: "bot")
        let idle = await error(acknowledging: empty.cursor, reply("unasked"))
        #expect(late?.code == .alreadyAcknowledged && late?.parameters.index == 0)
        #expect(idle?.code == .alreadyAcknowledged && idle?.parameters.index == 0)
    }

    @Test("lets an acknowledgement answer what it covers, and no other message")
    func coverage() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "two")
        let own = try await alice.messages.send("mine", to: bob.userID)
        let batch = try await alice.inbox.receive(consumer: "bot")
        let ids = batch.messages.map(\.messageID)
        let unknown = MessageID(log: ids[0].log, sequence: 99)
        for other in [ids[1], own.messageID, unknown] {
            let error = await error(acknowledging: batch.cursors[0], reply("fine"), reply("a", answering: other))
            #expect(error?.code == .invalidMessage && error?.parameters.index == 1)
        }
        try await alice.inbox.acknowledge(
            consumer: "bot", through: batch.cursors[0], sending: [reply("a", answering: ids[0])])
        let again = await error(acknowledging: batch.cursor, reply("b", answering: ids[0], key: "k"))
        #expect(again?.code == .invalidMessage && again?.parameters.index == 0)
        #expect(texts(try await alice.inbox.receive(consumer: "bot")) == ["two"])
    }

    @Test("repeats the answer to an acknowledgement, although the message was erased meanwhile")
    func erasedMeanwhile() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "two")
        let batch = try await alice.inbox.receive(consumer: "bot")
        let replies = [reply("answer")]
        let sent = try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: replies)
        try await alice.messages.erase([batch.messages[1].messageID])
        let repeated = try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: replies)
        #expect(repeated.map(\.messageID) == sent.map(\.messageID))
    }

    @Test("knows no places of another home, and none that it never handed out")
    func gone() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one")
        let batch = try await alice.inbox.receive(consumer: "bot")
        let other = "\(batch.cursor)".hasPrefix("0") ? "1" : "0"
        for text in [other + "\(batch.cursor)".dropFirst(), "\(batch.cursor)9"] {
            let cursor = try #require(InboxCursor(text))
            let error = await #expect(throws: EarshotError.self) {
                try await alice.inbox.acknowledge(consumer: "bot", through: cursor)
            }
            #expect(error?.code == .gone, "\(text)")
        }
    }

    @Test("sets only the message aside that makes a consumer fail, lists it, and hands it out again")
    func poison() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "poison", "three")
        var done: [String] = []
        for _ in 0..<20 {
            let batch = try await alice.inbox.receive(consumer: "bot")
            guard let last = batch.messages.last else { break }
            guard !texts(batch).contains("poison") else {
                await network.advance(by: .seconds(30))
                continue
            }
            done += texts(batch)
            try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor)
            #expect(last.text != "poison")
        }
        #expect(done == ["one", "three"])
        let aside = try await alice.inbox.setAside(consumer: "bot")
        #expect(aside.map(\.message.text) == ["poison"] && aside[0].reason.contains("5 times"))
        try await write("four")
        try await alice.inbox.handOutAgain(consumer: "bot", aside[0].message.messageID)
        let again = try await alice.inbox.receive(consumer: "bot")
        #expect(texts(again) == ["poison"])
        try await alice.inbox.acknowledge(consumer: "bot", through: again.cursor, sending: [reply("at last")])
        #expect(texts(try await alice.inbox.receive(consumer: "bot")) == ["four"])
        #expect(try await alice.inbox.setAside(consumer: "bot").isEmpty)
    }

    @Test("sets aside what a loop never acknowledges, after a pause each time, and hands out the next")
    func loopInVain() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("poison", "good")
        let (handed, hand) = AsyncStream.makeStream(of: String.self)
        let looping = Task { [alice] in
            for try await batch in alice.inbox.batches(consumer: "bot", limit: 1) {
                let text = batch.messages[0].text
                hand.yield(text)
                if text == "good" { try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor) }
            }
        }
        let start = network.clock.now
        let advancing = Task { [network] in
            while !Task.isCancelled { await network.advance(by: .milliseconds(100)) }
        }
        var texts: [String] = []
        for await text in handed {
            texts.append(text)
            if text == "good" { break }
        }
        advancing.cancel()
        await advancing.value
        #expect(texts == Array(repeating: "poison", count: 5) + ["good"])
        #expect(start.duration(to: network.clock.now) >= .milliseconds(500 + 1000 + 2000 + 4000))
        #expect(try await alice.inbox.setAside(consumer: "bot").map(\.message.text) == ["poison"])
        looping.cancel()
        try await looping.value
    }

    @Test("sets nothing aside because a consumer asks again and again before it acknowledges")
    func asksAgain() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "two")
        var batches: [InboxBatch] = []
        for _ in 0..<10 {
            batches.append(try await alice.inbox.receive(consumer: "bot", attempts: 1))
            await network.advance(by: .seconds(2))
        }
        #expect(batches.allSatisfy { texts($0) == ["one", "two"] })
        try await alice.inbox.acknowledge(consumer: "bot", through: batches[0].cursor)
        #expect(try await alice.inbox.setAside(consumer: "bot").isEmpty)
    }

    @Test("hands out everything again to a consumer that is moved back, also what was set aside")
    func movedBack() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "two", "three")
        let first = try await alice.inbox.receive(consumer: "bot")
        try await alice.inbox.acknowledge(consumer: "bot", through: first.cursors[1])
        for _ in 0...5 {
            _ = try await alice.inbox.receive(consumer: "bot")
            await network.advance(by: .seconds(60))
        }
        let aside = try #require(try await alice.inbox.setAside(consumer: "bot").first)
        try await alice.inbox.handOutAgain(consumer: "bot", aside.message.messageID)
        try await alice.inbox.moveConsumer("bot", to: .beginning)
        var done: [String] = []
        for _ in 0..<3 {
            let batch = try await alice.inbox.receive(consumer: "bot", limit: 1)
            done += texts(batch)
            try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor)
        }
        #expect(done == ["one", "two", "three"])
        #expect(try await alice.inbox.setAside(consumer: "bot").isEmpty)
    }

    @Test("gives a message up that was to come again, if its consumer is moved past it")
    func movedPast() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("poison")
        let batch = try await alice.inbox.receive(consumer: "bot", attempts: 1)
        let messageID = try #require(batch.messages.first?.messageID)
        #expect(try await alice.inbox.fail(consumer: "bot", messageID, reason: "no"))
        try await alice.inbox.handOutAgain(consumer: "bot", messageID)
        #expect(try await alice.inbox.consumers().map(\.comingAgain) == [[messageID]])
        try await alice.inbox.moveConsumer("bot", to: .now)
        #expect(try await alice.inbox.consumers().map(\.comingAgain) == [[]])
        try await write("hello")
        #expect(texts(try await alice.inbox.receive(consumer: "bot")) == ["hello"])
    }

    @Test("finds a message behind any number of bytes that programs have sent by themselves")
    func behindAutomatic() async throws {
        let drafts = (0..<70).map {
            MessageDraft(
                "\($0)" + String(repeating: "a", count: 65_000), headers: [Inbox.automaticHeader: "auto-generated"])
        }
        try await alice.inbox.makeConsumer("bot")
        try await bob.messages.send(drafts, to: alice.userID)
        try await write("person")
        #expect(texts(try await alice.inbox.receive(consumer: "bot", limit: 100)) == ["person"])
    }

    @Test("leaves out what programs have sent by themselves, unless a consumer asks for it")
    func automatic() async throws {
        try await alice.inbox.makeConsumer("bot", from: .beginning)
        try await write("reply", headers: ["auto-submitted": "auto-replied"])
        try await write("person", headers: ["auto-submitted": "no"])
        #expect(texts(try await alice.inbox.receive(consumer: "bot")) == ["person"])
        #expect(
            texts(try await alice.inbox.receive(consumer: "bot", includingAutomatic: true)) == ["reply", "person"])
    }

    @Test("moves and removes consumers")
    func manages() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one")
        try await alice.inbox.moveConsumer("bot", to: .now)
        #expect(try await alice.inbox.receive(consumer: "bot").messages == [])
        try await alice.inbox.moveConsumer("bot", to: .beginning)
        #expect(texts(try await alice.inbox.receive(consumer: "bot")) == ["one"])
        try await alice.inbox.removeConsumer("bot")
        let error = await #expect(throws: EarshotError.self) { try await alice.inbox.removeConsumer("bot") }
        #expect(error?.code == .unknownConsumer)
        #expect(try await alice.inbox.consumers().isEmpty)
    }

    @Test("is as it was when the node begins anew")
    func restart() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("one", "two")
        let batch = try await alice.inbox.receive(consumer: "bot", limit: 1)
        try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor)
        try await network.crash(alice)
        let restarted = try await network.node("alice")
        #expect(texts(try await restarted.inbox.receive(consumer: "bot")) == ["two"])
    }

    @Test("sends a message later, when it is due by the clock, and not if it is cancelled before")
    func scheduled() async throws {
        let due = network.now.addingTimeInterval(3600)
        let kept = try await alice.messages.schedule(MessageDraft("later"), to: bob.userID, notBefore: due)
        let dropped = try await alice.messages.schedule(MessageDraft("never"), to: bob.userID, notBefore: due)
        #expect(await Set(alice.messages.scheduled().map(\.id)) == [kept.id, dropped.id])
        try await alice.messages.cancelScheduled(dropped.id)
        let received = bob.events.events(.messageReceived)
        await network.advance(by: .seconds(3599))
        #expect(try await bob.conversations.direct(with: alice.userID).history().isEmpty)
        await network.advance(by: .seconds(2))
        #expect(try await received.first { _ in true }?.text == "later")
        #expect(await alice.messages.scheduled().isEmpty)
        let error = await #expect(throws: EarshotError.self) { try await alice.messages.cancelScheduled(kept.id) }
        #expect(error?.code == .unknownMessage)
    }

    @Test("sends a message when it is due, also if the node was to do something sooner that was called off")
    func scheduledBehindAnother() async throws {
        let sooner = try await alice.messages.schedule(
            MessageDraft("sooner"), to: bob.userID, notBefore: network.now.addingTimeInterval(20))
        try await alice.messages.schedule(
            MessageDraft("later"), to: bob.userID, notBefore: network.now.addingTimeInterval(25))
        try await alice.messages.cancelScheduled(sooner.id)
        await network.advance(by: .seconds(24))
        #expect(await alice.messages.scheduled().map(\.draft.text) == ["later"])
        await network.advance(by: .seconds(2))
        #expect(await alice.messages.scheduled().isEmpty)
    }

    @Test("knows to whom a message with a key went, whatever its recipient is called by now")
    func recipientOfKey() async throws {
        try await alice.messages.send("hello", to: bob.userID, idempotencyKey: "sent")
        try await alice.messages.schedule(
            MessageDraft("later"), to: bob.userID, notBefore: network.now.addingTimeInterval(60),
            idempotencyKey: "waits")
        for key in ["sent", "waits"] {
            #expect(try await alice.messages.destination("somebody", idempotencyKey: key) == .user(bob.userID))
        }
        for key in ["other", nil] {
            let error = await #expect(throws: EarshotError.self) {
                try await alice.messages.destination("somebody", idempotencyKey: key)
            }
            #expect(error?.code == .unknownUser)
        }
    }

    @Test("takes an answer for later with the acknowledgement, and has both after a crash")
    func answersLater() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("remind me")
        let batch = try await alice.inbox.receive(consumer: "bot")
        var reminder = reply("now")
        reminder.notBefore = network.now.addingTimeInterval(3600)
        #expect(
            try await alice.inbox.acknowledge(consumer: "bot", through: batch.cursor, sending: [reminder]).isEmpty)
        try await network.crash(alice)
        let restarted = try await network.node("alice")
        #expect(try await restarted.inbox.consumers().first?.lag == 0)
        #expect(await restarted.messages.scheduled().map(\.draft.text) == ["now"])
        let received = bob.events.events(.messageReceived)
        await network.advance(by: .seconds(3601))
        #expect(try await received.first { _ in true }?.text == "now")
    }

    @Test("sets a message aside with the reason that the consumer gave last, and shows that as its last failure")
    func failures() async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("poison", "fine")
        for number in 1...5 {
            let batch = try await alice.inbox.receive(consumer: "bot")
            let isSetAside = try await alice.inbox.fail(
                consumer: "bot", batch.messages[0].messageID, reason: "reason \(number)")
            #expect(isSetAside == (number == 5))
            #expect(try await alice.inbox.consumers().first?.lastFailure?.reason == "reason \(number)")
        }
        #expect(texts(try await alice.inbox.receive(consumer: "bot")) == ["fine"])
        #expect(try await alice.inbox.setAside(consumer: "bot").map(\.reason) == ["reason 5"])
        try await network.crash(alice)
        let restarted = try await network.node("alice")
        #expect(try await restarted.inbox.consumers().first?.lastFailure?.reason == "reason 5")
    }

    @Test("keeps the beginning of a long reason, and one where there is none", arguments: [0, 501])
    func reasons(length: Int) async throws {
        try await alice.inbox.makeConsumer("bot")
        try await write("poison")
        let batch = try await alice.inbox.receive(consumer: "bot")
        let reason = String(repeating: "x", count: length)
        try await alice.inbox.fail(consumer: "bot", batch.messages[0].messageID, reason: reason)
        let kept = try #require(try await alice.inbox.consumers().first?.lastFailure).reason
        #expect(kept == (length == 0 ? "it failed and gave no reason" : reason.dropLast() + "…"))
        let error = await #expect(throws: EarshotError.self) {
            try await alice.inbox.fail(consumer: "bot", batch.messages[0].messageID, reason: "again")
        }
        #expect(error?.code == .notHandedOut)
    }

    @Test("sends once for one idempotency key")
    func idempotent() async throws {
        async let first = alice.messages.send("hello", to: bob.userID, idempotencyKey: "k")
        async let second = alice.messages.send("hello", to: bob.userID, idempotencyKey: "k")
        let ids = try await [first.messageID, second.messageID]
        #expect(ids[0] == ids[1])
        let error = await #expect(throws: EarshotError.self) {
            try await alice.messages.send("other", to: bob.userID, idempotencyKey: "k")
        }
        #expect(error?.code == .keyReused)
        #expect(try await alice.conversations.direct(with: bob.userID).history().count == 1)
    }
}
