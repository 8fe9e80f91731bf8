import Dispatch
import EarshotFiles
import EarshotProtocol
import EarshotStore
import NIOCore
import Synchronization

/// What peers are given of the files that are here: read on a thread of its own.
final class GivenFiles: Sendable {
    typealias Completion = FileDisk.Completion

    private struct Key: Hashable {
        let fileID: FileID
        let conversationID: ConversationID
        let isForOwnDevice: Bool
    }

    private let files: FileStore
    private let store: Store
    private let userID: UserID
    private let loop: any EventLoop
    private let reads = DispatchQueue(label: "earshot.files.reads")
    /// Files that peers read, and that may be given in the conversation. Only the thread that reads uses it.
    private let held = Mutex<[Key: HeldFile]>([:])
    /// Who has read each of them last.
    private let readers = Mutex<[FileID: ConnectionID]>([:])

    init(_ files: FileStore, store: Store, of userID: UserID, loop: any EventLoop) {
        (self.files, self.store, self.userID, self.loop) = (files, store, userID, loop)
    }

    /// Reads a part for a peer.
    /// - Parameter completion: gets `nil` if the file may not be given in the conversation, or is not here.
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
        case .chunk(let index): try file.chunk(index, isKept: isShared(read))
        }
    }

    /// Whether several peers read the file at once.
    private func isShared(_ read: FileRead) -> Bool {
        readers.withLock { readers in
            if readers.count >= Self.openFiles, readers[read.fileID] == nil { readers.removeAll() }
            let last = readers.updateValue(read.connectionID, forKey: read.fileID)
            return last != nil && last != read.connectionID
        }
    }

    /// Files that stay open for the next part.
    private static let openFiles = 40

    private func file(for read: FileRead) throws(FilesError) -> HeldFile? {
        let key = Key(
            fileID: read.fileID, conversationID: read.conversationID, isForOwnDevice: read.isForOwnDevice)
        if let file = held.withLock({ $0[key] }) { return file }
        do {
            let isGiven =
                read.isForOwnDevice
                ? try store.isAttached(read.fileID, in: read.conversationID)
                : try store.mayGive(read.fileID, in: read.conversationID, by: userID)
            guard isGiven else { return nil }
        } catch { throw FilesError(error) }
        guard let file = try files.held(read.fileID) else { return nil }
        held.withLock { held in
            if held.count >= Self.openFiles { held.removeAll() }
            held[key] = file
        }
        return file
    }

    /// A file is removed, or a message that brought it along is erased: who wants it is asked anew whether they may have it.
    func forget() { reads.async { [self] in held.withLock { $0.removeAll() } } }

    /// Returns when all that was asked for is done.
    func drain() async { await withCheckedContinuation { done in reads.async { done.resume() } } }
}
