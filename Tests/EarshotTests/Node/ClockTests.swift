import EarshotModel
import EarshotProtocol
import EarshotStore
import Foundation
import Testing

@testable import Earshot

@Suite("The node's clock")
struct ClockTests {
    @Test("is not drawn along by a peer's clock that was far ahead, not even by a restart")
    func restart() async throws {
        let (answer, _) = try await answer(toMessageFrom: 60 * 60_000)
        #expect(answer.timestamp.milliseconds < Self.now + Timing.clockTolerance)
    }

    @Test("lets an answer sort after what it answers where clocks differ a little, also after a restart")
    func answerAfterRestart() async throws {
        let (answer, question) = try await answer(toMessageFrom: Timing.clockTolerance / 2)
        #expect(answer.timestamp > question)
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// What Alice answers, after a restart, to a message of Bob's whose clock is ahead.
    private func answer(
        toMessageFrom ahead: Int64
    ) async throws -> (answer: Message, question: HybridTimestamp) {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        try await alice.stop()
        try await bob.stop()
        let question = HybridTimestamp(milliseconds: Self.now + ahead)
        try writeLog(of: bob, endingAt: question, intoHomeOf: alice)
        try await alice.start()
        return (try await alice.send("now", to: bob), question)
    }

    /// As though a message of a device whose clock was ahead had been received.
    private func writeLog(of author: TestUser, endingAt timestamp: HybridTimestamp, intoHomeOf owner: TestUser) throws {
        let description = LogDescription(
            conversationID: .direct(owner.userID, author.userID), deviceID: DeviceID(Bytes32()), epoch: 1)
        let body = EntryBody(timestamp: timestamp, expiry: .max, content: .text("from tomorrow", headers: [:]))
            .encoded()
        let chain = ChainHash.origin(of: description.logID).appending(EntryContent.body(body).hash)
        var commit = Commit()
        commit.logs = [
            LogRecord(
                description: description, authorID: author.userID,
                conversation: .direct(owner.userID, author.userID),
                head: LogHead(sequence: 1, chain: chain, timestamp: timestamp))
        ]
        commit.entries = [
            LogEntries(
                logID: description.logID,
                entries: [
                    EntryRecord(
                        sequence: 1, timestamp: timestamp, expiry: .max, kind: .text, content: .body(body),
                        chain: chain)
                ])
        ]
        try Store(path: owner.home.databaseFile).commit(commit)
    }
}
