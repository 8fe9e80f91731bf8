public import EarshotModel
import GRDB

/// The owner of a node's database: users, logs, entries and how far they were delivered.
///
/// Write-ahead logging with `synchronous=FULL`: when `commit` returns, the commit is on the disk.
/// Writes are serial; reads run beside them and see the last commit.
public final class Store: Sendable {
    /// Where the database is, or `:memory:`.
    public let path: String
    let database: any DatabaseWriter

    /// Opens the database, or makes it, and brings its tables up to date.
    /// - Throws: `StoreError`; a damaged file is left as it is.
    public convenience init(path: String) throws(StoreError) {
        try self.init(path: path) { try DatabasePool(path: path, configuration: Self.configuration) }
    }

    /// A database that ends with the object: for tests and for simulation.
    public static func inMemory() throws(StoreError) -> Store {
        try Store(path: ":memory:") { try DatabaseQueue(configuration: configuration) }
    }

    private init(path: String, open: () throws -> any DatabaseWriter) throws(StoreError) {
        self.path = path
        do {
            database = try open()
            let migrator = Schema.migrator
            guard try !database.read(migrator.hasBeenSuperseded) else {
                throw StoreError(code: .newer, message: "the database \(path) was written by a newer version")
            }
            try migrator.migrate(database)
            // After opening, not in `prepareDatabase`: a pool sets NORMAL when it turns on write-ahead logging,
            // and that syncs at checkpoints only.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "earshot.store"
        configuration.busyMode = .timeout(5)
        return configuration
    }

    /// Ends every use of the file, after what runs.
    public func close() throws(StoreError) {
        do { try database.close() } catch { throw StoreError(error, path: path) }
    }

    /// Checks the whole file, which takes a time that grows with it.
    /// - Returns: what is wrong, nothing for a sound file.
    public func integrityFindings() throws(StoreError) -> [String] {
        try read { db in
            let rows = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            return rows == ["ok"] ? [] : rows
        }
    }

    /// Whether a commit waits for the disk itself.
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
