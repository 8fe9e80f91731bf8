import Earshot
import Foundation
import TestSupport
import Testing

@Suite("A home whose database was restored from an older copy")
struct RestoredHomeTests {
    private let alice: TestUser
    private let bob: TestUser
    private let folder: TemporaryFolder

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
        folder = try TemporaryFolder()
    }

    private var database: String { alice.home.path + "/history.db" }
    private var copy: String { folder.file("copy.db") }

    private func startAlice() async throws {
        try await alice.start(peers: [bob.address])
        try await alice.waitForLink(to: bob)
        try await bob.waitForLink(to: alice)
    }

    private func exchange(_ texts: [String], from sender: TestUser, to recipient: TestUser) async throws {
        for text in texts {
            let message = try await sender.send(text, to: recipient)
            try await sender.events.state(.delivered, of: message.messageID)
        }
    }

    /// Both have written, before and after a copy of Alice's database was taken, and her node has stopped.
    /// - Returns: the end of her journal.
    @discardableResult
    private func writeAndCopy() async throws -> EventID {
        try await TestUser.meet(alice, bob)
        try await exchange(["one"], from: alice, to: bob)
        try await alice.stop()
        try copyDatabase()
        try await startAlice()
        try await exchange(["two", "three"], from: alice, to: bob)
        try await exchange(["answer"], from: bob, to: alice)
        let end = try await alice.node.journal.latest()
        try await alice.stop()
        return end
    }

    /// The write-ahead log is empty only once nobody holds the stopped node any more.
    private static let parts = ["", "-wal"]

    private func copyDatabase() throws {
        for part in Self.parts { try replace(copy + part, by: database + part) }
    }

    private func restore() throws {
        for part in Self.parts { try replace(database + part, by: copy + part) }
        try remove(database + "-shm")
    }

    private func replace(_ target: String, by source: String) throws {
        try remove(target)
        guard FileManager.default.fileExists(atPath: source) else { return }
        try FileManager.default.copyItem(atPath: source, toPath: target)
    }

    private func remove(_ file: String) throws {
        if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
    }

    /// Alice's older copy is in place, and she has written while Bob is away.
    private func restoreAndWrite() async throws -> Message {
        try await writeAndCopy()
        try restore()
        try await bob.stop()
        try await alice.start()
        return try await alice.send("offline", to: bob)
    }

    private func expectAlike(_ texts: [String]) async throws {
        let own = try await alice.conversation(with: bob).history()
        let others = try await bob.conversation(with: alice).history()
        #expect(own.map(\.text) == texts)
        #expect(own.map(\.messageID) == others.map(\.messageID))
        #expect(others.map(\.text) == texts)
        #expect(own.filter { $0.senderID == alice.userID }.allSatisfy { $0.states == [bob.userID: .delivered] })
        try expectSound()
    }

    private func expectSound() throws {
        for (user, other) in [(alice, bob), (bob, alice)] {
            let audit = try user.home.audit(with: other.userID)
            #expect(audit.isSound, "\(audit.logs.map(\.mismatches))")
            #expect(audit.logs.allSatisfy { $0.provedSequence == $0.log.head.sequence })
        }
    }

    private func recovery() async throws -> HistoryRecovery {
        try await alice.events.first("Alice's node has its history again") { event in
            if case .historyRecovered(let recovery) = event { recovery } else { nil }
        }
    }

    @Test("has everything again, and messages flow both ways")
    func restored() async throws {
        let end = try await writeAndCopy()
        try restore()
        try await startAlice()
        #expect(try await recovery() == HistoryRecovery(userID: bob.userID, count: 2, renamed: []))
        // What its journal said of messages may now be about others. Nothing need be left of it.
        let error = await #expect(throws: EarshotError.self) {
            for try await _ in alice.node.journal.events(after: end) { break }
        }
        #expect(error?.code == .gone)
        try await exchange(["four"], from: alice, to: bob)
        let left = try await alice.node.journal.events().first { _ in true }
        #expect(left != nil && error?.parameters.eventID == left?.id)
        try await exchange(["five"], from: bob, to: alice)
        try await expectAlike(["one", "two", "three", "answer", "four", "five"])
        #expect(try await bob.events.receivedTexts(4) == ["one", "two", "three", "four"])
    }

    @Test("loses nothing that was written before it met its peer again, and doubles nothing")
    func writtenSince() async throws {
        let offline = try await restoreAndWrite()
        try await alice.stop()
        try await bob.start(port: LoopbackPort.next())
        try await startAlice()
        let renamed = try #require(try await recovery().renamed.first)
        #expect(renamed.from == offline.messageID && renamed.count == 1)
        try await alice.events.state(.delivered, of: renamed.to)
        try await exchange(["later"], from: alice, to: bob)
        try await expectAlike(["one", "two", "three", "answer", "offline", "later"])
    }

    @Test("goes on telling what becomes of a message whose id is another's now")
    func followed() async throws {
        let offline = try await restoreAndWrite()
        let states = alice.node.messages.states(of: offline.messageID)
        async let told = states.reduce(into: []) { (changes: inout [MessageStateChange], change) in
            changes.append(change)
        }
        async let delivered = alice.node.messages.wait(for: .delivered, of: offline.messageID)
        // No event tells that somebody follows it: while the node answers, they begin.
        let node = alice.node
        try await withDeadline("both follow it") {
            repeat {
                try Task.checkCancellation()
                _ = try await node.messages.message(offline.messageID)
            } while node.events.followerCount(of: offline.messageID) < 2
        }
        // The id that the wait began with names another message for Bob, who has had that one for long.
        try await bob.start(port: LoopbackPort.next(), peers: [alice.address])
        let renamed = try #require(try await recovery().renamed.first)
        #expect(renamed.newID(of: offline.messageID) == renamed.to)
        let message = try await delivered
        #expect(message.messageID == renamed.to && message.text == "offline")
        try await bob.node.messages.markRead(renamed.to)
        let changes = try await told
        #expect(changes.last?.state == .read && changes.last?.messageID == renamed.to)
        #expect(try await alice.node.messages.message(offline.messageID).text != "offline")
    }

    @Test("has an audit without a finding, also where it had taken a message back that the copy still holds")
    func takenBack() async throws {
        let offline = try await restoreAndWrite()
        try await alice.stop()
        try copyDatabase()
        try await alice.start()
        try await alice.node.messages.cancel(offline.messageID)
        try await alice.stop()
        try await bob.start(port: LoopbackPort.next())
        try await startAlice()
        let renamed = try #require(try await recovery().renamed.first)
        #expect(
            try await alice.node.messages.message(renamed.to).states == [bob.userID: .failed(.cancelled)])
        try await exchange(["later"], from: alice, to: bob)
        try await alice.stop()

        // The copy does not know that the message was taken back, and nobody has anything of it but its hash.
        try restore()
        try await startAlice()
        let again = try #require(try await recovery().renamed.first)
        try await alice.events.state(.delivered, of: again.to)
        try await exchange(["last"], from: alice, to: bob)
        #expect(
            try await alice.conversation(with: bob).history().map(\.text)
                == ["one", "two", "three", "answer", "later", "offline", "last"])
        try expectSound()
    }
}
