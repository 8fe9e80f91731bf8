import EarshotModel
import TestSupport
import Testing

@testable import EarshotStore

@Suite("A store's commits")
struct CommitTests {
    @Test("are whole or nothing: one that fails in its middle leaves nothing behind")
    func atomicity() throws {
        let store = try Store.inMemory()
        var log = SampleLog.at([1, 2])
        try store.commit(log.commit)
        let before = try store.snapshot()

        log.append(at: 3)
        var failing = log.commit(from: 3)
        failing.users = [try user(9)]
        failing.deliveries = [DeliveryRecord(logID: log.logID, recipientID: identifier(4), progress: .init())]
        // The second run comes last, and doubles an entry that the store holds.
        failing.entries.append(LogEntries(logID: log.logID, entries: [log.entries[0]]))
        expect(.unavailable) { try store.commit(failing) }

        #expect(try store.snapshot() == before)
        #expect(try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max) == Array(log.entries[..<2]))
        #expect(try store.integrityFindings() == [])
    }

    @Test("go on after one that failed")
    func recovery() throws {
        let store = try Store.inMemory()
        var log = SampleLog.at([1])
        try store.commit(log.commit)
        expect(.unavailable) { try store.commit(log.commit) }
        log.append(at: 2)
        try store.commit(log.commit(from: 2))
        #expect(try store.snapshot().logs == [log.record])
    }

    @Test("of a file wait for the disk itself")
    func synchronous() throws {
        let folder = try TemporaryFolder()
        let store = try Store(path: folder.file("history.db"))
        #expect(try store.isSynchronous)
    }

    @Test("of a file that was opened again wait for the disk itself")
    func synchronousAgain() throws {
        let folder = try TemporaryFolder()
        try Store(path: folder.file("history.db")).close()
        #expect(try Store(path: folder.file("history.db")).isSynchronous)
    }

    @Test("cannot put two entries in one place of a log")
    func uniqueness() throws {
        let store = try Store.inMemory()
        let log = SampleLog.at([1, 2, 3])
        try store.commit(log.commit)
        for sequence in UInt64(1)...3 {
            var again = Commit()
            again.entries = [LogEntries(logID: log.logID, entries: [log.entries[Int(sequence) - 1]])]
            expect(.unavailable) { try store.commit(again) }
        }
        #expect(try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max) == log.entries)
    }

    @Test("report their outcome to a closure, too")
    func asynchronous() async throws {
        let store = try Store.inMemory()
        let log = SampleLog.at([1])
        try await commit(log.commit, to: store).get()
        #expect(try store.snapshot().logs == [log.record])
        let again = await commit(log.commit, to: store)
        #expect(throws: StoreError.self) { try again.get() }
    }

    @Test("keep the first time that a user was seen, and the latest of everything else")
    func users() throws {
        let store = try Store.inMemory()
        var commit = Commit()
        commit.users = [try user(1)]
        try store.commit(commit)
        commit.users[0].firstSeen = 999
        commit.users[0].lastSeen = 999
        commit.users[0].trust = .verified
        commit.users[0].name = try UserName("robert")
        try store.commit(commit)
        let stored = try #require(try store.snapshot().users.first)
        #expect((stored.firstSeen, stored.lastSeen) == (10, 999))
        #expect((stored.trust, stored.name.text) == (.verified, "robert"))
    }

    @Test("never take back that a message's content is withheld")
    func withheldStays() throws {
        let store = try Store.inMemory()
        let log = SampleLog.at([1])
        var commit = log.commit
        commit.failures = [
            DeliveryFailure(
                messageID: log.messageID(1), recipientID: identifier(4), reason: .cancelled, isWithheld: true)
        ]
        try store.commit(commit)
        commit = Commit()
        commit.failures = [
            DeliveryFailure(
                messageID: log.messageID(1), recipientID: identifier(4), reason: .expired, isWithheld: false)
        ]
        try store.commit(commit)
        let failure = try #require(try store.snapshot().failures.first)
        #expect(failure.isWithheld)
        #expect(failure.reason == .cancelled)
    }

    private func user(_ number: UInt8) throws -> UserRecord {
        UserRecord(
            userID: identifier(number), name: try UserName("bob"), trust: .unverified, isPinned: false,
            firstSeen: 10, lastSeen: 20)
    }

    private func commit(_ commit: Commit, to store: Store) async -> Result<Void, StoreError> {
        await withCheckedContinuation { continuation in
            store.commit(commit) { continuation.resume(returning: $0) }
        }
    }
}
