import CSodium
import EarshotModel

/// Signal's numeric fingerprint: a key and its owner's identifier as digits that a person can read aloud.
///
/// Source: libsignal, `rust/protocol/src/fingerprint.rs`. Values that Signal fixes are properties here, so that tests
/// can compute its published vectors.
package struct NumericFingerprint: Sendable {
    /// Tells constructions apart. It is the first input of the hash: 2 bytes, the most significant first.
    package let version: UInt16
    /// How many times SHA-512 runs; at least 1. More rounds make it more expensive to search for a key with similar
    /// digits.
    package let iterations: Int

    package static let hashBytes = 64
    package static let digits = groups * digitsPerGroup
    private static let groups = 6
    private static let digitsPerGroup = 5
    private static let bytesPerGroup = 5

    package init(version: UInt16, iterations: Int) {
        precondition(iterations >= 1, "a fingerprint is hashed at least once")
        self.version = version
        self.iterations = iterations
    }

    /// `SHA-512(version ‖ key ‖ identifier ‖ key)`, then again and again `SHA-512(hash ‖ key)`.
    package func hash(ofKey key: [UInt8], identifier: [UInt8]) -> [UInt8] {
        Sodium.start()
        var hash = Self.sha512([UInt8(version >> 8), UInt8(version & 0xff)] + key + identifier + key)
        var input = hash + key
        for _ in 1..<iterations {
            input.replaceSubrange(0..<Self.hashBytes, with: hash)
            Self.sha512(input, into: &hash)
        }
        return hash
    }

    /// The first 30 bytes of a hash: each five of them, a big-endian number, modulo 100000, in five digits.
    package static func digits(of hash: [UInt8]) -> String {
        precondition(hash.count >= groups * bytesPerGroup, "a hash has 64 bytes")
        return (0..<groups).map { group in
            let bytes = hash[group * bytesPerGroup..<(group + 1) * bytesPerGroup]
            let number = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 100_000
            let text = String(number)
            return String(repeating: "0", count: digitsPerGroup - text.count) + text
        }.joined()
    }

    private static func sha512(_ input: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: hashBytes)
        sha512(input, into: &hash)
        return hash
    }

    private static func sha512(_ input: [UInt8], into hash: inout [UInt8]) {
        _ = crypto_hash_sha512(&hash, input, UInt64(input.count))
    }
}
