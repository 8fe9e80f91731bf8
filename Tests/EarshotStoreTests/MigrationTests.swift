import EarshotModel
import EarshotProtocol
import Foundation
import GRDB
import TestSupport
import Testing

@testable import EarshotStore

@Suite("A database of the version before conversations had records")
struct MigrationTests {
    private let folder: TemporaryFolder
    private let path: String
    private let log = SampleLog.at([1, 2, 3, 4, 5])
    private let answer = SampleLog(device: 6, author: 4)
    private let stranger = SampleLog(conversation: 8, device: 7, author: 5)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.db")
        let database = try DatabaseQueue(path: path)
        var migrator = DatabaseMigrator()
        for migration in Schema.migrations.prefix(3) {
            migrator.registerMigration(migration.identifier, migrate: migration.migrate)
        }
        try migrator.migrate(database)
        try database.write(fill)
        try database.close()
    }

    /// A text, a body that says nothing, one that was deleted and one that was withheld; and a text of another encoder's,
    /// which writes the fields in another order and one that is not known. There are holes between their cursors.
    private var bodies: [[UInt8]?] {
        let time = HybridTimestamp(rawValue: 7)
        let text = EntryBody(timestamp: time, expiry: 9, content: .text("hello", headers: ["a": "b"])).encoded()
        let empty = EntryBody(timestamp: time, expiry: 9, content: .unknown).encoded()
        let other: [UInt8] = [0x1a, 3, 0x0a, 1, 0x61] + [0x20, 0xff, 1] + empty
        return [text, empty, nil, nil, [0x22, 1, 0x1a] + other]
    }

    /// The log that this node's user writes to user 4, who writes one too, and one that user 5 has begun.
    private func fill(_ db: Database) throws {
        try insert(log.record, number: 11, peer: 4, db)
        try insert(answer.record, number: 12, peer: 4, db)
        try insert(stranger.record, number: 13, peer: 5, db)
        try db.execute(
            sql: """
                INSERT INTO delivery VALUES (11, ?, 4, 3, 2, 1, ?, ?, ?);
                INSERT INTO delivery VALUES (12, ?, 0, 0, 1, 0, NULL, NULL, NULL);
                INSERT INTO failure VALUES (11, 4, 'expired', 1);
                """,
            arguments: [
                data(4), log.entries[1].chain.data, data(41), Data(signature(42).bytes), log.record.authorID.data,
            ])
        for (entry, body) in zip(log.entries, bodies) {
            try db.execute(
                sql: "INSERT INTO entry VALUES (?, 11, ?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    Int64(entry.sequence) * 10, Int64(entry.sequence), Int64(entry.timestamp.rawValue), entry.expiry,
                    entry.chain.data, entry.checkpoint.map { Data($0.bytes) }, body == nil ? entry.chain.data : nil,
                    body.map { Data($0) }, entry.sequence == 3,
                ])
        }
    }

    private func insert(_ record: LogRecord, number: Int64, peer: UInt8, _ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO log VALUES (?, ?, ?, ?, 7, ?, ?, ?, ?, ?, 99)",
            arguments: [
                number, record.logID.data, record.description.conversationID.data, record.description.deviceID.data,
                record.authorID.data, data(peer), Int64(record.head.sequence), record.head.chain.data,
                Int64(record.head.timestamp.rawValue),
            ])
    }

    private func data(_ number: UInt8) -> Data { Data(repeating: number, count: 32) }

    @Test("has the participants of each conversation, this node's own user among them")
    func participants() throws {
        let logs = try Store(path: path).snapshot().logs
        #expect(Set(logs.map(\.logID)) == Set([log, answer, stranger].map(\.logID)))
        for record in logs {
            let peer: UserID = identifier(record.logID == stranger.logID ? 5 : 4)
            #expect(record.conversation.kind == .direct)
            #expect(record.conversation.conversationID == record.description.conversationID)
            #expect(record.conversation.participantIDs == [identifier(3), peer])
            #expect(record.recipientID == (record.authorID == peer ? identifier(3) : peer))
        }
    }

    @Test("knows for whom a message has failed, and whose device has signed which receipt")
    func deliveries() throws {
        let store = try Store(path: path)
        let snapshot = try store.snapshot()
        #expect(
            snapshot.failures == [
                DeliveryFailure(
                    messageID: log.messageID(4), recipientID: identifier(4), reason: .expired, isWithheld: true)
            ])
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered, progress.read) = (4, 3, 2, 1)
        progress.receipt = Receipt(
            logID: log.logID, sequence: 2, chain: log.entries[1].chain, readSequence: 1, deviceID: identifier(41),
            signature: signature(42))
        let delivery = DeliveryRecord(logID: log.logID, recipientID: identifier(4), progress: progress)
        #expect(snapshot.deliveries.filter { $0.logID == log.logID } == [delivery])
        let own = snapshot.deliveries.filter { $0.logID == answer.logID }
        #expect(own.map(\.progress.delivered) == [1] && own.map(\.progress.receipt) == [nil])

        // The withheld one has failed, the erased one waits for nobody, and the first two are delivered.
        let waiting = try store.undelivered(of: log.record.description.deviceID, limit: 9)
        #expect(waiting.map(\.entry.sequence) == [5] && waiting.allSatisfy { $0.recipientID == identifier(4) })
        #expect(try store.waiting(of: log.record.description.deviceID) == [identifier(4): 1])
    }

    @Test("keeps its entries, their order and their cursors, and each gets its kind")
    func entries() throws {
        let store = try Store(path: path)
        let entries = try store.entries(of: log.logID, from: 1, countLimit: 99, byteLimit: .max)
        #expect(entries.map(\.kind) == [.text, .unknown, .text, .unknown, .text])
        #expect(entries.map(\.isDeleted) == [false, false, true, false, false])
        #expect(entries.map(\.chain) == log.entries.map(\.chain))
        #expect(entries.map(\.timestamp) == log.entries.map(\.timestamp))
        #expect(entries.map(\.checkpoint) == log.entries.map(\.checkpoint))
        for (entry, body) in zip(entries, bodies) {
            #expect(entry.content == body.map(EntryContent.body) ?? .withheld(EntryHash(entry.chain.bytes32)))
        }
        for order in [HistoryOrder.time, .arrival] {
            let history = try store.history(of: log.conversationID, .latest, order: order, limit: 9)
            #expect(history?.map(\.cursor) == [10, 30, 50])
        }
        #expect(try store.integrityFindings() == [])
    }

    @Test("gives the next entry a cursor that none before it had")
    func cursors() throws {
        let store = try Store(path: path)
        try store.write { try $0.execute(sql: "DELETE FROM entry WHERE cursor = 50") }
        try store.commit(log.commit(from: 5))
        #expect(try store.row(of: log.messageID(5))?.cursor == 51)
    }

    @Test("is read by nobody before a node has brought it up to date")
    func reading() throws {
        expect(.unavailable) { try Store.reading(path: path) }
        try Store(path: path).close()
        #expect(try Store.reading(path: path).snapshot().logs.count == 3)
    }
}
