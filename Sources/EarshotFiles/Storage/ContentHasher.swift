import Dispatch
import EarshotCrypto
import EarshotModel
import Glibc
import Synchronization

/// The hashes of a file that is there, computed on all cores at once.
struct ContentHasher {
    /// Chunks that one thread takes at a time: 16 MiB.
    private static let stride = 64

    private static let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    let file: OpenFile
    let shape: FileShape
    /// Gets what is hashed, so that its hashes are its own whatever becomes of the file.
    var copy: ContentWriter?

    /// - Returns: the tree, as `TreeLayout` describes it, and the id that follows from it.
    /// - Throws: `FilesError` `changed` where the file is shorter than it was; `unavailable`.
    func run() throws(FilesError) -> (fileID: FileID, tree: [UInt8]) {
        let layout = TreeLayout(shape)
        var tree = [UInt8](repeating: 0, count: layout.lists.upperBound)
        for part in try hashChunks() { tree += part }
        for index in 0..<shape.listCount {
            let hash = tree[layout.hashes(ofList: index)].withUnsafeBytes { FileHash.list($0, at: index) }
            tree.replaceSubrange(index * Bytes32.count..<(index + 1) * Bytes32.count, with: hash.bytes)
        }
        let fileID = tree[layout.lists].withUnsafeBytes { FileHash.file($0, byteCount: shape.byteCount) }
        return (fileID, tree)
    }

    private func hashChunks() throws(FilesError) -> [[UInt8]] {
        let count = (shape.chunkCount + Self.stride - 1) / Self.stride
        let results = Mutex<(parts: [[UInt8]], failure: FilesError?)>((Array(repeating: [], count: count), nil))
        let next = Mutex(0)
        let work = { @Sendable in
            while true {
                let index = next.withLock { index in
                    defer { index += 1 }
                    return index
                }
                guard index < count, results.withLock({ $0.failure == nil }) else { return }
                do throws(FilesError) {
                    let part = try hash(index * Self.stride..<min((index + 1) * Self.stride, shape.chunkCount))
                    results.withLock { $0.parts[index] = part }
                } catch { results.withLock { $0.failure = error } }
            }
        }
        // On threads of its own. Those that `concurrentPerform` takes are the ones that tasks run on, and requests would wait.
        let others = DispatchGroup()
        // Whoever writes waits for the disk, and another hashes meanwhile.
        let threads = Self.cores * (copy == nil ? 1 : 2)
        for number in 0..<min(count, threads) where number > 0 {
            DispatchQueue(label: "earshot.files.hash").async(group: others) { work() }
        }
        work()
        others.wait()
        return try results.withLock { result throws(FilesError) in
            if let failure = result.failure { throw failure }
            return result.parts
        }
    }

    private func hash(_ chunks: Range<Int>) throws(FilesError) -> [UInt8] {
        var (hashes, failure): ([UInt8], FilesError?) = ([], nil)
        hashes.reserveCapacity(chunks.count * Bytes32.count)
        withUnsafeTemporaryAllocation(
            byteCount: FileShape.chunkBytes, alignment: OpenFile.blockBytes
        ) { buffer in
            do throws(FilesError) {
                for index in chunks {
                    let range = shape.bytes(ofChunk: index)
                    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<range.count])
                    guard try file.read(into: part, at: range.lowerBound) == range.count else {
                        throw FilesError(.changed, "\(file.path) became shorter while it was read")
                    }
                    hashes += FileHash.chunk(UnsafeRawBufferPointer(part), at: index).bytes
                    try copy?.write(UnsafeRawBufferPointer(part), at: range.lowerBound)
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return hashes
    }
}
