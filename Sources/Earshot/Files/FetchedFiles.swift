import Dispatch
import EarshotFiles
import EarshotProtocol
import EarshotStore
import NIOCore
import Synchronization

/// What is on its way to this node.
///
/// What comes is proved on one thread, and written on a second, so that the processor does not wait for the disk; a third lets
/// know what the disk has.
final class FetchedFiles: Sendable {
    typealias Completion = FileDisk.Completion

    private let files: FileStore
    private let store: Store
    private let userID: UserID
    private let loop: any EventLoop
    private let prover = DispatchQueue(label: "earshot.files.proofs")
    private let writes = DispatchQueue(label: "earshot.files.writes")
    private let checkpoints = DispatchQueue(label: "earshot.files.checkpoints")
    /// Only the thread that writes uses it.
    private let partial = Mutex<[FileID: PartialFile]>([:])
    /// By which conversations they came so far. Only the thread that writes uses it.
    private let origins = Mutex<[FileID: FileOrigin]>([:])
    /// How many bytes more may come; `nil` for as many as the disk takes. Only the thread that writes uses it.
    private let room = Mutex<UInt64?>(nil)
    /// How the chunks of each of them are proved.
    private let proofs = Mutex<[FileID: ChunkProof]>([:])

    init(_ files: FileStore, store: Store, of userID: UserID, loop: any EventLoop) {
        (self.files, self.store, self.userID, self.loop) = (files, store, userID, loop)
    }

    /// Goes on with a file, or begins it.
    func open(_ fileID: FileID, _ shape: FileShape, completion: @escaping Completion<FileInventory>) {
        onWriter(completion) { [self] () throws(FilesError) in
            let file = try files.begin(fileID, shape: shape)
            do throws(StoreError) {
                let origin = try store.origin(of: fileID)
                origins.withLock { $0[fileID] = origin }
            } catch { throw FilesError(error) }
            partial.withLock { $0[fileID] = file }
            proofs.withLock { $0[fileID] = file.proof }
            return FileInventory(hasLists: file.hasLists, lists: file.lists, chunks: file.chunks)
        }
    }

    /// Proves a part, and keeps it. Of a file that was given up meanwhile, nothing is kept or answered: it may be fetched anew
    /// by then, and has failed no more than any other.
    /// - Parameters:
    ///   - conversationID: by which conversation it came.
    ///   - completion: gets how many bytes of the file are here.
    func write(
        _ part: FilePart, of fileID: FileID, _ bytes: [UInt8], in conversationID: ConversationID,
        completion: @escaping Completion<UInt64>
    ) {
        switch part {
        case .lists: change(fileID, completion) { file throws(FilesError) in try file.take(lists: bytes) }
        case .hashes(let list):
            change(fileID, completion) { file throws(FilesError) in try file.take(bytes, ofList: list) }
        case .chunk(let index):
            prover.async { [self] in
                guard let proof = proofs.withLock({ $0[fileID] }) else { return }
                let proved = Result { () throws(FilesError) in try proof.chunk(bytes, at: index) }
                change(fileID, completion) { [self] file throws(FilesError) in
                    let chunk = try proved.get()
                    guard !file.has(chunk) else { return }
                    try takeRoom(for: bytes.count)
                    try note(fileID, from: conversationID)
                    try file.keep(chunk)
                }
            }
        }
    }

    private func change(
        _ fileID: FileID, _ completion: @escaping Completion<UInt64>,
        _ change: @escaping @Sendable (inout PartialFile) throws(FilesError) -> Void
    ) {
        writes.async { [self] in
            let result: Result<UInt64, FilesError>? = partial.withLock { files in
                guard var file = files.removeValue(forKey: fileID) else { return nil }
                defer { files[fileID] = file }
                return Result { () throws(FilesError) in
                    try change(&file)
                    if let checkpoint = try file.checkpointIfDue() { note(checkpoint) }
                    return file.receivedBytes
                }
            }
            if let result { loop.execute { completion(result) } }
        }
    }

