import EarshotFiles
import EarshotStore
import Logging
import Synchronization

/// Compares what lies on the disk with what messages bring along, when a node begins and now and then, and removes what nobody
/// needs.
final class FileTidying: Sendable {
    /// How often, in milliseconds.
    private static let interval: Int64 = 3600 * 1000
    /// For so long a file stays that no message brings along: in milliseconds, a day. One that was added may still be sent.
    private static let unnamedFor: Int64 = 24 * 3600 * 1000

    /// When that was last done: an uptime.
    private let doneAt = Mutex<Int64?>(nil)

    /// - Parameter fetched: files that are fetched now, of which nothing is removed.
    func tidyIfDue(of node: Node, except fetched: Set<FileID>) async {
        let now = node.environment.clock.now.uptime
        let isDue = doneAt.withLock { doneAt in
            guard doneAt.map({ now - $0 >= Self.interval }) ?? true else { return false }
            doneAt = now
            return true
        }
        guard isDue else { return }
        let waiting = await node.drafts.all().map(\.content) + node.messages.scheduled().map(\.draft)
        let kept = Set(waiting.flatMap(\.attachments).map(\.fileID))
        let (store, files, time) = (
            node.store, node.shell.storage.fileDisk.files, node.environment.clock.now.wallClock
        )
        do throws(EarshotError) {
            try await node.writingHome { () throws(EarshotError) in
                do throws(FilesError) {
                    try Self.removeUnnamed(before: time - Self.unnamedFor, except: kept, store, files)
                    try Self.removeOldPartials(
                        before: Int(time / 1000) - Limits.partialFileSeconds, except: fetched, store, files)
                } catch { throw EarshotError(error) }
            }
        } catch {
            node.configuration.logger.warning(
                "the files on the disk cannot be compared with the database", metadata: ["error": "\(error)"])
        }
    }

    /// Removes what no message brings along any more, nor one that waits to be sent, and forgets that files are held which are
    /// not: a database that was restored from a backup comes without them.
    private static func removeUnnamed(
        before time: Int64, except kept: Set<FileID>, _ store: Store, _ files: FileStore
    ) throws(FilesError) {
        let held = Set(try files.all())
        do throws(StoreError) {
            for fileID in try store.heldFiles() where !held.contains(fileID) { try store.forget(fileID) }
        } catch { throw FilesError(error) }
        let unnamed: [FileID]
        do throws(StoreError) { unnamed = try store.unnamedFiles(before: time) } catch { throw FilesError(error) }
        for fileID in unnamed where !kept.contains(fileID) {
            // First what the disk has: a row without it is removed at the next start.
            try files.remove(fileID)
            do throws(StoreError) {
                try store.forget(fileID)
                try store.note(.nowhere, of: fileID)
            } catch { throw FilesError(error) }
        }
    }

    /// Removes what came of files that no message brings along any more, or of which nothing has come for long.
    private static func removeOldPartials(
        before time: Int, except fetched: Set<FileID>, _ store: Store, _ files: FileStore
    ) throws(FilesError) {
        try files.removeHeldPartials(except: fetched)
        var removed = try files.removePartials(before: time, limit: Limits.partialFiles, except: fetched)
        for fileID in try files.partials() where !fetched.contains(fileID) {
            let isNamed: Bool
            do throws(StoreError) { isNamed = try !store.messages(with: fileID).isEmpty } catch {
                throw FilesError(error)
            }
            guard !isNamed else { continue }
            try files.discard(fileID)
            removed.insert(fileID)
        }
        for fileID in removed.subtracting(try files.all()) {
            do throws(StoreError) { try store.note(.nowhere, of: fileID) } catch { throw FilesError(error) }
        }
    }
}
