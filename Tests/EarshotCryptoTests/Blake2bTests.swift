import EarshotCrypto
import EarshotModel
import TestSupport
import Testing

/// The values are those of CPython's `hashlib.blake2b(…, digest_size=32)`, an implementation of its own.
@Suite("With BLAKE2b (RFC 7693)")
struct Blake2bTests {
    static let digests: [Int: String] = [
        0: "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8",
        1: "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314",
        127: "f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72",
        128: "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1",
        129: "f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9",
        255: "d9ef0fc521b4266d16df662bec231bc2ec3989e7adeaf63169c295dc239dbbea",
        256: "582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24",
        257: "227e15ed64ee8e93eb7bc53828f76eed974f2c4ab1408c3d08f212b7f8d69904",
        1000: "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331",
    ]

    private func input(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

    @Test("the digest of any length is the known one, fed at once", arguments: digests.keys.sorted())
    func matchesKnownDigest(count: Int) {
        var hash = Blake2b()
        hash.update(input(count))
        #expect(Hex.text(hash.finalize().bytes) == Self.digests[count])
    }

    @Test("feeding in pieces changes nothing", arguments: [1, 7, 64, 127, 128, 129])
    func feedsInPieces(step: Int) {
        let bytes = input(1000)
        var hash = Blake2b()
        for start in stride(from: 0, to: bytes.count, by: step) {
            hash.update(Array(bytes[start..<min(start + step, bytes.count)]))
            hash.update([])
        }
        #expect(Hex.text(hash.finalize().bytes) == Self.digests[1000])
    }

    @Test("RFC 7693's \"abc\" has its known digest of 32 bytes")
    func matchesABC() {
        var hash = Blake2b()
        hash.update(Array("abc".utf8))
        let digest = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"
        #expect(Hex.text(hash.finalize().bytes) == digest)
    }

    @Test("a label is one byte of length and its text, a number eight bytes, most significant first")
    func encodesParts() throws {
        var hash = Blake2b(label: "chain")
        hash.update(try #require(Bytes32((0..<32).map { UInt8($0) })))
        hash.update(0x0102_0304_0506_0708 as UInt64)
        hash.update(Array("hello".utf8))
        let digest = "f6f8b245fffcbd485eacaca7f8e2ea61e2f2250585a781ed81b9379489815074"
        #expect(Hex.text(hash.finalize().bytes) == digest)
    }

    @Test("a copy keeps what was fed so far, and is independent")
    func copiesAreValues() {
        var one = Blake2b(label: "common")
        var two = one
        one.update([1])
        two.update([1])
        #expect(one.finalize() == two.finalize())
        one.update([2])
        #expect(one.finalize() != two.finalize())
    }
}
