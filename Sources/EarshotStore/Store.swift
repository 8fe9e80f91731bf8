package import EarshotModel
import Foundation
import GRDB
import Synchronization

/// The owner of a node's database: users, logs, entries and their delivery.
///
/// It uses write-ahead logging with `synchronous=FULL`: when `commit` returns, the commit is on the disk. Writes are
/// serial; reads run beside them and see the last commit.
package final class Store: Sendable {
    /// The path of the database, or `:memory:`.
    package let path: String
    let database: any DatabaseWriter
    let memory = CommitMemory()
    let checkpoints = Checkpoints()
    /// For whoever overwrites what could not be overwritten at once.
    package let erasures = OwedErasures()
    /// How many write, or wait for their turn.
    let writers = Atomic(0)

    /// Opens the database, or makes it, and brings its tables up to date.
    /// - Throws: `StoreError`; a damaged file is left as it is.
    package convenience init(path: String) throws(StoreError) {
        _ = try Self.inspect(path)
        try self.init(inspected: path)
    }

    /// Opens the database with what a node starts from, which is read once. Nobody else may write to it meanwhile.
    /// - Throws: as `init(path:)`.
    package static func open(path: String) throws(StoreError) -> (store: Store, snapshot: Snapshot) {
        let inspected = try inspect(path)
        let store = try Store(inspected: path)
        if let inspected { return (store, inspected) }
        return (store, try store.snapshot())
    }

    private convenience init(inspected path: String) throws(StoreError) {
        try self.init(path: path) {
            try Self.prepare(path)
            return try DatabasePool(path: path, configuration: Self.configuration)
        }
    }

    /// Opens a database for reading only; a node may use it meanwhile.
    /// - Throws: `StoreError`: `newer`; `unavailable` for a file that is missing or of an older version.
    package static func reading(path: String) throws(StoreError) -> Store {
        do {
            var configuration = Self.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try database.read { db in
                guard try !Schema.migrator.hasBeenSuperseded(db) else { throw StoreError.newer(path: path) }
                guard try Schema.migrator.hasCompletedMigrations(db) else { throw StoreError.older(path: path) }
            }
            return Store(path: path, database: database)
        } catch { throw StoreError(error, path: path) }
    }

    private init(path: String, database: any DatabaseWriter) {
        self.path = path
        self.database = database
    }

    /// A database that lives as long as the object, for tests and simulation.
    package static func inMemory() throws(StoreError) -> Store {
        try Store(path: inMemoryPath) { try DatabaseQueue(configuration: configuration) }
    }

    private static let inMemoryPath = ":memory:"

    /// A copy of what is committed now, which lives as long as the object, for tests and simulation.
    package func inMemoryCopy() throws(StoreError) -> Store {
        let copy = try Store.inMemory()
        do { try database.backup(to: copy.database) } catch { throw StoreError(error, path: path) }
        return copy
    }

    private init(path: String, open: () throws -> any DatabaseWriter) throws(StoreError) {
        self.path = path
        do {
            database = try open()
            try Schema.migrator.migrate(database)
            // Set after opening, not in `prepareDatabase`: when a pool turns on write-ahead logging, it sets NORMAL,
            // which syncs only at checkpoints.
            try database.writeWithoutTransaction { [checkpoints] db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                if path != Self.inMemoryPath { checkpoints.watch(db) }
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Reads what a node starts from, without the right to write, because opening a file for writing changes it.
    /// - Returns: `nil` for a file that is not there, or of an older version.
    /// - Throws: `StoreError` if the file is damaged or of a newer version.
    private static func inspect(_ path: String) throws(StoreError) -> Snapshot? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            var configuration = Self.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let snapshot: Snapshot? = try database.read { db in
                guard try !Schema.migrator.hasBeenSuperseded(db) else { throw StoreError.newer(path: path) }
                guard try Schema.migrator.hasCompletedMigrations(db) else { return nil }
                return try Snapshot(db, Rows(path: path))
            }
            try database.close()
            return snapshot
        } catch { throw StoreError(error, path: path) }
    }

    /// Makes an empty file that is its owner's alone; the database's other files take its mode.
    static func prepare(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let isMade = FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade else {
            throw StoreError(code: .unavailable, message: "the database \(path) cannot be made")
        }
    }

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "earshot.store"
        configuration.busyMode = .timeout(5)
        // Deleted data is overwritten with zeros, and not only forgotten.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
        return configuration
    }

    /// Waits for what runs, ends every use of the file, and leaves everything that was committed in that one file.
    package func close() throws(StoreError) {
        do {
            // A pool closes its writer before its readers, and the last reader to close could not do this.
            let checkpoint = Result { try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
            try database.close()
            try checkpoint.get()
        } catch { throw StoreError(error, path: path) }
    }

    /// Gives back what only makes reading and writing quicker. Waits for what runs.
    package func releaseMemory() {
        switch database {
        case let pool as DatabasePool: pool.releaseMemory()
        case let queue as DatabaseQueue: queue.releaseMemory()
        default: break
        }
    }

    /// Checks the whole file. The time that it takes grows with the file.
    /// - Returns: what is wrong; empty for a sound file.
    package func integrityFindings() throws(StoreError) -> [String] {
        try read(Self.integrityFindings)
    }

    /// Checks a whole file, and the rows that a node starts from, without the right to write. A node may use it
    /// meanwhile.
    /// - Parameter isReadable: whether what the store keeps of a scheduled message is one.
    /// - Returns: what is wrong; empty for a sound file; `nil` if there is no file.
    /// - Throws: `StoreError`: `damaged` for a file that cannot be read as a database, `newer`, `unavailable`.
    package static func integrityFindings(
        ofFile path: String, isReadable: (ScheduledRecord) -> Bool
    ) throws(StoreError) -> [String]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            var configuration = Self.configuration
            configuration.readonly = true
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let findings = try database.read { db -> [String] in
                guard try !Schema.migrator.hasBeenSuperseded(db) else { throw StoreError.newer(path: path) }
                let findings = try integrityFindings(db)
                guard findings.isEmpty, try Schema.migrator.hasCompletedMigrations(db) else { return findings }
                let unreadable = try Snapshot(db, Rows(path: path)).scheduled.filter { !isReadable($0) }
                return unreadable.map { "the scheduled message \(ScheduledMessageID($0.scheduledID)) cannot be read" }
            }
            try database.close()
            return findings
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func integrityFindings(_ db: Database) throws -> [String] {
        let rows = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        return rows == ["ok"] ? [] : rows
    }

    /// Whether a commit waits for the disk.
    var isSynchronous: Bool {
        get throws(StoreError) {
            do {
                return try database.unsafeReentrantWrite { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2
            } catch { throw StoreError(error, path: path) }
        }
    }

    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        do { return try database.read(body) } catch { throw StoreError(error, path: path) }
    }
}
