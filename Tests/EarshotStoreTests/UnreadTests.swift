import EarshotModel
import EarshotProtocol
import GRDB
import Testing

@testable import EarshotStore

@Suite("What is unread")
struct UnreadTests {
    /// Two logs of others in one conversation, at 10 30 50 and at 20 40 60.
    private let odd = SampleLog.at([10, 30, 50], device: 1)
    private let even = SampleLog.at([20, 40, 60], device: 2)
    private let reader: UserID = identifier(4)

    private func opened(_ logs: [SampleLog]) throws -> Store {
        let store = try Store.inMemory()
        for log in logs { try store.commit(log.commit) }
        return store
    }

    private func mark(_ log: SampleLog, through sequence: UInt64, in store: Store) throws {
        var progress = DeliveryProgress()
        (progress.delivered, progress.read) = (max(sequence, UInt64(log.entries.count)), sequence)
        var commit = Commit()
        commit.deliveries = [DeliveryRecord(logID: log.logID, recipientID: reader, progress: progress)]
        try store.commit(commit)
    }

    private func times(in store: Store, after: MessageID? = nil, limit: Int = 9) throws -> [Int64]? {
        try store.unread(in: odd.conversationID, by: reader, after: after, limit: limit)?
            .map(\.entry.timestamp.milliseconds)
    }

    /// The number in the summary of the conversation, and the time of the first message that it names.
    private func summary(in store: Store) throws -> (count: Int, first: Int64?) {
        let row = try #require(try store.conversation(odd.conversationID, readBy: reader))
        return (row.unreadCount, row.firstUnread?.entry.timestamp.milliseconds)
    }

    @Test("is what no read mark covers, log by log, ascending by time")
    func horizon() throws {
        let store = try opened([odd, even])
        #expect(try times(in: store) == [10, 20, 30, 40, 50, 60])
        try mark(odd, through: 2, in: store)
        #expect(try times(in: store) == [20, 40, 50, 60])
        #expect(try times(in: store, limit: 2) == [20, 40])
        #expect(try times(in: store, after: odd.messageID(2)) == [40, 50, 60])
        #expect(try summary(in: store) == (4, 20))
        try mark(odd, through: 3, in: store)
        try mark(even, through: 3, in: store)
        #expect(try times(in: store) == [])
        #expect(try summary(in: store) == (0, nil))
    }

    @Test("is also what comes late and sorts before all that was read")
    func late() throws {
        let store = try opened([even])
        try mark(even, through: 3, in: store)
        let late = SampleLog.at([1, 55], device: 7)
        try store.commit(late.commit)
        #expect(try summary(in: store) == (2, 1))
        #expect(try times(in: store, after: even.messageID(2)) == [55])
        #expect(try times(in: store, after: even.messageID(3)) == [])
    }

    @Test("is never what one has written oneself, what a history does not show, and what was erased")
    func exceptions() throws {
        var log = SampleLog.at([10])
        log.append(at: 20, kind: .unknown)
        log.append(at: 30, isWithheld: true)
        log.append(at: 40, kind: .branches)
        log.append(at: 50)
        log.append(at: 60)
        var own = SampleLog(device: 8, author: 4)
        own.append(at: 35)
        let store = try opened([log, own])
        #expect(try times(in: store) == [10, 50, 60])
        #expect(try summary(in: store) == (3, 10))
        _ = try store.deleteContents(of: [log.messageID(1), log.messageID(6)], deviceID: identifier(9))
        #expect(try times(in: store) == [50])
        #expect(try summary(in: store) == (1, 50))
        try mark(log, through: 5, in: store)
        #expect(try summary(in: store) == (0, nil))
    }

    @Test("begins behind the base of a branch, whose earlier entries are another's")
    func branch() throws {
        var branch = odd
        let base = LogHead(
            sequence: 1, chain: odd.entries[0].chain, timestamp: odd.entries[0].timestamp)
        let store = try opened([odd])
        branch.part(at: base)
        try store.commit(branch.commit(from: 2))
        try mark(odd, through: 3, in: store)
        #expect(try times(in: store) == [30, 50])
        #expect(try summary(in: store) == (2, 30))
        try mark(branch, through: 2, in: store)
        #expect(try summary(in: store) == (1, 50))
    }

    @Test("is not known after a message that the conversation does not hold")
    func unknown() throws {
        let foreign = SampleLog.at([15], conversation: 99, device: 3)
        let store = try opened([odd, foreign])
        #expect(try times(in: store, after: foreign.messageID(1)) == nil)
        #expect(try times(in: store, after: odd.messageID(9)) == nil)
    }

    @Test("is marked with the last shown message of each log that has unread ones")
    func all() throws {
        var odd = odd
        odd.append(at: 70, kind: .branches)
        let store = try opened([odd, even])
        try mark(even, through: 3, in: store)
        #expect(try store.unmarked(in: odd.conversationID, by: reader) == [odd.messageID(3)])
        try mark(odd, through: 3, in: store)
        #expect(try store.unmarked(in: odd.conversationID, by: reader) == [])
    }

    @Test("is counted in an index that has none of it, so 100,000 unread messages are not read")
    func cost() throws {
        let store = try opened([SampleLog.at(0..<100_000, device: 1)])
        #expect(try summary(in: store) == (100_000, 0))
        let plan = try store.database.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(HistoryReader.unshownCount)", arguments: [1, 0])
                .map { $0["detail"] as String }
        }
        #expect(plan == ["SEARCH entry USING INDEX unshownEntry (log=? AND sequence>?)"])
    }
}
