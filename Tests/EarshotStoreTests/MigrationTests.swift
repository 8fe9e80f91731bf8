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

    private func fill(_ db: Database) throws {
        let head = log.record.head
        try db.execute(
            sql: "INSERT INTO log VALUES (11, ?, ?, ?, 7, ?, ?, ?, ?, ?, 99)",
            arguments: [
                log.logID.data, log.conversationID.data, log.record.description.deviceID.data,
                log.record.authorID.data, log.record.peerID.data, Int64(head.sequence), head.chain.data,
                Int64(head.timestamp.rawValue),
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
        #expect(try Store.reading(path: path).snapshot().logs.map(\.logID) == [log.logID])
    }
}
