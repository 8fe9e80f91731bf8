import CSodium

/// Keys from passphrases: Argon2id version 1.3 (RFC 9106).
enum PassphraseKey {
    static let count = 32

    /// - Parameter salt: `crypto_pwhash_SALTBYTES` bytes, 16.
    /// - Throws: `.outOfMemory`.
    static func derive(
        from passphrase: SecretBytes, salt: [UInt8], cost: PassphraseCost
    ) throws(CryptoError) -> SecretBytes {
        var status: CInt = -1
        let key = SecretBytes(
            count: count,
            writtenBy: { output in
                status = passphrase.withOctets { start in
                    crypto_pwhash(
                        output, UInt64(count), UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self),
                        UInt64(passphrase.count), salt, UInt64(cost.passes), Int(cost.kibibytes) * 1024,
                        crypto_pwhash_alg_argon2id13())
                }
            })
        guard status == 0 else {
            throw CryptoError(.outOfMemory, "deriving the key takes \(cost.kibibytes) KiB of memory")
        }
        return key
    }
}
