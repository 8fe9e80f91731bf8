import CSodium
import EarshotModel

/// BLAKE2b with a key (RFC 7693, section 2.9): a hash that only the key's holder can compute.
package struct KeyedHash: Sendable {
    private let key: SecretBytes

    /// - Parameters:
    ///   - label: what the hash is for; no two purposes have the same key.
    ///   - secret: the key is derived from it, and does not tell it.
    package init(label: StaticString, secret: SecretBytes) {
        var hash = Blake2b(label: label)
        secret.withUnsafeBytes { hash.update($0) }
        let digest = hash.finalize()
        key = digest.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// - Parameter count: how many bytes the digest has, 16 to 64.
    package func digest(of bytes: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { digest, filled in
            self.digest(of: bytes, into: UnsafeMutableRawBufferPointer(digest))
            filled = count
        }
    }

    /// - Parameter digest: has 16 to 64 bytes, all of which are written.
    package func digest(of bytes: ArraySlice<UInt8>, into digest: UnsafeMutableRawBufferPointer) {
        guard let start = digest.octets else { return }
        bytes.withUnsafeBufferPointer { bytes in
            _ = key.withOctets {
                crypto_generichash_blake2b(
                    start, digest.count, bytes.baseAddress, UInt64(bytes.count), $0, key.count)
            }
        }
    }
}
