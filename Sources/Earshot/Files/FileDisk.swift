import Dispatch
import EarshotFiles
import EarshotProtocol
import EarshotStore
import NIOCore
import Synchronization

/// A running node's files on the disk. Each answer comes on the node's event loop, and never before the call returns.
///
/// What comes is proved and written on one thread, which another lets know what the disk has; and what peers want is read on a
/// third.
final class FileDisk: Sendable {
    typealias Completion<Success> = @Sendable (Result<Success, FilesError>) -> Void

    private struct Given: Hashable {
        let fileID: FileID
        let conversationID: ConversationID
    }

    let files: FileStore
    private let store: Store
    private let loop: any EventLoop
    private let writes = DispatchQueue(label: "earshot.files.writes")
    private let checkpoints = DispatchQueue(label: "earshot.files.checkpoints")
    private let reads = DispatchQueue(label: "earshot.files.reads")
    /// What is fetched. Only the thread that writes uses it.
    private let partial = Mutex<[FileID: PartialFile]>([:])
    /// Files that peers read, and that belong to the conversation. Only the thread that reads uses it.
    private let given = Mutex<[Given: HeldFile]>([:])

    init(_ files: FileStore, store: Store, loop: any EventLoop) {
        (self.files, self.store, self.loop) = (files, store, loop)
    }

    // MARK: - What is fetched

    /// Goes on with a file, or begins it.
    func open(_ fileID: FileID, _ shape: FileShape, completion: @escaping Completion<FileInventory>) {
        onWriter(completion) { [self] () throws(FilesError) in
            let file = try files.begin(fileID, shape: shape)
            partial.withLock { $0[fileID] = file }
            return FileInventory(hasLists: file.hasLists, lists: file.lists, chunks: file.chunks)
        }
    }

    /// Proves a part, and keeps it.
    /// - Parameter completion: gets how many bytes of the file are here.
    func write(
        _ part: FilePart, of fileID: FileID, _ bytes: [UInt8], completion: @escaping Completion<UInt64>
    ) {
        onWriter(completion) { [self] () throws(FilesError) in
            try partial.withLock { files throws(FilesError) in
                guard var file = files.removeValue(forKey: fileID) else {
                    throw FilesError(.missing, "the file is not fetched any more")
                }
                defer { files[fileID] = file }
                switch part {
                case .lists: try file.take(lists: bytes)
                case .hashes(let list): try file.take(bytes, ofList: list)
                case .chunk(let index): try file.take(bytes, ofChunk: index)
                }
                if let checkpoint = try file.checkpointIfDue() { note(checkpoint) }
                return file.receivedBytes
            }
        }
    }

    /// The disk takes its time, and what comes need not wait for it, unless two of these are due.
    private func note(_ checkpoint: PartialFile.Checkpoint) {
        awaitCheckpoints()
        // The file itself says at its next step what failed.
        checkpoints.async { do throws(FilesError) { try checkpoint.note() } catch {} }
    }

    private func awaitCheckpoints() { checkpoints.sync {} }

    /// All parts are here: the file is held when this is answered.
    /// - Parameter completion: gets the conversations where the file was shown.
    func finish(_ fileID: FileID, at time: Int64, completion: @escaping Completion<Set<ConversationID>>) {
        onWriter(completion) { [self] () throws(FilesError) in
            guard let file = partial.withLock({ $0.removeValue(forKey: fileID) }) else {
                throw FilesError(.missing, "the file is not fetched any more")
            }
            awaitCheckpoints()
            try files.finish(file)
            do throws(StoreError) {
                try store.note(FileRecord(fileID, byteCount: file.shape.byteCount, .held, changedAt: time))
                return Set(try store.messages(with: fileID).map(\.conversationID))
            } catch { throw FilesError(error) }
        }
    }

    /// The file is not fetched any more.
    /// - Parameter isKept: whether what came of it stays on the disk, to go on with it later. As long as nothing has proved
    ///   that there is such a file, it takes no room.
    func close(_ fileID: FileID, isKept: Bool) {
        writes.async { [self] in
            awaitCheckpoints()
            // What cannot be noted or removed now is fetched again, or lies there until the next try.
            do throws(FilesError) {
                let file = partial.withLock { $0.removeValue(forKey: fileID) }
                guard isKept else { return try files.discard(fileID) }
                guard var file else { return }
                if file.hasLists { try file.noteChunks() } else { try files.discard(file) }
            } catch {}
        }
    }

    /// Removes a content, behind everything that was asked for before: nothing that is under way brings it back.
    /// - Parameter record: what is noted of it instead.
    func remove(_ record: FileRecord) throws(FilesError) {
        let result = writes.sync {
            Result { () throws(FilesError) in
                awaitCheckpoints()
                partial.withLock { $0[record.fileID] = nil }
                do throws(StoreError) { try store.note(record) } catch { throw FilesError(error) }
                try files.remove(record.fileID)
            }
        }
        try result.get()
        forgetGiven()
    }

    /// Notes what became of a file. Where that fails it is fetched again.
    func note(_ record: FileRecord) {
        writes.async { [store] in do { try store.note(record) } catch {} }
    }

    private func onWriter<Success: Sendable>(
        _ completion: @escaping Completion<Success>, _ work: @escaping @Sendable () throws(FilesError) -> Success
    ) {
        writes.async { [loop] in
            let result = Result { () throws(FilesError) in try work() }
            loop.execute { completion(result) }
        }
    }

    // MARK: - What is given

    /// Reads a part for a peer.
    /// - Parameter completion: gets `nil` if the file does not belong to the conversation, or is not here.
    func read(_ read: FileRead, completion: @escaping @Sendable (Result<[UInt8]?, FilesError>) -> Void) {
        reads.async { [self] in
            let result = Result { () throws(FilesError) in try part(read) }
            loop.execute { completion(result) }
        }
    }

    private func part(_ read: FileRead) throws(FilesError) -> [UInt8]? {
        guard let file = try file(for: read), file.shape == read.shape else { return nil }
        return switch read.part {
        case .lists: try file.lists()
        case .hashes(let list): try file.hashes(ofList: list)
        case .chunk(let index): try file.chunk(index)
        }
    }

    /// Files that stay open for the next part.
    private static let openFiles = 64

    private func file(for read: FileRead) throws(FilesError) -> HeldFile? {
        let key = Given(fileID: read.fileID, conversationID: read.conversationID)
        if let file = given.withLock({ $0[key] }) { return file }
        do {
            guard try store.isAttached(read.fileID, in: read.conversationID) else { return nil }
        } catch { throw FilesError(error) }
        guard let file = try files.held(read.fileID) else { return nil }
        given.withLock { given in
            if given.count >= Self.openFiles { given.removeAll() }
            given[key] = file
        }
        return file
    }

    /// A file is removed, or a message that brought it along is erased: who wants it is asked anew whether they may have it.
    func forgetGiven() { reads.async { [self] in given.withLock { $0.removeAll() } } }

    /// Returns when all that was asked for is done, and what came is noted on the disk.
    func drain() async {
        await withCheckedContinuation { done in reads.async { done.resume() } }
        await withCheckedContinuation { done in
            writes.async { [self] in
                awaitCheckpoints()
                partial.withLock { files in
                    for fileID in files.keys {
                        // What cannot be noted is fetched again.
                        do throws(FilesError) { try files[fileID]?.noteChunks() } catch {}
                    }
                    files = [:]
                }
                done.resume()
            }
        }
    }
}

extension FilesError {
    init(_ error: StoreError) {
        self.init(error.code == .full ? .full : .unavailable, error.message)
    }
}
