import EarshotModel
import EarshotProtocol
import EarshotTesting
import Testing

@testable import EarshotStore

@Suite("A log that is cut")
struct CutTests {
    private let log = SampleLog.at([1, 2, 3, 4, 5])
    /// What the peer holds after the second entry.
    private var other: SampleLog {
        var other = SampleLog.at([1, 2])
        other.append(at: 6, body: [9])
        return other
    }
    /// Where the third is already, which came back without its content.
    private var keeper: SampleLog {
        var keeper = SampleLog(epoch: 6)
        keeper.append(at: 3, isWithheld: true)
        return keeper
    }
    private var kept: RenamedMessages {
        RenamedMessages(from: log.messageID(3), to: keeper.messageID(1), count: 1)
    }
    /// Where the fourth and the fifth go. The third is in another log already.
    private let successor: LogRecord
    private let chains: [ChainHash]

    init() {
        let description = LogDescription(
            conversationID: log.conversationID, deviceID: log.record.description.deviceID, epoch: 8)
        let first = ChainHash.origin(of: description.logID).appending(log.entries[3].content.hash)
        chains = [first, first.appending(log.entries[4].content.hash)]
        successor = LogRecord(
            description: description, authorID: log.record.authorID, peerID: log.record.peerID,
            head: LogHead(sequence: 2, chain: chains[1], timestamp: log.entries[4].timestamp))
    }

    private var commit: Commit {
        var commit = other.commit(from: 3)
        commit.logs.append(successor)
        commit.cuts = [
            LogCut(
                logID: log.logID, after: 2, kept: [kept], successor: successor.logID, chains: chains,
                checkpoint: signature(6))
        ]
        return commit
    }

    private func stored() throws -> Store {
        let store = try Store.inMemory()
        var commit = log.commit
        commit.failures = [3, 5].map {
            DeliveryFailure(messageID: log.messageID($0), reason: .cancelled, isWithheld: true)
        }
        try store.commit(commit)
        try store.commit(keeper.commit)
        return store
    }

    @Test("holds the peer's entries, and its own end is in the successor, chained anew and otherwise as it was")
    func moves() throws {
        let store = try stored()
        try store.commit(commit)
        #expect(
            try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max)
                == Array(log.entries[..<2]) + [other.entries[2]])
        let moved = try store.entries(of: successor.logID, from: 1, countLimit: 9, byteLimit: .max)
        #expect(moved.map(\.sequence) == [1, 2])
        #expect(moved.map(\.chain) == chains)
        #expect(moved.map(\.content) == log.entries[3...].map(\.content))
        #expect(moved.map(\.timestamp) == log.entries[3...].map(\.timestamp))
        #expect(moved.map(\.checkpoint) == [nil, signature(6)])
        #expect(
            try store.snapshot().failures.map(\.messageID) == [MessageID(log: successor.logID, sequence: 2)])
        #expect(try store.history(of: log.conversationID, .latest, limit: 9)?.count == 6)
        #expect(try store.integrityFindings() == [])
    }

    @Test("gives its content to the entries of the log that keeps them, where that has only their hashes")
    func fillsIn() throws {
        let store = try stored()
        try store.commit(commit)
        let entries = try store.entries(of: keeper.logID, from: 1, countLimit: 9, byteLimit: .max)
        #expect(entries.map(\.content) == [log.entries[2].content])
        #expect(entries.map(\.chain) == keeper.entries.map(\.chain))
    }

    @Test("is as it was if the commit fails")
    func fails() throws {
        let store = try stored()
        let before = try store.snapshot()
        var failing = commit
        failing.entries.append(LogEntries(logID: log.logID, entries: [log.entries[0]]))
        expect(.unavailable) { try store.commit(failing) }
        #expect(try store.snapshot() == before)
        #expect(try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max) == log.entries)
    }

    @Test("and a failure that is withdrawn leave the message's state to its receipt")
    func withdraws() throws {
        let store = try stored()
        var commit = Commit()
        commit.withdrawnFailures = [log.messageID(3)]
        try store.commit(commit)
        #expect(try store.snapshot().failures.map(\.messageID) == [log.messageID(5)])
    }
}
