import EarshotCrypto
import EarshotModel

/// Proves chunks of a content by the hashes that are here of it. Hashes are written only when they are proved themselves, so a
/// chunk whose hash is not here yet proves wrong.
package struct ChunkProof: Sendable {
    let shape: FileShape
    let tree: OpenFile

    /// - Throws: `FilesError` `wrongContent` if it is not what its hash says; `unavailable`.
    package func chunk(_ bytes: [UInt8], at index: Int) throws(FilesError) -> ProvedChunk {
        guard bytes.count == shape.bytes(ofChunk: index).count else {
            throw FilesError(.wrongContent, "a part of the file has the wrong size")
        }
        let offset = TreeLayout(shape).offset(ofChunk: index)
        let hash = bytes.withUnsafeBytes { FileHash.chunk($0, at: index) }
        guard try tree.bytes(at: offset..<offset + Bytes32.count) == hash.bytes else {
            throw FilesError(.wrongContent, "a part of the file is not what its hash says")
        }
        return ProvedChunk(index: index, bytes: bytes)
    }
}

/// A chunk that is what its hash says. Only `ChunkProof` makes one.
package struct ProvedChunk: Sendable {
    let index: Int
    let bytes: [UInt8]

    fileprivate init(index: Int, bytes: [UInt8]) { (self.index, self.bytes) = (index, bytes) }
}
