import GRDB
import GRDBSQLite
import Synchronization

/// Tells when the write-ahead log is to be written back into the database: beside the commits, and not inside one, whose message
/// would wait for it (https://sqlite.org/wal.html, section 2.2).
final class Checkpoints: Sendable {
    /// Pages that the log grows by between two attempts: SQLite's own measure.
    private static let pages: Int32 = 1000

    private struct State {
        /// What the log had after the last commit.
        var pages: Int32 = 0
        /// What it had at the last attempt, which those who were reading may have cut short.
        var tried: Int32 = 0
    }

    private let state = Mutex(State())

    /// From now on this connection writes nothing back by itself. It must be closed before this object goes.
    func watch(_ db: Database) {
        sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Checkpoints>.fromOpaque(context).takeUnretainedValue().grew(to: pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func grew(to pages: Int32) {
        state.withLock { state in
            // The log began anew.
            if pages < state.pages { state.tried = 0 }
            state.pages = pages
        }
    }

    var isDue: Bool { state.withLock { $0.pages - $0.tried >= Self.pages } }

    /// Writes back what no reader needs, and waits for nobody.
    func run(_ db: Database) {
        state.withLock { $0.tried = $0.pages }
        // What does not succeed now is tried again: all of it is in the log.
        do { _ = try db.checkpoint(.passive) } catch {}
    }
}
