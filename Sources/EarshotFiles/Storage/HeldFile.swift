package import EarshotModel
import Glibc

/// A content that is on the disk, whole.
package struct HeldFile: Sendable {
    package let fileID: FileID
    package let shape: FileShape
    private let data: OpenFile
    private let tree: OpenFile
    /// The content, past the page cache; `nil` where the file system cannot.
    private let direct: OpenFile?

    init(_ fileID: FileID, in folder: String) throws(FilesError) {
        let data = try OpenFile("\(folder)/\(FileNames.data)", .reading)
        guard let shape = FileShape(byteCount: try data.stamp().byteCount) else {
            throw FilesError(.damaged, "\(data.path) is larger than any file that is kept here")
        }
        (self.fileID, self.shape, self.data) = (fileID, shape, data)
        tree = try OpenFile("\(folder)/\(FileNames.tree)", .reading)
        do throws(FilesError) { direct = try OpenFile(data.path, .readingDirectly) } catch { direct = nil }
    }

    /// - Parameter isKept: whether it is likely to be read again soon, and stays in the page cache. What one reader reads
    ///   from its beginning to its end would only push out what others use.
    /// - Returns: a chunk of the content.
    /// - Throws: `FilesError` `damaged` where the disk has less than there was, `unavailable`.
    package func chunk(_ index: Int, isKept: Bool = true) throws(FilesError) -> [UInt8] {
        let range = shape.bytes(ofChunk: index)
        if !isKept, let direct, let bytes = try Self.blocks(range, of: direct) { return bytes }
        return try bytes(at: range)
    }

    /// - Returns: `nil` where these are no whole blocks, or not of this disk.
    private static func blocks(_ range: Range<Int>, of file: OpenFile) throws(FilesError) -> [UInt8]? {
        var (bytes, failure): ([UInt8]?, FilesError?) = (nil, nil)
        withUnsafeTemporaryAllocation(byteCount: range.count, alignment: OpenFile.blockBytes) { buffer in
            guard OpenFile.isWhole(UnsafeRawBufferPointer(buffer), at: range.lowerBound) else { return }
            do throws(FilesError) {
                let count = try file.read(into: buffer, at: range.lowerBound)
                if count == range.count { bytes = Array(buffer) }
            } catch { failure = error }
        }
        if let failure, failure.systemError != EINVAL { throw failure }
        return bytes
    }

    /// - Returns: a part of the content.
    package func bytes(at range: Range<Int>) throws(FilesError) -> [UInt8] { try Self.whole(range, of: data) }

    /// - Returns: the hashes of the lists, one after the other.
    package func lists() throws(FilesError) -> [UInt8] {
        try Self.whole(TreeLayout(shape).lists, of: tree)
    }

    /// - Returns: the hashes of a list's chunks, one after the other.
    package func hashes(ofList index: Int) throws(FilesError) -> [UInt8] {
        try Self.whole(TreeLayout(shape).hashes(ofList: index), of: tree)
    }

    private static func whole(_ range: Range<Int>, of file: OpenFile) throws(FilesError) -> [UInt8] {
        let bytes = try file.bytes(at: range)
        guard bytes.count == range.count else {
            throw FilesError(.damaged, "\(file.path) is shorter than it was when it was written")
        }
        return bytes
    }
}

/// The files of one content's folder.
enum FileNames {
    /// The content.
    static let data = "data"
    /// Its hashes.
    static let tree = "tree"
    /// Which of its chunks are there, one bit each, as long as some are missing.
    static let chunks = "chunks"
}

/// Where the hashes of a content lie in its tree: those of the lists, then those of all chunks.
struct TreeLayout {
    let shape: FileShape

    init(_ shape: FileShape) { self.shape = shape }

    var lists: Range<Int> { 0..<shape.listCount * Bytes32.count }

    func hashes(ofList index: Int) -> Range<Int> {
        let chunks = shape.chunks(ofList: index)
        return offset(ofChunk: chunks.lowerBound)..<offset(ofChunk: chunks.upperBound)
    }

    func offset(ofChunk index: Int) -> Int { lists.upperBound + index * Bytes32.count }
}
