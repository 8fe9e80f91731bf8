import EarshotModel
import EarshotProtocol
import EarshotSimulation
import Testing

@testable import EarshotStore

@Suite("A log that is cut")
struct CutTests {
    private let log: SampleLog
    /// What the peer holds after the second entry.
    private var other: SampleLog {
        var other = SampleLog()
        for time in 1...2 as ClosedRange<Int64> { other.append(at: time, expiry: 100 + time) }
        other.append(at: 6, body: [9])
        return other
    }
    /// Where the third is already, which came back without its content and so without its time, and what was lost with
    /// the newer disk.
    private var keeper: SampleLog {
        var keeper = SampleLog(epoch: 6)
        for _ in 1...3 { keeper.append(at: 0, isWithheld: true) }
        return keeper
    }
    private var kept: RenamedMessages {
        RenamedMessages(from: log.messageID(3), to: keeper.messageID(1), count: 1)
    }
    /// Where the fourth and the fifth go. The third is in another log already.
    private let successor: LogRecord
    private let chains: [ChainHash]

    init() {
        var log = SampleLog()
        for time in 1...5 as ClosedRange<Int64> { log.append(at: time, expiry: 100 + time) }
        self.log = log
        let description = LogDescription(
            conversationID: log.conversationID, deviceID: log.record.description.deviceID, epoch: 8)
        let first = ChainHash.origin(of: description.logID).appending(log.entries[3].content.hash)
        chains = [first, first.appending(log.entries[4].content.hash)]
        successor = LogRecord(
            description: description, authorID: log.record.authorID, conversation: log.record.conversation,
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
            DeliveryFailure(
                messageID: log.messageID($0), recipientID: log.record.recipientID, reason: .cancelled, isWithheld: true)
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

    private func kept(in store: Store) throws -> [EntryRecord] {
        try store.entries(of: keeper.logID, from: 1, countLimit: 9, byteLimit: .max)
    }

    @Test("gives content, time and expiry to the entries of the log that keeps them, where that has only their hashes")
    func fillsIn() throws {
        let store = try stored()
        try store.commit(commit)
        let entries = try kept(in: store)
        #expect(entries[0].content == log.entries[2].content)
        #expect(entries[0].timestamp == log.entries[2].timestamp)
        #expect(entries[0].expiry == log.entries[2].expiry)
        #expect(entries[1...].map(\.content) == keeper.entries[1...].map(\.content))
        #expect(entries.map(\.chain) == keeper.entries.map(\.chain))
        #expect(entries.map(\.checkpoint) == keeper.entries.map(\.checkpoint))
    }

    @Test("lets the times of the log that keeps them rise up to its head, which stays so when it is written again")
    func timesRise() throws {
        let store = try stored()
        try store.commit(commit)
        let times = try kept(in: store).map(\.timestamp)
        #expect(times == [log.entries[2].timestamp, times[0].next, times[1].next])
        var later = Commit()
        later.logs = [keeper.record]
        later.logs[0].nextExpiry = 77
        try store.commit(later)
        let record = try #require(try store.snapshot().logs.first { $0.logID == keeper.logID })
        #expect(record.head == LogHead(sequence: 3, chain: keeper.record.head.chain, timestamp: times[2]))
        #expect(record.nextExpiry == 77)
    }

    @Test("shows as deleted in the log that keeps it what was deleted in its own")
    func deleted() throws {
        let store = try stored()
        _ = try store.deleteContents(of: [log.messageID(3)], deviceID: identifier(9)) { .of(body: $0) }
        try store.commit(commit)
        let entry = try #require(try kept(in: store).first)
        #expect(entry.content == .withheld(log.entries[2].content.hash))
        #expect(entry.isDeleted)
        #expect(entry.timestamp == log.entries[2].timestamp)
    }

    @Test("brings nothing back that was deleted in the log that keeps it")
    func deletedInKeeper() throws {
        let store = try Store.inMemory()
        try store.commit(log.commit)
        var keeper = SampleLog(epoch: 6)
        keeper.append(at: 3)
        try store.commit(keeper.commit)
        _ = try store.deleteContents(of: [keeper.messageID(1)], deviceID: identifier(9)) { .of(body: $0) }
        let before = try kept(in: store)
        try store.commit(commit)
        #expect(try kept(in: store) == before)
    }

    @Test("is the same in the model of the store that simulations use")
    func model() throws {
        let store = try stored()
        var model = ModelStore()
        var first = log.commit
        first.failures = [3, 5].map {
            DeliveryFailure(
                messageID: log.messageID($0), recipientID: log.record.recipientID, reason: .cancelled, isWithheld: true)
        }
        for commit in [first, keeper.commit, commit, keeper.commit(from: 9)] { try model.commit(commit) }
        for commit in [commit, keeper.commit(from: 9)] { try store.commit(commit) }
        for logID in [log.logID, keeper.logID, successor.logID] {
            #expect(
                try store.entries(of: logID, from: 1, countLimit: 9, byteLimit: .max)
                    == model.entries(of: logID, from: 1, countLimit: 9, byteLimit: .max))
        }
        #expect(Set(try store.snapshot().logs) == Set(model.snapshot().logs))
        #expect(Set(try store.snapshot().failures) == Set(model.snapshot().failures))
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
        commit.withdrawnFailures = [
            Addressed(messageID: log.messageID(3), recipientID: log.record.recipientID)
        ]
        try store.commit(commit)
        #expect(try store.snapshot().failures.map(\.messageID) == [log.messageID(5)])
    }
}
