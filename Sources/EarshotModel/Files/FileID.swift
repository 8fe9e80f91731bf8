/// What a file contains: a hash over all of it (docs/PROTOCOL.md, section 12). Equal contents have equal ids, whatever their
/// files are called.
public struct FileID: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}

/// How a content of so many bytes is cut into chunks, and their hashes into lists. It follows from the size alone, so nobody
/// can cut the same content in another way.
package struct FileShape: Hashable, Sendable {
    package static let chunkBytes = Limits.chunkBytes

    package let byteCount: UInt64

    /// - Returns: `nil` above `Limits.fileBytes`.
    package init?(byteCount: UInt64) {
        guard byteCount <= Limits.fileBytes else { return nil }
        self.byteCount = byteCount
    }

    package var chunkCount: Int { Self.parts(of: Int(byteCount), each: Self.chunkBytes) }

    package var listCount: Int { Self.parts(of: chunkCount, each: Limits.chunksPerList) }

    /// Where a chunk lies in the content. The last one may be shorter than the others.
    package func bytes(ofChunk index: Int) -> Range<Int> {
        let start = index * Self.chunkBytes
        return start..<min(start + Self.chunkBytes, Int(byteCount))
    }

    /// The chunks whose hashes a list has.
    package func chunks(ofList index: Int) -> Range<Int> {
        let start = index * Limits.chunksPerList
        return start..<min(start + Limits.chunksPerList, chunkCount)
    }

    private static func parts(of count: Int, each size: Int) -> Int { (count + size - 1) / size }
}
