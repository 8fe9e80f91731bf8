import CSodium
import EarshotModel
import Testing

@testable import EarshotCrypto

/// libsodium and OpenSSL take turns by size, so they are held against each other.
@Suite("What OpenSSL computes of large inputs")
struct LargeInputsTests {
    private let key = SecretBytes(copying: (0..<32).map { UInt8($0) })
    private let counter: UInt64 = 1 << 40 | 7

    private static let sizes = [LargeInputs.leastBytes, LargeInputs.leastBytes + 1, 65519]

    private func plaintext(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

    private func sealed(_ plaintext: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: plaintext.count + ChaChaPoly.tagBytes)
        output.withUnsafeMutableBytes { output in
            plaintext.withUnsafeBytes { plaintext in
                ChaChaPoly.encrypt(
                    plaintext, key: key, counter: counter, additionalData: UnsafeRawBufferPointer(start: nil, count: 0),
                    into: output)
            }
        }
        return output
    }

    private func sealedBySodium(_ plaintext: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: plaintext.count + ChaChaPoly.tagBytes)
        let nonce = [0, 0, 0, 0] + withUnsafeBytes(of: counter.littleEndian) { Array($0) }
        _ = key.withOctets { key in
            crypto_aead_chacha20poly1305_ietf_encrypt(
                &output, nil, plaintext, UInt64(plaintext.count), nil, 0, nil, nonce, key)
        }
        return output
    }

    /// - Returns: what was written, and whether it is authentic.
    private func opened(_ ciphertext: [UInt8]) -> (plaintext: [UInt8], isAuthentic: Bool) {
        var output = [UInt8](repeating: 0xff, count: ciphertext.count - ChaChaPoly.tagBytes)
        let isAuthentic = output.withUnsafeMutableBytes { output in
            ciphertext.withUnsafeBytes { ciphertext in
                ChaChaPoly.decrypt(
                    ciphertext, key: key, counter: counter,
                    additionalData: UnsafeRawBufferPointer(start: nil, count: 0),
                    into: output)
            }
        }
        return (output, isAuthentic)
    }

    @Test("is sealed as libsodium seals it, and opens", arguments: sizes)
    func sealsEqually(count: Int) {
        let plaintext = plaintext(count)
        let sealed = sealed(plaintext)
        #expect(sealed == sealedBySodium(plaintext))
        let opened = opened(sealed)
        #expect(opened.isAuthentic && opened.plaintext == plaintext)
    }

    @Test("is refused where a bit was changed, and shows nothing of the plaintext", arguments: sizes)
    func refusesChanges(count: Int) {
        let sealed = sealed(plaintext(count))
        for index in [0, count / 2, count - 1, count, sealed.count - 1] {
            var changed = sealed
            changed[index] ^= 1
            let opened = opened(changed)
            #expect(!opened.isAuthentic && opened.plaintext.allSatisfy { $0 == 0 }, "of byte \(index)")
        }
    }

    @Test("hashes as libsodium does", arguments: sizes)
    func hashesEqually(count: Int) {
        let (first, second) = (Array("first".utf8), plaintext(count))
        var hash = Blake2b(digestBytes: 64)
        hash.update(first)
        hash.update(second)
        let large = first.withUnsafeBytes { first in second.withUnsafeBytes { LargeInputs.blake2b512(first, $0) } }
        #expect(large == hash.finalize())
    }
}
