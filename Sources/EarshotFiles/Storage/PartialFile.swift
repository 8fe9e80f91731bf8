import EarshotCrypto
package import EarshotModel
import Glibc
import Synchronization

/// A content that is on its way here: each part is proved when it comes, and what was proved survives a crash.
///
/// The hashes prove themselves, because the file's id is a hash over them. Which chunks are there is a file of its own, of
/// one bit each, that is written after they are on the disk. It takes no more of the disk than came: the size that a message claims
/// only bounds it, so the file of its content has holes where nothing has come.
package struct PartialFile: Sendable {
    package let fileID: FileID
    package let shape: FileShape
    /// What is on the disk and proved.
    package private(set) var chunks: SequenceSet
    /// Whether the hashes of all lists are here.
    package private(set) var hasLists: Bool
    /// The lists whose chunks' hashes are here.
    package private(set) var lists: Set<Int>

    private let folder: String
    private let data: ContentWriter
    private let tree: OpenFile
    /// Bytes that were written and of which no checkpoint says that they are on the disk.
    private var unsynchronized = 0
    private let progress = Progress()

    /// Opens what is there already, or begins anew.
    /// - Throws: `FilesError` `full`, `unavailable`.
    init(_ fileID: FileID, shape: FileShape, in folder: String) throws(FilesError) {
        try Folder.make(folder)
        (self.fileID, self.shape, self.folder) = (fileID, shape, folder)
        data = ContentWriter(try OpenFile("\(folder)/\(FileNames.data)", .writing))
        tree = try OpenFile("\(folder)/\(FileNames.tree)", .writing)
        (chunks, hasLists, lists) = (SequenceSet(), false, [])
        try resume()
    }

    private mutating func resume() throws(FilesError) {
        let layout = TreeLayout(shape)
        let listHashes = try tree.bytes(at: layout.lists)
        guard listHashes.count == layout.lists.count, isProved(listHashes) else { return }
        hasLists = true
        for index in 0..<shape.listCount {
            let hashes = try tree.bytes(at: layout.hashes(ofList: index))
            if hashes.count == layout.hashes(ofList: index).count, isProved(hashes, ofList: index, by: listHashes) {
                lists.insert(index)
            }
        }
        guard Folder.isThere("\(folder)/\(FileNames.chunks)") else { return }
        let bits = try OpenFile("\(folder)/\(FileNames.chunks)", .reading).bytes(at: 0..<bitBytes)
        for index in 0..<shape.chunkCount where index / 8 < bits.count && bits[index / 8] & 1 << (index % 8) != 0 {
            chunks.insert(UInt64(index))
        }
    }

    private var bitBytes: Int { (shape.chunkCount + 7) / 8 }

    private func isProved(_ listHashes: [UInt8]) -> Bool {
        listHashes.withUnsafeBytes { FileHash.file($0, byteCount: shape.byteCount) } == fileID
    }

    private func isProved(_ hashes: [UInt8], ofList index: Int, by listHashes: [UInt8]) -> Bool {
        let hash = hashes.withUnsafeBytes { FileHash.list($0, at: index) }
        return hash.bytes[...] == listHashes[index * Bytes32.count..<(index + 1) * Bytes32.count]
    }

    /// Whether all of it is here.
    package var isWhole: Bool { hasLists && lists.count == shape.listCount && chunkCount == shape.chunkCount }

    /// How many chunks are here.
    package var chunkCount: Int { chunks.ranges.reduce(0) { $0 + $1.count } }

    /// How many bytes of the content are here.
    package var receivedBytes: UInt64 {
        guard shape.chunkCount > 0, chunks.contains(UInt64(shape.chunkCount - 1)) else {
            return UInt64(chunkCount * FileShape.chunkBytes)
        }
        return UInt64((chunkCount - 1) * FileShape.chunkBytes + shape.bytes(ofChunk: shape.chunkCount - 1).count)
    }

    // MARK: - What comes

    /// The hashes of all lists.
    /// - Throws: `FilesError` `wrongContent` if they are not this file's; `full`, `unavailable`.
    package mutating func take(lists bytes: [UInt8]) throws(FilesError) {
        guard bytes.count == TreeLayout(shape).lists.count, isProved(bytes) else {
            throw FilesError(.wrongContent, "the hashes of the file are not its own")
        }
        try tree.write(bytes, at: 0)
        hasLists = true
    }

    /// The hashes of a list's chunks.
    /// - Throws: as `take(lists:)`.
    package mutating func take(_ hashes: [UInt8], ofList index: Int) throws(FilesError) {
        let range = TreeLayout(shape).hashes(ofList: index)
        guard hasLists, hashes.count == range.count,
            isProved(hashes, ofList: index, by: try tree.bytes(at: TreeLayout(shape).lists))
        else { throw FilesError(.wrongContent, "the hashes of a part of the file are not its own") }
        try tree.write(hashes, at: range.lowerBound)
        lists.insert(index)
    }

    /// A chunk. One that is here already is proved, and otherwise ignored.
    /// - Throws: as `take(lists:)`.
    package mutating func take(_ bytes: [UInt8], ofChunk index: Int) throws(FilesError) {
        try keep(proof.chunk(bytes, at: index))
    }

    /// How its chunks are proved, which another thread may do.
    package var proof: ChunkProof { ChunkProof(shape: shape, tree: tree) }

    package func has(_ chunk: ProvedChunk) -> Bool { chunks.contains(UInt64(chunk.index)) }

    /// Keeps a chunk, unless it is here already.
    /// - Throws: `FilesError` `full`, `unavailable`.
    package mutating func keep(_ chunk: ProvedChunk) throws(FilesError) {
        guard !chunks.contains(UInt64(chunk.index)) else { return }
        try data.write(chunk.bytes[...], at: shape.bytes(ofChunk: chunk.index).lowerBound)
        chunks.insert(UInt64(chunk.index))
        unsynchronized += chunk.bytes.count
    }

    // MARK: - To the disk

    /// So much is sent again after a crash, at most.
    private static let checkpointBytes = 64 * 1024 * 1024

    /// What the checkpoints of a content have come to, whichever thread notes them.
    fileprivate final class Progress: Sendable {
        private struct State {
            var noting = 0
            var failure: FilesError?
        }

        private let state = Mutex(State())

        var isNoting: Bool { state.withLock { $0.noting > 0 } }

        func begin() { state.withLock { $0.noting += 1 } }

        func end(_ failure: FilesError?) {
            state.withLock { state in
                state.noting -= 1
                if state.failure == nil { state.failure = failure }
            }
        }

        /// - Throws: why a checkpoint has failed. The system says once that it has lost what was written, so from then on
        ///   nothing more may be called written.
        func check() throws(FilesError) { if let failure = state.withLock({ $0.failure }) { throw failure } }
    }

    /// The chunks that were there at a moment, to be noted on the disk, by another thread if need be.
    package struct Checkpoint: Sendable {
        fileprivate let tree: OpenFile
        fileprivate let data: ContentWriter
        fileprivate let path: String
        fileprivate let bits: [UInt8]
        fileprivate let progress: Progress

        /// It is on the disk when this returns. If it fails, so does whatever is done with the content next.
        package func note() throws(FilesError) {
            do throws(FilesError) {
                try tree.synchronize()
                try data.synchronize()
                let file = try OpenFile(path, .writing)
                try file.write(bits, at: 0)
                try file.synchronize()
                progress.end(nil)
            } catch {
                progress.end(error)
                throw error
            }
        }
    }

    /// What is to be noted now. Chunks may come while it is.
    /// - Returns: `nil` if there is too little, or the one before is not noted yet and this may wait for it.
    /// - Throws: `FilesError` if one that was noted meanwhile has failed.
    package mutating func checkpointIfDue() throws(FilesError) -> Checkpoint? {
        try progress.check()
        guard unsynchronized >= (progress.isNoting ? 2 : 1) * Self.checkpointBytes else { return nil }
        return checkpoint()
    }

    private mutating func checkpoint() -> Checkpoint? {
        guard unsynchronized > 0 else { return nil }
        var bits = [UInt8](repeating: 0, count: bitBytes)
        for range in chunks.ranges { for index in range { bits[Int(index) / 8] |= 1 << (index % 8) } }
        unsynchronized = 0
        progress.begin()
        return Checkpoint(
            tree: tree, data: data, path: "\(folder)/\(FileNames.chunks)", bits: bits, progress: progress)
    }

    /// Notes on the disk which chunks are there. No checkpoint may be under way.
    package mutating func noteChunks() throws(FilesError) {
        try progress.check()
        try checkpoint()?.note()
    }

    /// All of it is on the disk when this returns. No checkpoint may be under way.
    func finish() throws(FilesError) {
        try progress.check()
        try tree.synchronize()
        try data.synchronize()
        guard unlink("\(folder)/\(FileNames.chunks)") == 0 || errno == ENOENT else {
            throw OpenFile.failure("removed", "\(folder)/\(FileNames.chunks)")
        }
        try Folder.synchronize(folder)
    }
}