    /// What all files may have from now on: `nil` for as much as the disk takes.
    func setQuota(_ quotaBytes: UInt64?) {
        writes.async { [self] in
            // What cannot be counted now is counted at the next look.
            do throws(FilesError) {
                guard let quotaBytes else { return room.withLock { $0 = nil } }
                let used = try usedBytes()
                room.withLock { $0 = quotaBytes - min(quotaBytes, used) }
            } catch {}
        }
    }

    private func usedBytes() throws(FilesError) -> UInt64 {
        let held: UInt64
        do throws(StoreError) { held = try store.heldFileBytes().bytes } catch { throw FilesError(error) }
        return try files.unfinishedBytes() + held
    }

    /// Room is taken by what has come, and never by a size that somebody says.
    private func takeRoom(for byteCount: Int) throws(FilesError) {
        try files.checkRoom(for: UInt64(byteCount))
        let isThere = room.withLock { room in
            guard let left = room else { return true }
            guard left >= UInt64(byteCount) else { return false }
            room = left - UInt64(byteCount)
            return true
        }
        guard isThere else {
            throw FilesError(
                .full, "the files here have reached their quota: raise it, or remove some, and fetch this one again")
        }
    }

    /// Notes by which conversation something of a file came, before it is kept.
    private func note(_ fileID: FileID, from conversationID: ConversationID) throws(FilesError) {
        let before = origins.withLock { $0[fileID] } ?? .nowhere
        let origin = before.adding(conversationID)
        guard origin != before else { return }
        do throws(StoreError) { try store.note(origin, of: fileID) } catch { throw FilesError(error) }
        origins.withLock { $0[fileID] = origin }
    }

    /// The disk takes its time, and what comes need not wait for it, unless two of these are due.
    private func note(_ checkpoint: PartialFile.Checkpoint) {
        awaitCheckpoints()
        // The file itself says at its next step what failed.
        checkpoints.async { do throws(FilesError) { try checkpoint.note() } catch {} }
    }

    private func awaitCheckpoints() { checkpoints.sync {} }

    /// All parts are here: the file is held when this is answered.
    /// - Parameter completion: gets who may be given the file.
    func finish(_ fileID: FileID, at time: Int64, completion: @escaping Completion<FileAudience>) {
        onWriter(completion) { [self] () throws(FilesError) in
            guard let file = take(fileID) else {
                throw FilesError(.missing, "the file is not fetched any more")
            }
            awaitCheckpoints()
            try files.finish(file)
            do throws(StoreError) {
                try store.note(FileRecord(fileID, byteCount: file.shape.byteCount, .held, changedAt: time))
                return try store.audience(of: fileID, by: userID)
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
                let file = take(fileID)
                guard isKept else {
                    forgetOrigin(of: fileID)
                    return try files.discard(fileID)
                }
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
                _ = take(record.fileID)
                do throws(StoreError) { try store.note(record) } catch { throw FilesError(error) }
                forgetOrigin(of: record.fileID)
                try files.remove(record.fileID)
            }
        }
        try result.get()
    }

    /// Of a content that is gone nothing is given, so an origin that cannot be forgotten does no harm: it may only come to be
    /// one of several.
    private func forgetOrigin(of fileID: FileID) {
        do throws(StoreError) { try store.note(.nowhere, of: fileID) } catch {}
    }

    private func take(_ fileID: FileID) -> PartialFile? {
        proofs.withLock { $0[fileID] = nil }
        origins.withLock { $0[fileID] = nil }
        return partial.withLock { $0.removeValue(forKey: fileID) }
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

    /// Returns when all that was asked for is done, and what came is noted on the disk.
    func drain() async {
        await withCheckedContinuation { done in prover.async { done.resume() } }
        await withCheckedContinuation { done in
            writes.async { [self] in
                awaitCheckpoints()
                proofs.withLock { $0 = [:] }
                origins.withLock { $0 = [:] }
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
