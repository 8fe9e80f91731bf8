import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import EarshotStore

@Suite("A store that gives back memory")
struct StoreMemoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("goes on as before: it reads and writes, and waits for the disk")
    func goesOn() throws {
        let store = try Store(path: folder.file("history.db"))
        var log = SampleLog()
        for step in 1...20 as ClosedRange<UInt64> {
            log.append(at: Int64(step), body: Array(repeating: UInt8(step), count: 100))
            try store.commit(log.commit(from: step))
            store.releaseMemory()
            #expect(try store.isSynchronous)
            #expect(try store.entries(of: log.logID, from: 1, countLimit: 100, byteLimit: 1 << 20).count == Int(step))
        }
    }

    @Test("holds less than before")
    func holdsLess() throws {
        let store = try Store(path: folder.file("history.db"))
        var log = SampleLog()
        for step in 1...50 as ClosedRange<UInt64> {
            log.append(at: Int64(step), body: Array(repeating: 7, count: 16_384))
            try store.commit(log.commit(from: step))
        }
        let before = try store.cachedBytes
        store.releaseMemory()
        #expect(try store.cachedBytes < before / 4)
    }
}

extension Store {
    /// What the connection that writes keeps of the database's pages.
    fileprivate var cachedBytes: Int {
        get throws {
            database.unsafeReentrantWrite { db in
                var (now, most): (Int32, Int32) = (0, 0)
                sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_USED, &now, &most, 0)
                return Int(now)
            }
        }
    }
}
