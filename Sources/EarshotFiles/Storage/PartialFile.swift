import EarshotCrypto
package import EarshotModel
import Glibc

/// A content that is on its way here: each part is proved when it comes, and what was proved survives a crash.
///
/// The hashes prove themselves, because the file's id is a hash over them. Which chunks are there is a file of its own, of
/// one bit each, that is written after they are on the disk.
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
    private let data: OpenFile
    private let tree: OpenFile
    /// Bytes that were written since the disk had all of it.
    private var unsynchronized = 0

    /// Opens what is there already, or begins anew.
    /// - Throws: `FilesError` `full`, `unavailable`.
    init(_ fileID: FileID, shape: FileShape, in folder: String) throws(FilesError) {
        try Folder.make(folder)
        (self.fileID, self.shape, self.folder) = (fileID, shape, folder)
        data = try OpenFile("\(folder)/\(FileNames.data)", .writing)
        tree = try OpenFile("\(folder)/\(FileNames.tree)", .writing)
        (chunks, hasLists, lists) = (SequenceSet(), false, [])
        if try data.stamp().byteCount != shape.byteCount { try data.reserve(shape.byteCount) }
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
        let range = shape.bytes(ofChunk: index)
        guard bytes.count == range.count, lists.contains(index / Limits.chunksPerList) else {
            throw FilesError(.wrongContent, "a part of the file has the wrong size")
        }
        let offset = TreeLayout(shape).offset(ofChunk: index)
        let hash = bytes.withUnsafeBytes { FileHash.chunk($0, at: index) }
        guard try tree.bytes(at: offset..<offset + Bytes32.count) == hash.bytes else {
            throw FilesError(.wrongContent, "a part of the file is not what its hash says")
        }
        guard !chunks.contains(UInt64(index)) else { return }
        try data.write(bytes, at: range.lowerBound)
        chunks.insert(UInt64(index))
        unsynchronized += bytes.count
    }

    // MARK: - To the disk

    /// So much is sent again after a crash, at most.
    private static let checkpointBytes = 64 * 1024 * 1024

    /// Notes on the disk which chunks are there, once there are enough new ones.
    package mutating func noteChunksIfDue() throws(FilesError) {
        if unsynchronized >= Self.checkpointBytes { try noteChunks() }
    }

    /// Notes on the disk which chunks are there.
    package mutating func noteChunks() throws(FilesError) {
        guard unsynchronized > 0 else { return }
        try tree.synchronize()
        try data.synchronize()
        var bits = [UInt8](repeating: 0, count: bitBytes)
        for range in chunks.ranges { for index in range { bits[Int(index) / 8] |= 1 << (index % 8) } }
        let file = try OpenFile("\(folder)/\(FileNames.chunks)", .writing)
        try file.write(bits, at: 0)
        try file.synchronize()
        unsynchronized = 0
    }

    /// All of it is on the disk when this returns.
    func finish() throws(FilesError) {
        try tree.synchronize()
        try data.synchronize()
        guard unlink("\(folder)/\(FileNames.chunks)") == 0 || errno == ENOENT else {
            throw OpenFile.failure("removed", "\(folder)/\(FileNames.chunks)")
        }
        try Folder.synchronize(folder)
    }
}
