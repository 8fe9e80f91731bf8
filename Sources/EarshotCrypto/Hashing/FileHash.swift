package import EarshotModel

/// The tree of hashes over a file (docs/PROTOCOL.md, section 12.1): chunks, lists of their hashes, and the file's id over those
/// lists. Each chunk and each list is proved alone, in whatever order they come.
package enum FileHash {
    package static func chunk(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bytes32 {
        var hash = Blake2b(label: "earshot chunk v2")
        hash.update(UInt64(index))
        hash.update(bytes)
        return hash.finalize()
    }

    /// - Parameter hashes: of the list's chunks, one after the other.
    package static func list(_ hashes: UnsafeRawBufferPointer, at index: Int) -> Bytes32 {
        var hash = Blake2b(label: "earshot chunk list v2")
        hash.update(UInt64(index))
        hash.update(hashes)
        return hash.finalize()
    }

    /// - Parameter lists: the hashes of all lists, one after the other.
    package static func file(_ lists: UnsafeRawBufferPointer, byteCount: UInt64) -> FileID {
        var hash = Blake2b(label: "earshot file v2")
        hash.update(byteCount)
        hash.update(lists)
        return FileID(hash.finalize())
    }
}
