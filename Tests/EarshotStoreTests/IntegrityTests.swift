import EarshotModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import EarshotStore

@Suite("The check of a file")
struct IntegrityTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.db")
    }

    @Test("of a database that is not there says so, and makes none")
    func absent() throws {
        #expect(try Store.integrityFindings(ofFile: path) { _ in true } == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("of a sound one finds nothing and changes no byte, whether or not a store is open")
    func sound() throws {
        let store = try Store(path: path)
        try store.commit(log())
        let open = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try Store.integrityFindings(ofFile: path) { _ in true } == [])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == open)
        try store.close()
        let closed = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try Store.integrityFindings(ofFile: path) { _ in true } == [])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == closed)
    }

    @Test("finds a page that was overwritten, and leaves it", arguments: 0..<12)
    func damaged(page: Int) throws {
        let store = try Store(path: path)
        try store.commit(log())
        try store.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xaa, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: path))
        do throws(StoreError) {
            #expect(try Store.integrityFindings(ofFile: path) { _ in true }?.isEmpty == false)
        } catch {
            #expect(error.code == .damaged)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test("refuses one of a newer version, and rows that the schema forbids")
    func rows() throws {
        let store = try Store(path: path)
        try store.commit(SampleLog.at([1]).commit)
        try store.database.write { try $0.execute(sql: "UPDATE log SET headSequence = -1") }
        expect(.damaged) { try Store.integrityFindings(ofFile: path) { _ in true } }
        try store.database.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: from the future')")
        }
        expect(.newer) { try Store.integrityFindings(ofFile: path) { _ in true } }
    }

    private func log() -> Commit {
        var log = SampleLog()
        for time in Int64(1)...500 { log.append(at: time, body: [UInt8](repeating: 1, count: 200)) }
        return log.commit
    }
}
