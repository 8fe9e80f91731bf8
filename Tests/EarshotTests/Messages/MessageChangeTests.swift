import Earshot
import Foundation
import Testing

@Suite("What is said about a message that was sent")
struct MessageChangeTests {
    private let alice: TestUser
    private let bob: TestUser

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
    }

    private func update(_ change: MessageChange, at user: TestUser) async throws -> MessageUpdate {
        try await user.events.first("a message is updated: \(change)") { event in
            if case .messageUpdated(let update) = event, update.change == change { update } else { nil }
        }
    }

    private func delivered(_ text: String, from: TestUser, to: TestUser) async throws -> Message {
        let message = try await from.send(text, to: to)
        try await from.events.state(.delivered, of: message.messageID)
        return message
    }

    @Test("a reply names the message that it answers, at both ends")
    func reply() async throws {
        try await TestUser.meet(alice, bob)
        let question = try await delivered("coffee?", from: alice, to: bob)
        let answer = try await bob.node.messages.reply("gladly", to: question.messageID)
        #expect(answer.replyTo == question.messageID)
        try await bob.events.state(.delivered, of: answer.messageID)
        let history = try await alice.conversation(with: bob).history()
        #expect(history.map(\.replyTo) == [nil, question.messageID])
        let indexes = history.compactMap(\.index)
        #expect(indexes.count == 2 && indexes == indexes.sorted())
    }

    @Test("a reaction is shown with the message at both ends, until it is taken back")
    func reactions() async throws {
        try await TestUser.meet(alice, bob)
        let message = try await delivered("done", from: alice, to: bob)
        let reacted = try await bob.node.messages.react("👍", to: message.messageID)
        let expected = [Reaction(emoji: "👍", userIDs: [bob.userID])]
        #expect(reacted.reactions == expected)
        let update = try await update(.reactions, at: alice)
        #expect(update.messageID == message.messageID && update.userID == bob.userID)
        #expect(try await alice.node.messages.message(message.messageID).reactions == expected)

        // Twice is once.
        try await bob.node.messages.react("👍", to: message.messageID)
        #expect(try await bob.node.messages.unreact("👍", to: message.messageID).reactions.isEmpty)
        #expect(try await bob.node.messages.react("👍", to: message.messageID).reactions == expected)
        // Nothing of it is a message.
        #expect(try await bob.conversation(with: alice).history().map(\.text) == ["done"])
    }

    @Test("an edit gives it another text at both ends, and the journal tells of it")
    func edit() async throws {
        try await TestUser.meet(alice, bob)
        let message = try await delivered("teh", from: alice, to: bob)
        try await alice.node.messages.edit(message.messageID, "te")
        let edited = try await alice.node.messages.edit(message.messageID, "the")
        #expect(edited.text == "the" && edited.isEdited && edited.messageID == message.messageID)
        let (id, recorder) = (message.messageID, bob.events)
        try await recorder.until("both edits are here") { [bob] in
            try await bob.node.messages.message(id).text == "the"
        }
        #expect(try await update(.text, at: bob).userID == alice.userID)
        var names: [EventName] = []
        for try await event in bob.node.journal.events() {
            if case .userDiscovered = event.event { continue }
            if case .userUpdated = event.event { continue }
            names.append(event.event.name)
            if names.count == 3 { break }
        }
        #expect(names == [.messageReceived, .messageUpdated, .messageUpdated])
    }

    @Test("taking it back erases its texts from both disks")
    func retract() async throws {
        try await TestUser.meet(alice, bob)
        let message = try await delivered("the secret of the oak", from: alice, to: bob)
        let edited = try await alice.node.messages.edit(message.messageID, "another secret of the oak")
        #expect(edited.isEdited)
        let retracted = try await alice.node.messages.retract(message.messageID)
        #expect(retracted.isRetracted && retracted.text.isEmpty && !retracted.isEdited)
        #expect(try await update(.isRetracted, at: bob).messageID == message.messageID)
        let shown = try await bob.node.messages.message(message.messageID)
        #expect(shown.isRetracted && shown.isDeleted && shown.text.isEmpty)
        #expect(try await alice.node.messages.retract(message.messageID).isRetracted)
        for user in [alice, bob] {
            try await user.stop()
            let database = try Data(contentsOf: URL(fileURLWithPath: user.home.path + "/history.db"))
            #expect(database.range(of: Data("secret of the oak".utf8)) == nil)
            let other = user === alice ? bob : alice
            #expect(try user.home.audit(with: other.userID).isSound)
        }
    }

    @Test("only its author may edit it or take it back")
    func authors() async throws {
        try await TestUser.meet(alice, bob)
        let message = try await delivered("mine", from: alice, to: bob)
        let edit = await expect(.notAuthor) { _ = try await bob.node.messages.edit(message.messageID, "yours") }
        #expect(edit?.parameters.messageID == message.messageID)
        await expect(.notAuthor) { _ = try await bob.node.messages.retract(message.messageID) }
    }

    @Test("what is not there, was taken back, or says too much is refused")
    func refusals() async throws {
        try await TestUser.meet(alice, bob)
        let message = try await delivered("here", from: alice, to: bob)
        let (id, messages) = (message.messageID, alice.node.messages)
        let unknown = MessageID(id.description.dropLast() + "9")
        await expect(.unknownMessage) { _ = try await messages.react("👍", to: try #require(unknown)) }
        await expect(.invalidMessage) { _ = try await messages.react("", to: id) }
        await expect(.invalidMessage) { _ = try await messages.react(String(repeating: "x", count: 65), to: id) }
        await expect(.invalidMessage) { _ = try await messages.edit(id, "") }
        var draft = MessageDraft("everybody")
        draft.mentions = Array(repeating: bob.userID, count: Limits.mentions + 1)
        await expect(.invalidMessage) { [draft, bob] in _ = try await messages.send(draft, to: bob.userID) }
        try await messages.retract(id)
        await expect(.retracted) { _ = try await messages.edit(id, "late") }
        await expect(.retracted) { _ = try await messages.reply("late", to: id) }
    }

    @Test("mentions and sessions reach the recipient, who may continue a session")
    func sessions() async throws {
        try await TestUser.meet(alice, bob)
        var draft = MessageDraft("your move")
        draft.mentions = [bob.userID]
        let session = SessionID.random()
        let first = try await alice.node.messages.send(draft, in: session, summary: "e4", to: bob.userID)
        try await alice.events.state(.delivered, of: first.messageID)
        let received = try await bob.node.messages.message(first.messageID)
        #expect(received.mentions == [bob.userID])
        #expect(received.session?.id == session && received.session?.counter == 1)
        let second = try await bob.node.messages.send(
            MessageDraft("yours"), in: session, summary: "e5", to: alice.userID)
        #expect(second.session?.counter == 2)
        try await bob.events.state(.delivered, of: second.messageID)
        for (user, other) in [(alice, bob), (bob, alice)] {
            let history = try await user.conversation(with: other).history()
            #expect(history.map { $0.session?.isSuperseded } == [true, false])
            #expect(history[0].session?.summary == "e4")
        }
    }

    @Test("a step of a session that was taken back before it left is none: the next one has its number")
    func cancelledStep() async throws {
        let session = SessionID.random()
        try await alice.start()
        let messages = alice.node.messages
        let first = try await messages.send(MessageDraft("1"), in: session, summary: "one", to: bob.userID)
        let second = try await messages.send(MessageDraft("2"), in: session, summary: "two", to: bob.userID)
        #expect(try await messages.message(first.messageID).session?.isSuperseded == true)
        try await messages.cancel(second.messageID)
        #expect(try await messages.message(first.messageID).session?.isSuperseded == false)
        let third = try await messages.send(MessageDraft("3"), in: session, summary: "three", to: bob.userID)
        #expect([first, second, third].map { $0.session?.counter } == [1, 2, 2])
    }

    @Test("a layout reaches the recipient, stays when the text is edited, and goes when it is taken back")
    func layouts() async throws {
        try await TestUser.meet(alice, bob)
        var draft = MessageDraft("Dinner at eight?")
        let layout = MessageLayout(
            caption: "Luigi's", subcaption: "at eight", accessibilityLabel: "An invitation to dinner",
            url: try WebLink("https://example.org/menu"))
        draft.layout = layout
        let message = try await alice.node.messages.send(draft, to: bob.userID)
        #expect(message.layout == layout)
        try await alice.events.state(.delivered, of: message.messageID)
        #expect(try await bob.node.messages.message(message.messageID).layout == layout)
        let edited = try await alice.node.messages.edit(message.messageID, "Dinner at nine?")
        #expect(edited.layout == layout && edited.text == "Dinner at nine?")
        #expect(try await alice.node.messages.retract(message.messageID).layout == nil)
        draft.layout?.caption = String(repeating: "x", count: Limits.layoutTextBytes + 1)
        await expect(.invalidMessage) { [draft, bob] in
            _ = try await alice.node.messages.send(draft, to: bob.userID)
        }
    }
}
