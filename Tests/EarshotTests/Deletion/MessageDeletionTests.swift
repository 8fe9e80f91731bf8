import Earshot
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Erasing contents")
struct MessageDeletionTests {
    private let alice: TestUser
    private let bob: TestUser
    private let secret = "the treasure lies under the old oak"

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
    }

    /// Whether a text stands in one of the files of a home directory.
    private func holds(_ user: TestUser, _ text: String) throws -> Bool {
        let names = try FileManager.default.contentsOfDirectory(atPath: user.home.path).filter {
            $0.hasPrefix("history")
        }
        return try names.contains { name in
            let file = URL(fileURLWithPath: user.home.path + "/" + name)
            return try Data(contentsOf: file).range(of: Data(text.utf8)) != nil
        }
    }

    @Test("overwrites what was sent and what was received, keeps its place, and the history stays proved")
    func delete() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send(secret, to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        _ = try await alice.send("and something else", to: bob)
        #expect(try holds(alice, secret) && holds(bob, secret))

        let deletion = try await alice.node.messages.erase([sent.messageID])
        #expect(deletion.erasedCount == 1 && deletion.isOverwritten)
        #expect(try !holds(alice, secret))
        // Here only.
        #expect(try holds(bob, secret))
        let history = try await alice.conversation(with: bob).history()
        #expect(history.map(\.text) == ["", "and something else"])
        #expect(history.map(\.isDeleted) == [true, false])
        #expect(history[0].states == [bob.userID: .delivered])

        #expect(try await bob.node.messages.erase([sent.messageID]).erasedCount == 1)
        #expect(try !holds(bob, secret))
        for (user, other) in [(alice, bob), (bob, alice)] {
            let audit = try user.home.audit(with: other.userID)
            #expect(audit.isSound)
            #expect(audit.logs.map(\.deletedCount) == [1])
            #expect(audit.logs.map(\.provedSequence) == [2])
        }
        // Again is no error, and changes nothing.
        #expect(try await alice.node.messages.erase([sent.messageID]).erasedCount == 0)
    }

    @Test("of what is taken back leaves no word in any file, on either side, while both nodes run and somebody reads")
    func retracted() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send(secret, to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        #expect(try holds(alice, secret) && holds(bob, secret))
        // A reader stands in the way of what overwrites the write-ahead log.
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: bob.home.path + "/history.db", configuration: configuration)
        try reader.inDatabase { db in
            try db.execute(sql: "BEGIN")
            _ = try Row.fetchAll(db, sql: "SELECT * FROM log")
        }
        try await alice.node.messages.retract(sent.messageID)
        try await bob.events.first("taken back") { event -> Bool? in
            if case .messageUpdated(let update) = event, update.change == .isRetracted { true } else { nil }
        }
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        try reader.close()
        for (user, other) in [(alice, bob), (bob, alice)] {
            try await withDeadline("no word of it is left") {
                while try holds(user, secret) {
                    let message = try await other.send("and something else", to: user)
                    try await other.events.state(.delivered, of: message.messageID)
                }
            }
        }
    }

    @Test("refuses a message that may still have to leave, and then deletes none of several")
    func undelivered() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send("delivered", to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        try await bob.stop()
        let waiting = try await alice.send("waiting", to: bob)
        let error = await expect(.undelivered) {
            try await alice.node.messages.erase([sent.messageID, waiting.messageID])
        }
        #expect(error?.parameters.messageID == waiting.messageID)
        #expect(try await alice.conversation(with: bob).history().map(\.text) == ["delivered", "waiting"])

        let kept = try await alice.conversation(with: bob).eraseContents()
        #expect(kept.erasedCount == 1 && kept.keptCount == 1 && kept.kept == [waiting.messageID])
        try await alice.node.messages.cancel(waiting.messageID)
        #expect(try await alice.conversation(with: bob).eraseContents().erasedCount == 1)
        #expect(try await alice.conversation(with: bob).history().allSatisfy(\.isDeleted))
    }

    @Test("takes a message that has failed, even if it may have left; then it never counts as delivered")
    func failed() async throws {
        try await TestUser.meet(alice, bob)
        try await bob.stop()
        let waiting = try await alice.send(secret, to: bob)
        try await alice.node.users.decide(.block, about: bob.userID)
        try await alice.events.state(.failed(.blocked), of: waiting.messageID)
        #expect(try await alice.node.messages.erase([waiting.messageID]).erasedCount == 1)
        #expect(try !holds(alice, secret))
        #expect(try await alice.node.messages.message(waiting.messageID).states == [bob.userID: .failed(.blocked)])
    }

    /// Keeps a node from writing to its disk, until it is told to go on.
    private func holdDisk(of user: TestUser) throws -> DatabaseQueue {
        var configuration = Configuration.patient
        configuration.allowsUnsafeTransactions = true
        let database = try DatabaseQueue(path: user.home.path + "/history.db", configuration: configuration)
        try database.unsafeReentrantWrite { try $0.execute(sql: "BEGIN IMMEDIATE") }
        return database
    }

    @Test(
        "leaves a message failed that was on its way, though its recipient acknowledges it later",
        arguments: [false, true])
    func failedOnItsWay(isWholeConversation: Bool) async throws {
        try await TestUser.meet(alice, bob)
        let disk = try holdDisk(of: bob)
        let sent = try await alice.send(secret, to: bob)
        try await alice.events.state(.sent, of: sent.messageID)
        try await alice.node.users.decide(.block, about: bob.userID)
        try await alice.events.state(.failed(.blocked), of: sent.messageID)
        let deletion =
            isWholeConversation
            ? try await alice.conversation(with: bob).eraseContents()
            : try await alice.node.messages.erase([sent.messageID])
        #expect(deletion.erasedCount == 1)
        try await disk.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try disk.close()

        try await alice.node.users.decide(.unblock, about: bob.userID)
        let next = try await alice.send("next", to: bob)
        try await alice.events.state(.delivered, of: next.messageID)
        #expect(await alice.events.names(about: sent.messageID) == [.messageQueued, .messageSent, .messageFailed])
        #expect(try await alice.node.messages.message(sent.messageID).states == [bob.userID: .failed(.blocked)])
    }

    @Test("refuses what is not here")
    func unknown() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send("x", to: bob)
        let unknown = MessageID(log: sent.messageID.log, sequence: 9)
        await expect(.unknownMessage) { try await alice.node.messages.erase([unknown]) }
    }

    @Test("of a whole conversation takes all of it, and messages go on")
    func conversation() async throws {
        try await TestUser.meet(alice, bob)
        var last: Message?
        for number in 1...30 { last = try await alice.send("\(secret) \(number)", to: bob) }
        try await alice.events.state(.delivered, of: try #require(last).messageID)
        #expect(try await bob.conversation(with: alice).eraseContents().erasedCount == 30)
        #expect(try !holds(bob, secret))
        let next = try await alice.send("next", to: bob)
        try await alice.events.state(.delivered, of: next.messageID)
        #expect(try await bob.conversation(with: alice).history().last?.text == "next")
        #expect(try bob.home.audit(with: alice.userID).isSound)
    }

    @Test("of a whole conversation says how much it took before the disk failed, and takes the rest when asked again")
    func failedOnTheWay() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send("to bob", to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        let answer = try await bob.send("to alice", to: alice)
        try await bob.events.state(.delivered, of: answer.messageID)
        // Each of the two logs is erased in a transaction of its own, and the disk fails in the second.
        let database = try DatabaseQueue(path: alice.home.path + "/history.db", configuration: .patient)
        try await database.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER failing BEFORE UPDATE ON entry WHEN (SELECT count(*) FROM entry WHERE isDeleted) = 1
                    BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END
                    """)
        }
        let conversation = alice.conversation(with: bob)
        let error = await #expect(throws: EarshotError.self) { try await conversation.eraseContents() }
        #expect(error?.parameters.erasedCount == 1)
        #expect(error?.message.hasSuffix("1 message was erased before that, and stays erased") == true)
        #expect(try await conversation.history().count(where: \.isDeleted) == 1)

        try await database.write { try $0.execute(sql: "DROP TRIGGER failing") }
        #expect(try await conversation.eraseContents().erasedCount == 1)
        #expect(try await conversation.history().map(\.isDeleted) == [true, true])
    }

    @Test("is not undone by a peer who sends again what this node had")
    func sentAgain() async throws {
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send(secret, to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        try await bob.node.messages.erase([sent.messageID])
        let port = try await bob.stop()
        try await bob.start(port: port)
        try await alice.waitForLink(to: bob)
        let next = try await alice.send("next", to: bob)
        try await alice.events.state(.delivered, of: next.messageID)
        #expect(try await bob.conversation(with: alice).history().map(\.isDeleted) == [true, false])
    }
}
