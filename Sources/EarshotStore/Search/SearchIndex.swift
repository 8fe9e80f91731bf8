package import EarshotModel
import Foundation
import GRDB

/// What a message is found by.
package struct SearchedMessage: Hashable, Sendable {
    /// Its place in the order of arrival.
    package let cursor: Int64
    package let text: String
    package let conversationID: ConversationID
    package let authorID: UserID
    package let timestamp: HybridTimestamp

    package init(
        cursor: Int64, text: String, conversationID: ConversationID, authorID: UserID, timestamp: HybridTimestamp
    ) {
        self.cursor = cursor
        self.text = text
        self.conversationID = conversationID
        self.authorID = authorID
        self.timestamp = timestamp
    }
}

/// The words of all messages, in a database of their own (SQLite FTS5).
///
/// It holds nothing that the history does not hold, so it can be lost: whoever keeps it makes it anew. It is divided into
/// shards by the order of arrival. FTS5 keeps a deleted word until its parts of the index are merged; a shard is small
/// enough to be merged whenever something in it is erased.
///
/// One thread at a time may use it.
package final class SearchIndex {
    /// Places of the order of arrival that share a shard.
    static let shardPlaces: Int64 = 65_536
    /// Another number makes every index anew.
    private static let version = 1

    let path: String
    let database: DatabaseQueue
    /// How far it has followed the history.
    package internal(set) var position: SearchPosition
    let shardPlaces: Int64

    /// Opens an index, or makes an empty one. A file that is none, or of another version, is replaced.
    /// - Parameter path: `nil` for one that lives as long as the object, for tests.
    package convenience init(path: String?) throws(StoreError) {
        try self.init(path: path, shardPlaces: Self.shardPlaces)
    }

    init(path: String?, shardPlaces: Int64) throws(StoreError) {
        self.path = path ?? ":memory:"
        self.shardPlaces = shardPlaces
        do {
            (database, position) = try Self.open(path)
        } catch {
            let error = StoreError(error, path: self.path)
            guard let path, error.code == .damaged || error.code == .newer else { throw error }
            do {
                try Self.remove(path)
                (database, position) = try Self.open(path)
            } catch { throw StoreError(error, path: path) }
        }
    }

    /// Removes an index and what belongs to it.
    package static func remove(_ path: String) throws(StoreError) {
        for file in files(path) {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw StoreError(
                    code: .unavailable, message: "\(file) cannot be removed: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// The files of an index.
    package static func files(_ path: String) -> [String] { [path, path + "-wal", path + "-shm"] }

    /// Ends the use of the file.
    package func close() throws(StoreError) {
        do { try database.close() } catch { throw StoreError(error, path: path) }
    }

    /// Gives back what only makes searching quicker.
    package func releaseMemory() { database.releaseMemory() }

    private static func open(_ path: String?) throws -> (DatabaseQueue, SearchPosition) {
        let database: DatabaseQueue
        if let path {
            try Store.prepare(path)
            var configuration = Store.configuration
            // What a power cut takes away here is filled in again, so a commit need not wait for the disk.
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            }
            database = try DatabaseQueue(path: path, configuration: configuration)
        } else {
            database = try DatabaseQueue(configuration: Store.configuration)
        }
        let position = try database.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            if version == 0 {
                try db.execute(sql: schema)
            } else if version != Self.version {
                throw StoreError.newer(path: path ?? "")
            }
            return try Self.position(db)
        }
        return (database, position)
    }

    private static let schema = """
        CREATE TABLE state (
            cursor INTEGER NOT NULL, chain BLOB, change INTEGER NOT NULL, generation INTEGER NOT NULL
        ) STRICT;
        INSERT INTO state VALUES (0, NULL, 0, 0);
        CREATE TABLE message (
            cursor INTEGER PRIMARY KEY, text TEXT NOT NULL, scope TEXT NOT NULL, timestamp INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE party (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE) STRICT;
        CREATE TABLE shard (
            number INTEGER PRIMARY KEY, earliest INTEGER NOT NULL, latest INTEGER NOT NULL,
            holdsErased INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        PRAGMA user_version = \(version);
        """

    private static func position(_ db: Database) throws -> SearchPosition {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM state") else {
            throw StoreError.damaged("the search index has no position", path: "")
        }
        var position = SearchPosition()
        position.cursor = row["cursor"]
        position.chain = (row["chain"] as Data?).flatMap { ChainHash(bytes: Array($0)) }
        position.change = row["change"]
        position.generation = row["generation"]
        return position
    }

    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        do { return try database.read(body) } catch { throw StoreError(error, path: path) }
    }

    func write<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        do { return try database.write(body) } catch { throw StoreError(error, path: path) }
    }

    /// The table with the words of a shard.
    static func words(_ shard: Int64) -> String { "words\(shard)" }
}
