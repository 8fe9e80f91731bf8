import Glibc
import Synchronization

/// Writes a content past the page cache, where the file system can: copying there costs more than hashing does, pushes out
/// what others read, and whoever then waits for the disk, such as a message, would wait for all that has gathered.
///
/// Several threads may write at once, each its own places.
final class ContentWriter: Sendable {
    private let file: OpenFile
    private let direct: OpenFile?
    private let isRefused = Atomic(false)

    init(_ file: OpenFile) {
        self.file = file
        do throws(FilesError) { direct = try OpenFile(file.path, .writingDirectly) } catch { direct = nil }
    }

    /// What is no whole number of blocks is written through the page cache.
    /// - Throws: `FilesError` `full`, `unavailable`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FilesError) {
        guard !bytes.isEmpty else { return }
        if let direct, OpenFile.isWhole(bytes, at: offset), !isRefused.load(ordering: .relaxed) {
            do throws(FilesError) { return try direct.write(bytes, at: offset) } catch {
                // The blocks of this disk are larger.
                guard error.systemError == EINVAL else { throw error }
                isRefused.store(true, ordering: .relaxed)
            }
        }
        try file.write(bytes, at: offset)
        file.beginSynchronizing(offset..<offset + bytes.count)
    }

    /// The same for bytes that lie anywhere in memory.
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(FilesError) {
        var failure: FilesError?
        withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: OpenFile.blockBytes) { buffer in
            buffer.copyBytes(from: bytes)
            do throws(FilesError) { try write(UnsafeRawBufferPointer(buffer), at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// What was written is on the disk when this returns.
    func synchronize() throws(FilesError) { try file.synchronize() }
}
