import CSodium

/// A secret encrypted under a passphrase, as bytes to keep in a file.
///
/// Argon2id version 1.3 (RFC 9106) makes the key, XChaCha20-Poly1305 encrypts, and the whole header is authenticated.
package enum PassphraseBox {
    /// The longest secret, in bytes.
    package static let maximumSecretBytes = 64 * 1024

    /// - Throws: `.secretTooLong`, `.outOfMemory`.
    package static func seal(
        _ secret: SecretBytes, passphrase: SecretBytes, cost: PassphraseCost = .moderate
    ) throws(CryptoError) -> [UInt8] {
        guard secret.count <= maximumSecretBytes else {
            throw CryptoError(.secretTooLong, "a box holds \(maximumSecretBytes) bytes and not \(secret.count)")
        }
        let header = PassphraseBoxHeader(cost: cost)
        let key = try PassphraseKey.derive(from: passphrase, salt: header.salt, cost: header.cost)
        return header.bytes + encrypt(secret, key: key, header: header)
    }

    /// - Throws: `.malformedBox` for what is no box, or one that would take more than 1 GiB of memory or four passes;
    ///   `.wrongPassphrase`, also where the box was altered; `.outOfMemory`.
    package static func open(_ box: [UInt8], passphrase: SecretBytes) throws(CryptoError) -> SecretBytes {
        let header = try PassphraseBoxHeader(reading: box)
        let ciphertext = Array(box.dropFirst(PassphraseBoxHeader.count))
        guard (tagBytes...maximumSecretBytes + tagBytes).contains(ciphertext.count) else {
            throw CryptoError(.malformedBox, "a box of \(box.count) bytes is too short or too long")
        }
        let key = try PassphraseKey.derive(from: passphrase, salt: header.salt, cost: header.cost)
        return try decrypt(ciphertext, key: key, header: header)
    }

    /// Whether the bytes begin as a box of any version does.
    package static func isBox(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: PassphraseBoxHeader.magic)
    }

    private static let tagBytes = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

    // The random salt makes the key unique to this box; the nonce is random, too.
    private static func encrypt(_ secret: SecretBytes, key: SecretBytes, header: PassphraseBoxHeader) -> [UInt8] {
        var ciphertext = [UInt8](repeating: 0, count: secret.count + tagBytes)
        _ = secret.withOctets { secretStart in
            key.withOctets { key in
                crypto_aead_xchacha20poly1305_ietf_encrypt(
                    &ciphertext, nil, secretStart, UInt64(secret.count), header.bytes, UInt64(header.bytes.count), nil,
                    header.nonce, key)
            }
        }
        return ciphertext
    }

    private static func decrypt(
        _ ciphertext: [UInt8], key: SecretBytes, header: PassphraseBoxHeader
    ) throws(CryptoError) -> SecretBytes {
        var status: CInt = -1
        let secret = SecretBytes(
            count: ciphertext.count - tagBytes,
            writtenBy: { output in
                status = key.withOctets { key in
                    crypto_aead_xchacha20poly1305_ietf_decrypt(
                        output, nil, nil, ciphertext, UInt64(ciphertext.count), header.bytes,
                        UInt64(header.bytes.count), header.nonce, key)
                }
            })
        guard status == 0 else {
            throw CryptoError(.wrongPassphrase, "the passphrase is wrong, or the box was altered")
        }
        return secret
    }
}
