import CSodium
package import EarshotModel

/// A secret Ed25519 key (RFC 8032): what a user or a device signs with.
package struct SigningKey: Sendable {
    /// Bytes of a seed, which is the "private key" of RFC 8032.
    package static let seedBytes = 32

    package let publicKey: Bytes32
    /// What to keep: the whole key follows from it.
    package let seed: SecretBytes
    // libsodium's form, seed and public key in a row: saves deriving the public key for each signature.
    private let secretKey: SecretBytes

    /// - Parameter seed: 32 uniformly random bytes.
    /// - Throws: `.invalidKeyLength` for any other number.
    package init(seed: SecretBytes) throws(CryptoError) {
        guard seed.count == SigningKey.seedBytes else {
            throw CryptoError(.invalidKeyLength, "an Ed25519 seed is 32 bytes, and this one is \(seed.count)")
        }
        self.init(checked: seed)
    }

    private init(checked seed: SecretBytes) {
        self.seed = seed
        secretKey = SecretBytes(
            count: Int(crypto_sign_ed25519_SECRETKEYBYTES),
            writtenBy: { secretKey in
                var publicKey = [UInt8](repeating: 0, count: Bytes32.count)
                _ = seed.withOctets { crypto_sign_ed25519_seed_keypair(&publicKey, secretKey, $0) }
            })
        publicKey = secretKey.withUnsafeBytes { Bytes32(exactly: UnsafeRawBufferPointer(rebasing: $0.suffix(32))) }
    }

    /// A new key from the system's random number generator.
    package static func generate() -> SigningKey {
        SigningKey(checked: .random(count: seedBytes))
    }

    /// Deterministic: the same key and message give the same signature.
    package func signature(for message: [UInt8]) -> Signature {
        var bytes = [UInt8](repeating: 0, count: Signature.count)
        _ = secretKey.withOctets {
            crypto_sign_ed25519_detached(&bytes, nil, message, UInt64(message.count), $0)
        }
        guard let signature = Signature(bytes) else { preconditionFailure("an Ed25519 signature is 64 bytes") }
        return signature
    }
}

/// Verification of Ed25519 signatures (RFC 8032, section 5.1.7).
package enum Ed25519 {
    /// Stricter than the RFC asks, as libsodium is: refuses non-canonical scalars and points, and public keys and
    /// commitments of small order, with which one signature would fit many messages.
    package static func isValid(_ signature: Signature, for message: [UInt8], by publicKey: Bytes32) -> Bool {
        Sodium.start()
        return crypto_sign_ed25519_verify_detached(
            signature.bytes, message, UInt64(message.count), publicKey.bytes) == 0
    }
}
