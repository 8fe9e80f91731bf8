import EarshotFiles
import EarshotProtocol
import EarshotStore
import Logging
import Synchronization

/// Decides which files a node fetches, and when: those that its user asks for, and those that are small enough and come from
/// somebody whom they have written to. It holds nothing that the disk does not know: what was not decided about is looked at
/// again at the next start.
final class FileKeeper: Sendable {
    private struct Fetch {
        let byteCount: UInt64
        var receivedBytes: UInt64 = 0
        /// When its progress was last told: an uptime.
        var toldAt = Int64.min
    }

    private let fetches = Mutex<[FileID: Fetch]>([:])
    /// Something came that may have to be fetched, or there is room for it.
    private let signal = CommitSignal()

    /// A message came that brings files along, or what is fetched has changed.
    func look() { signal.signal() }

    /// How many bytes of a file are here; `nil` if it is not fetched now.
    func receivedBytes(of fileID: FileID) -> UInt64? { fetches.withLock { $0[fileID]?.receivedBytes } }

    // MARK: - Fetching

    /// Messages that bring along what is to be fetched, and are looked at together.
    private static let messagesAtOnce = 1024

    /// Fetches what is to be fetched, until the task is cancelled.
    func run(of node: Node) async {
        let (signals, end) = signal.waiter()
        defer { end.finish() }
        await compare(node)
        await fetchWhatIsDue(of: node)
        for await _ in signals { await fetchWhatIsDue(of: node) }
    }

    /// For so long a file stays that no message brings along: in milliseconds, a day. One that was added may still be sent.
    private static let unnamedFor: Int64 = 24 * 3600 * 1000

    /// Removes what no message brings along any more, and forgets that files are held which are not: a database that was restored from
    /// a backup comes without them.
    private func compare(_ node: Node) async {
        let (store, files) = (node.store, node.shell.fileDisk.files)
        let before = node.environment.clock.now.wallClock - Self.unnamedFor
        do throws(EarshotError) {
            try await node.writingHome { () throws(EarshotError) in
                do throws(StoreError) {
                    let held: Set<FileID>
                    do throws(FilesError) { held = Set(try files.all()) } catch { throw StoreError(error) }
                    for fileID in try store.heldFiles() where !held.contains(fileID) { try store.forget(fileID) }
                    for fileID in try store.unnamedFiles(before: before) {
                        // First what the disk has: a row without it is removed at the next start.
                        do throws(FilesError) { try files.remove(fileID) } catch { throw StoreError(error) }
                        try store.forget(fileID)
                    }
                } catch { throw EarshotError(error) }
            }
        } catch {
            node.configuration.logger.warning("the files on the disk cannot be compared with the database", metadata: ["error": "\(error)"])
        }
    }

    private func fetchWhatIsDue(of node: Node) async {
        do throws(EarshotError) { try await beginFetches(of: node) } catch {
            node.configuration.logger.warning(
                "files that are to be fetched cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    private func beginFetches(of node: Node) async throws(EarshotError) {
        let (store, largest) = (node.store, node.configuration.fetchedFileBytes)
        let files = try await node.readStore { () throws(StoreError) in
            try store.filesToFetch(unaskedUpTo: largest, by: node.userID, limit: Self.messagesAtOnce)
        }
        for (file, isWanted) in files {
            guard fetches.withLock({ $0.count < Limits.concurrentFetches && $0[file.fileID] == nil }) else { continue }
            guard let shape = FileShape(byteCount: file.byteCount) else { continue }
            if try await node.files.take(file.fileID, byteCount: file.byteCount) { continue }
            guard isWanted ? true : await node.files.isTakenUnasked(file) else { continue }
            fetches.withLock { $0[file.fileID] = Fetch(byteCount: file.byteCount) }
            await node.shell.fetch(file.fileID, shape, in: file.conversationID)
        }
    }

    // MARK: - What comes of it

    /// How often the progress of a file is told, in milliseconds.
    private static let progressInterval: Int64 = 250

    /// More of a file is here.
    /// - Returns: what observers are told, now and then.
    func progressed(_ fileID: FileID, receivedBytes: UInt64, now: Int64) -> FileUpdate? {
        fetches.withLock { fetches in
            guard var fetch = fetches[fileID] else { return nil }
            defer { fetches[fileID] = fetch }
            fetch.receivedBytes = receivedBytes
            guard fetch.toldAt == .min || now - fetch.toldAt >= Self.progressInterval else { return nil }
            fetch.toldAt = now
            return FileUpdate(fileID, byteCount: fetch.byteCount, .fetching(receivedBytes: receivedBytes))
        }
    }

    /// A file is fetched no longer, whatever became of it.
    /// - Returns: its size; `nil` if it was not fetched.
    func ended(_ fileID: FileID) -> UInt64? {
        defer { look() }
        return fetches.withLock { $0.removeValue(forKey: fileID)?.byteCount }
    }

    func finish() { signal.finish() }
}

extension StoreError {
    fileprivate init(_ error: FilesError) { self.init(code: .unavailable, message: error.message, cause: error) }
}
