import CSodium

/// ChaCha20-Poly1305 as the Noise specification wants it (section 12.3; RFC 8439).
enum ChaChaPoly {
    static let keyBytes = Int(crypto_aead_chacha20poly1305_ietf_KEYBYTES)
    static let tagBytes = Int(crypto_aead_chacha20poly1305_ietf_ABYTES)

    /// The nonce as 12 bytes: 32 zero bits, then the counter, little-endian.
    private typealias Nonce = (UInt32, UInt32, UInt32)

    private static func withNonce<R>(_ counter: UInt64, _ body: (UnsafePointer<UInt8>) -> R) -> R {
        let low = UInt32(truncatingIfNeeded: counter)
        let high = UInt32(truncatingIfNeeded: counter >> 32)
        let nonce: Nonce = (0, low.littleEndian, high.littleEndian)
        return withUnsafeBytes(of: nonce) { bytes in
            guard let start = bytes.octets else { preconditionFailure("a nonce of 12 bytes has an address") }
            return body(start)
        }
    }

    private static func isLarge(_ count: Int, _ additionalData: UnsafeRawBufferPointer) -> Bool {
        count >= LargeInputs.leastBytes && additionalData.isEmpty
    }

    /// ENCRYPT(k, n, ad, plaintext). `output` is `tagBytes` longer than `plaintext`, which it may start on.
    static func encrypt(
        _ plaintext: UnsafeRawBufferPointer, key: SecretBytes, counter: UInt64,
        additionalData: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        guard output.count == plaintext.count + tagBytes, let start = output.octets else {
            preconditionFailure("a ciphertext is as long as its plaintext and a tag")
        }
        withNonce(counter) { nonce in
            key.withOctets { key in
                if isLarge(plaintext.count, additionalData),
                    LargeInputs.encrypt(plaintext, key: key, nonce: nonce, into: start)
                {
                    return
                }
                crypto_aead_chacha20poly1305_ietf_encrypt(
                    start, nil, plaintext.octets, UInt64(plaintext.count),
                    additionalData.octets, UInt64(additionalData.count), nil, nonce, key)
            }
        }
    }

    /// DECRYPT(k, n, ad, ciphertext). `output` is `tagBytes` shorter than `ciphertext`, and may start where it does.
    /// - Returns: whether the ciphertext is authentic. If not, nothing of the plaintext is in `output`.
    static func decrypt(
        _ ciphertext: UnsafeRawBufferPointer, key: SecretBytes, counter: UInt64,
        additionalData: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard ciphertext.count == output.count + tagBytes, let start = ciphertext.octets else {
            preconditionFailure("a ciphertext is as long as its plaintext and a tag")
        }
        return withNonce(counter) { nonce in
            key.withOctets { key in
                if isLarge(output.count, additionalData),
                    let isAuthentic = LargeInputs.decrypt(ciphertext, key: key, nonce: nonce, into: output)
                {
                    return isAuthentic
                }
                return crypto_aead_chacha20poly1305_ietf_decrypt(
                    output.octets, nil, nil, start, UInt64(ciphertext.count),
                    additionalData.octets, UInt64(additionalData.count), nonce, key) == 0
            }
        }
    }

    /// REKEY(k): 32 zero bytes, encrypted with the nonce 2^64 - 1 that no message uses (section 4.2).
    static func rekey(_ key: SecretBytes) -> SecretBytes {
        let zeros = [UInt8](repeating: 0, count: keyBytes)
        var unusedTag = [UInt8](repeating: 0, count: tagBytes)
        return withNonce(.max) { nonce in
            key.withOctets { key in
                SecretBytes(
                    count: keyBytes, isOfLink: true,
                    writtenBy: { output in
                        crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                            output, &unusedTag, nil, zeros, UInt64(zeros.count), nil, 0, nil, nonce, key)
                    })
            }
        }
    }
}
