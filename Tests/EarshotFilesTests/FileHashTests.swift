import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotFiles

/// Vectors that were computed with Python's hashlib (`Tests/EarshotTests/Fixtures/python_peer.py` hashes in the same way).
@Suite("The hash of a file")
struct FileHashTests {
    private func fileID(ofOneChunk content: [UInt8]) -> FileID {
        let chunk = content.withUnsafeBytes { FileHash.chunk($0, at: 0) }
        let list = chunk.withUnsafeBytes { FileHash.list($0, at: 0) }
        return list.withUnsafeBytes { FileHash.file($0, byteCount: UInt64(content.count)) }
    }

    @Test("is a hash over lists of hashes over chunks, as docs/PROTOCOL.md says, whichever library computes it")
    func vectors() {
        let small = fileID(ofOneChunk: Array("earshot".utf8))
        #expect(small.description == "hrr9rfeajhdvjafrk7pbngc8t4x019fcebhweg40eawvb493hsg0")
        let large = fileID(ofOneChunk: (0..<64).flatMap { _ in UInt8.min ... .max })
        #expect(large.description == "4w2kzja1vz9kznkvrjzfajhjj0bkkhcpfasbcjmfr6t86v6qf980")
        let empty = [UInt8]().withUnsafeBytes { FileHash.file($0, byteCount: 0) }
        #expect(empty.description == "90hxhqdhbnr94j8888qqv8fpj7kz7849kj8v1peptx9rqaqzh180")
    }
}
