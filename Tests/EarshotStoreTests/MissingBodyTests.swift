import EarshotModel
import EarshotProtocol
import EarshotSimulation
import GRDB
import Testing

@testable import EarshotStore

@Suite("An entry without its body")
struct MissingBodyTests {
    private let store: Store
    private var model = ModelStore()
    /// Five entries of somebody else in an open conversation, the second to fourth without bodies.
    private let log: LogRecord
    private let entries: [EntryRecord]
    private let bodies: [EntryRecord]

    init() throws {
        store = try Store.inMemory()
        let sample = SampleLog.at([10, 20, 30, 40, 50])
        bodies = sample.entries
        log = LogRecord(
            description: sample.record.description, authorID: sample.record.authorID,
            conversation: ConversationRecord(
                conversationID: sample.conversationID, kind: .open, participantIDs: [], uniqueName: "general"),
            head: sample.record.head)
        entries = sample.entries.map { entry in
            guard (2...4).contains(entry.sequence) else { return entry }
            return EntryRecord(
                sequence: entry.sequence,
                timestamp: HybridTimestamp(rawValue: sample.entries[0].timestamp.rawValue + entry.sequence - 1),
                expiry: .max, kind: .unknown, content: .withheld(entry.content.hash), chain: entry.chain,
                checkpoint: entry.checkpoint)
        }
        try commit { [log, entries] in
            $0.conversations = [
                OpenConversationRecord(
                    conversationID: sample.conversationID, uniqueName: "general", isJoined: true)
            ]
            $0.logs = [log]
            $0.entries = [LogEntries(logID: log.logID, entries: entries)]
        }
    }

    private mutating func commit(_ fill: (inout Commit) -> Void) throws {
        var commit = Commit()
        fill(&commit)
        try store.commit(commit)
        try model.commit(commit)
    }

    private mutating func complete(_ entries: EntryRecord...) throws {
        try commit { [log] in $0.bodies = [LogEntries(logID: log.logID, entries: entries)] }
    }

    private func held() throws -> [EntryRecord] {
        let held = try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max)
        #expect(model.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max) == held)
        #expect(try model.snapshot().missing == store.snapshot().missing)
        return held
    }

    @Test("is not shown, and known as missing after a start")
    func missing() throws {
        #expect(try store.snapshot().missing == [log.logID: SequenceSet(2...4)])
        #expect(try store.history(of: log.description.conversationID, .latest, limit: 9)?.count == 2)
    }

    @Test("gets it at any time, and those that still lack theirs come later than it")
    mutating func completed() throws {
        try complete(bodies[1])
        let held = try held()
        #expect(held[1] == bodies[1])
        #expect(held[2].timestamp.rawValue == bodies[1].timestamp.rawValue + 1)
        #expect(held[3].timestamp.rawValue == bodies[1].timestamp.rawValue + 2)
        #expect(held[4] == bodies[4])
        #expect(try store.snapshot().missing == [log.logID: SequenceSet(3...4)])
        try complete(bodies[2], bodies[3])
        #expect(try self.held() == bodies)
        #expect(try store.history(of: log.description.conversationID, .latest, limit: 9)?.count == 5)
    }

    @Test("makes the end of its log later, if nothing with a body follows")
    mutating func end() throws {
        var sample = SampleLog(device: 9)
        let first = sample.append(at: 10, isWithheld: true)
        sample.append(at: 11, isWithheld: true)
        let record = LogRecord(
            description: sample.record.description, authorID: sample.record.authorID, conversation: log.conversation,
            head: sample.record.head)
        try commit {
            $0.logs = [record]
            $0.entries = [LogEntries(logID: record.logID, entries: sample.entries)]
        }
        let late = EntryRecord(
            sequence: 1, timestamp: HybridTimestamp(milliseconds: 500), expiry: .max, kind: .text,
            content: .body([1, 2, 3]), chain: first.chain)
        try commit { $0.bodies = [LogEntries(logID: record.logID, entries: [late])] }
        let expected = HybridTimestamp(rawValue: late.timestamp.rawValue + 1)
        #expect(try store.snapshot().logs.first { $0.logID == record.logID }?.head.timestamp == expected)
        #expect(model.snapshot().logs.first { $0.logID == record.logID }?.head.timestamp == expected)
    }

    @Test("is missing no longer where its author has marked that it withholds it")
    mutating func marked() throws {
        var entry = entries[1]
        entry.mark = signature(7)
        try complete(entry)
        #expect(try held()[1].mark == signature(7))
        #expect(try store.snapshot().missing == [log.logID: SequenceSet(3...4)])
    }

    @Test("keeps the time that bodies before it have given it where its author's mark comes after them")
    mutating func markedLate() throws {
        // Both were looked for at once, before either was here.
        var entry = entries[2]
        entry.mark = signature(7)
        try complete(bodies[1], entry)
        let times = try held().map(\.timestamp)
        #expect(times[2] == times[1].next && times == times.sorted())
    }

    @Test("stays without it where it was erased here")
    mutating func erased() throws {
        try store.write { try $0.execute(sql: "UPDATE entry SET isDeleted = 1 WHERE sequence = 2") }
        var commit = Commit()
        commit.bodies = [LogEntries(logID: log.logID, entries: [bodies[1]])]
        try store.commit(commit)
        let held = try store.entries(of: log.logID, from: 2, countLimit: 1, byteLimit: .max)
        #expect(held.first?.content == .withheld(bodies[1].content.hash))
    }

    @Test("is named in receipts and progress, which the disk keeps")
    mutating func receipts() throws {
        var missing = SequenceSet(2...3)
        missing.insert(9)
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered, progress.missing) = (9, 9, 9, missing)
        let receipt = Receipt(
            logID: log.logID, sequence: 9, chain: identifier(1), readSequence: 0, missing: missing,
            deviceID: identifier(8), signature: signature(8))
        progress.receipt = receipt
        let record = DeliveryRecord(logID: log.logID, recipientID: identifier(4), progress: progress)
        try commit {
            $0.deliveries = [record]
            $0.receipts = [receipt]
        }
        #expect(try store.snapshot().deliveries == [record] && store.snapshot().receipts == [receipt])
        let complete = try store.read { db in
            try Int.fetchOne(db, sql: "SELECT \(DeliveryColumns.complete) FROM delivery")
        }
        #expect(complete == 1)
    }
}
