import EarshotModel
import Testing

@testable import EarshotCrypto

@Suite("A hash with a key")
struct KeyedHashTests {
    private let secret = SecretBytes(copying: [UInt8](repeating: 3, count: 32))

    @Test("is the same for the same key and bytes, as long as was asked for, and another for any other")
    func distinct() {
        let hash = KeyedHash(label: "a", secret: secret)
        let digest = hash.digest(of: [1, 2], count: 16)
        #expect(digest.count == 16)
        #expect(KeyedHash(label: "a", secret: secret).digest(of: [1, 2], count: 16) == digest)
        #expect(hash.digest(of: [1, 3], count: 16) != digest)
        #expect(KeyedHash(label: "b", secret: secret).digest(of: [1, 2], count: 16) != digest)
        let other = SecretBytes(copying: [UInt8](repeating: 4, count: 32))
        #expect(KeyedHash(label: "a", secret: other).digest(of: [1, 2], count: 16) != digest)
    }

    /// Python: k = blake2b(bytes([1]) + b"a" + bytes([3]) * 32, digest_size=32).digest();
    /// blake2b(bytes([1, 2]), key=k, digest_size=16).hexdigest()
    @Test("is BLAKE2b with a key, as others compute it")
    func vector() {
        let digest = KeyedHash(label: "a", secret: secret).digest(of: [1, 2], count: 16)
        #expect(
            digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                == "5fbb39c689f5a00ca9ab2b7b4f879673")
    }
}
