import EarshotModel
import EarshotProtocol
import EarshotSimulation
import Testing

@testable import EarshotStore

@Suite("A log whose last entries get new times")
struct RetimedEntriesTests {
    /// Three messages; the second is only a hash.
    private let log: SampleLog
    private var commit: Commit {
        var (head, entries) = (log.entries[0].chain, [RetimedEntries.Entry]())
        for (index, entry) in log.entries.enumerated().dropFirst() {
            let timestamp = HybridTimestamp(milliseconds: 50, counter: UInt16(index))
            head = head.appending(entry.content.retimed(to: timestamp)?.hash ?? entry.content.hash)
            entries.append(RetimedEntries.Entry(timestamp: timestamp, chain: head, hasBody: index == 2))
        }
        var commit = Commit()
        commit.logs = [log.record]
        commit.logs[0].head = LogHead(sequence: 3, chain: head, timestamp: entries[1].timestamp)
        commit.retimed = [
            RetimedEntries(logID: log.logID, after: 1, entries: entries, checkpoint: signature(6))
        ]
        return commit
    }

    init() throws {
        var log = SampleLog()
        for time in 1...3 as ClosedRange<Int64> {
            let body = EntryBody(
                timestamp: HybridTimestamp(milliseconds: time), expiry: 9, content: .text("\(time)", headers: [:]))
            log.append(at: time, expiry: 9, body: body.encoded(), isWithheld: time == 2)
        }
        self.log = log
    }

    @Test("has them in each body, too, and is otherwise as it was")
    func newTimes() throws {
        let store = try Store.inMemory()
        try store.commit(log.commit)
        try store.commit(commit)
        let entries = try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max)
        #expect(entries[0] == log.entries[0])
        let new = try #require(commit.retimed.first).entries
        #expect(entries[1...].map(\.timestamp) == new.map(\.timestamp))
        #expect(entries[1...].map(\.chain) == new.map(\.chain))
        #expect(entries[1...].map(\.checkpoint) == [nil, signature(6)])
        #expect(entries[1].content == log.entries[1].content)
        guard case .body(let bytes) = entries[2].content else {
            Issue.record("the body is gone")
            return
        }
        let body = try EntryBody(decoding: bytes)
        #expect(body.timestamp == new[1].timestamp && body.expiry == 9 && body.content == .text("3", headers: [:]))
        #expect(try store.snapshot().logs.map(\.head) == commit.logs.map(\.head))

        var model = ModelStore()
        try model.commit(log.commit)
        try model.commit(commit)
        #expect(model.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max) == entries)
    }

    @Test("stays as it was where a content was deleted since it was read: its hash has the old time in it")
    func deletedMeanwhile() throws {
        let store = try Store.inMemory()
        var first = log.commit
        first.failures = [
            DeliveryFailure(
                messageID: log.messageID(3), recipientID: log.record.recipientID, reason: .cancelled, isWithheld: true)
        ]
        try store.commit(first)
        let outcome = try store.deleteContents(of: [log.messageID(3)], deviceID: log.record.description.deviceID) {
            .of(body: $0)
        }
        #expect(outcome.deletedCount == 1)
        let before = try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max)
        #expect(throws: StoreError.self) { try store.commit(commit) }
        #expect(try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max) == before)
    }
}
