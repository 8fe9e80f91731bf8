package import EarshotModel

/// The tree of hashes over a file (docs/PROTOCOL.md, section 12.1): chunks, lists of their hashes, and the file's id over those
/// lists. Each chunk and each list is proved alone, in whatever order they come.
package enum FileHash {
    package static func chunk(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bytes32 {
        let number = UInt64(index)
        if bytes.count >= LargeInputs.leastBytes, let hash = large(bytes, at: number) { return hash }
        var hash = Blake2b(label: chunkLabel, digestBytes: 2 * Bytes32.count)
        hash.update(number)
        hash.update(bytes)
        return hash.finalize()
    }

    private static let chunkLabel: StaticString = "earshot chunk v2"

    /// The same, by a library that is quicker where there is much to hash.
    private static func large(_ bytes: UnsafeRawBufferPointer, at number: UInt64) -> Bytes32? {
        let labelBytes = chunkLabel.utf8CodeUnitCount
        return withUnsafeTemporaryAllocation(byteCount: 1 + labelBytes + 8, alignment: 8) { beginning in
            beginning[0] = UInt8(labelBytes)
            chunkLabel.withUTF8Buffer { UnsafeMutableRawBufferPointer(rebasing: beginning[1...]).copyBytes(from: $0) }
            beginning.storeBytes(of: number.bigEndian, toByteOffset: 1 + labelBytes, as: UInt64.self)
            return LargeInputs.blake2b512(UnsafeRawBufferPointer(beginning), bytes)
        }
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
