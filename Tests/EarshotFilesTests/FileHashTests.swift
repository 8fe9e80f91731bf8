import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotFiles

/// Vectors that were computed with Python's hashlib (`Tests/EarshotTests/Fixtures/python_peer.py` hashes in the same way).
@Suite("The hash of a file")
struct FileHashTests {
    @Test("is a hash over lists of hashes over chunks, as docs/PROTOCOL.md says")
    func vectors() {
        let chunk = Array("earshot".utf8).withUnsafeBytes { FileHash.chunk($0, at: 0) }
        let list = chunk.withUnsafeBytes { FileHash.list($0, at: 0) }
        let file = list.withUnsafeBytes { FileHash.file($0, byteCount: 7) }
        #expect(file.description == "5rhd47j0chja81j02aseb192mrrky6v57pr3da23qyws1y86xme0")
        let empty = [UInt8]().withUnsafeBytes { FileHash.file($0, byteCount: 0) }
        #expect(empty.description == "90hxhqdhbnr94j8888qqv8fpj7kz7849kj8v1peptx9rqaqzh180")
    }
}
