import EarshotModel
import EarshotSimulation
import Foundation
import GRDB
import TestSupport
import Testing

@testable import EarshotStore

@Suite("A damaged file")
struct DamageTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.db")
    }

    @Test("that is no database is refused and left byte for byte", arguments: [2, 15, 100, 4096, 100_000])
    func noDatabase(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        try refuses(Data([UInt8].random(count: count, using: &generator)))
    }

    @Test("whose first page was overwritten is refused and left byte for byte")
    func header() throws {
        var bytes = try sound()
        bytes.replaceSubrange(0..<100, with: Data(repeating: 0xaa, count: 100))
        try refuses(bytes)
    }

    @Test("whose list of tables was overwritten is refused and left byte for byte")
    func schema() throws {
        var bytes = try sound()
        bytes.replaceSubrange(100..<4096, with: Data(repeating: 0xaa, count: 3996))
        try refuses(bytes)
    }

    @Test("that was cut off is refused and left byte for byte")
    func truncated() throws {
        try refuses(try sound().prefix(4096 * 2))
    }

    @Test("is either refused and left byte for byte, or found out by the check of the whole file", arguments: 1..<12)
    func everyPage(page: Int) throws {
        var bytes = try sound()
        bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xaa, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: path))
        let store: Store
        do throws(StoreError) { store = try Store(path: path) } catch {
            #expect(error.code == .damaged)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
            return
        }
        do throws(StoreError) { #expect(try !store.integrityFindings().isEmpty) } catch {
            #expect(error.code == .damaged)
        }
    }

    @Test("whose rows hold what the schema forbids is refused with a word about what")
    func impossibleRow() throws {
        let store = try Store(path: path)
        try store.commit(SampleLog.at([1]).commit)
        try store.database.write { try $0.execute(sql: "UPDATE log SET headSequence = -1") }
        expect(.damaged) { try store.snapshot() }
    }

    @Test("written by a newer version is refused and left byte for byte")
    func newer() throws {
        let store = try Store(path: path)
        try store.database.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: from the future')")
        }
        try store.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        expect(.newer) { try Store(path: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("that cannot be opened is called unavailable, not damaged")
    func unavailable() throws {
        expect(.unavailable) { try Store(path: folder.file("no/such/folder/history.db")) }
        expect(.unavailable) { try Store(path: folder.path) }
    }

    /// A closed store's file with some pages in it.
    private func sound() throws -> Data {
        let store = try Store(path: path)
        var log = SampleLog()
        for time in Int64(1)...500 { log.append(at: time, body: [UInt8](repeating: 1, count: 200)) }
        try store.commit(log.commit)
        try store.close()
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private func refuses(_ bytes: Data, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try bytes.write(to: URL(fileURLWithPath: path))
        expect(.damaged, sourceLocation: sourceLocation) { try Store(path: path).snapshot() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, sourceLocation: sourceLocation)
    }
}
