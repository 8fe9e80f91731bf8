import EarshotModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import EarshotStore

@Suite("A database of the version before the journal")
struct JournalMigrationTests {
    private let folder: TemporaryFolder
    private let path: String
    private let log = SampleLog.at([1, 2, 3])
    private let added = ["journal", "stateTime", "consumer", "setAside", "scheduled", "token"]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.db")
        let database = try DatabaseQueue(path: path)
        var migrator = DatabaseMigrator()
        for migration in Schema.migrations.prefix(4) {
            migrator.registerMigration(migration.identifier, migrate: migration.migrate)
        }
        try migrator.migrate(database)
        try database.write(fill)
        try database.close()
    }

    private func fill(_ db: Database) throws {
        let (record, conversation) = (log.record, log.record.conversation)
        try db.execute(
            sql: "INSERT INTO conversation VALUES (?, 'direct')", arguments: [conversation.conversationID.data])
        for userID in conversation.participantIDs {
            try db.execute(
                sql: "INSERT INTO participant VALUES (?, ?)",
                arguments: [conversation.conversationID.data, userID.data])
        }
        try db.execute(
            sql: """
                INSERT INTO log (number, logID, conversationID, deviceID, epoch, authorID, headSequence, headChain,
                    headTimestamp, nextExpiry) VALUES (1, ?, ?, ?, 7, ?, ?, ?, ?, ?)
                """,
            arguments: [
                record.logID.data, conversation.conversationID.data, record.description.deviceID.data,
                record.authorID.data, Int64(record.head.sequence), record.head.chain.data,
                Int64(record.head.timestamp.rawValue), record.nextExpiry,
            ])
        for entry in log.entries {
            try db.execute(
                sql: """
                    INSERT INTO entry (log, sequence, timestamp, expiry, kind, chain, checkpoint, body, isDeleted)
                    VALUES (1, ?, ?, ?, 1, ?, ?, ?, 0)
                    """,
                arguments: [
                    Int64(entry.sequence), Int64(entry.timestamp.rawValue), entry.expiry, entry.chain.data,
                    entry.checkpoint.map { Data($0.bytes) }, Data([1, 2, 3] as [UInt8]),
                ])
        }
    }

    private func count(_ rows: String, in store: Store) throws -> Int? {
        try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(rows)") }
    }

    private func generations(of store: Store) throws -> [Int64] {
        try store.read { try Int64.fetchAll($0, sql: "SELECT generation FROM journalGeneration") }
    }

    @Test("keeps its entries, none of which has a key, and gets tables that are empty")
    func tables() throws {
        let store = try Store(path: path)
        #expect(try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max) == log.entries)
        #expect(try store.integrityFindings() == [])
        #expect(try count("entry WHERE key IS NULL", in: store) == 3)
        #expect(try added.map { try count($0, in: store) } == added.map { _ in 0 })
    }

    @Test("gets one generation, which it keeps")
    func generation() throws {
        func opened() throws -> [Int64] {
            let store = try Store(path: path)
            let generations = try generations(of: store)
            try store.close()
            return generations
        }
        let first = try opened()
        #expect(first.count == 1 && first != [0])
        #expect(try opened() == first)
    }

    @Test("takes an idempotency key for one entry only")
    func keys() throws {
        let store = try Store(path: path)
        let key = Data(repeating: 1, count: 16)
        try store.write { try $0.execute(sql: "UPDATE entry SET key = ? WHERE sequence = 1", arguments: [key]) }
        expect(.unavailable) {
            try store.write { try $0.execute(sql: "UPDATE entry SET key = ? WHERE sequence = 2", arguments: [key]) }
        }
    }

    @Test("loses nothing but what belongs to one home to a copy, which gets a generation of its own")
    func copy() throws {
        let store = try Store(path: path)
        try store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO journal (time, kind) VALUES (1, 1);
                    INSERT INTO stateTime VALUES (1, x'04', 1, 3, 1);
                    INSERT INTO consumer (name, cursor, createdAt) VALUES ('watcher', 3, 1);
                    INSERT INTO setAside VALUES ('watcher', 2, 'never acknowledged', 1);
                    INSERT INTO scheduled VALUES (zeroblob(16), zeroblob(32), 9, x'03', NULL, 1);
                    INSERT INTO token (tokenID, name, hash, scopes, createdAt) VALUES ('a', 'phone', x'736563726574', 'read', 1);
                    """)
        }
        let target = folder.file("copy.db")
        try Store.copy(file: path, to: target)
        let copy = try Store(path: target)
        let counts = try added.map { try count($0, in: copy) }
        #expect(counts == [0, 1, 0, 0, 1, 0])
        #expect(try generations(of: copy) != generations(of: store))
        #expect(try copy.entryCount() == 3)
        try copy.close()
        // Zeros took the place of what was removed.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: target))
        #expect(bytes.range(of: Data("watcher".utf8)) == nil && bytes.range(of: Data("secret".utf8)) == nil)
    }
}
