/// A key and the number of messages that it has encrypted or decrypted (Noise specification, section 5.1).
///
/// Copies are independent. Two copies that both encrypt use a nonce twice, which reveals the plaintext: encrypt with
/// only one of them.
package struct CipherState: Sendable {
    /// `k`; `nil` is the specification's "empty".
    private var key: SecretBytes?
    /// `n`: the nonce of the next message.
    package private(set) var nonce: UInt64 = 0

    /// InitializeKey(empty): what passes through stays as it is.
    package init() {}

    /// InitializeKey(key), and SetNonce(nonce).
    /// - Parameter key: 32 bytes.
    package init(key: SecretBytes, nonce: UInt64 = 0) {
        precondition(key.count == ChaChaPoly.keyBytes, "a cipher key is 32 bytes")
        self.key = key
        self.nonce = nonce
    }

    /// By how much a ciphertext is longer than its plaintext.
    package var overhead: Int { key == nil ? 0 : ChaChaPoly.tagBytes }

    /// EncryptWithAd(ad, plaintext).
    /// - Throws: `.wrongBufferSize` unless `output` is longer than `plaintext` by `overhead`; `.nonceExhausted`.
    package mutating func encrypt(
        _ plaintext: UnsafeRawBufferPointer, additionalData: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard output.count == plaintext.count + overhead else {
            throw CryptoError(.wrongBufferSize, "\(plaintext.count) bytes do not encrypt to \(output.count)")
        }
        guard let key else { return output.copyMemory(from: plaintext) }
        try checkNonce()
        ChaChaPoly.encrypt(plaintext, key: key, counter: nonce, additionalData: additionalData, into: output)
        nonce += 1
    }

    /// DecryptWithAd(ad, ciphertext). An error leaves the nonce as it was.
    /// - Throws: `.wrongBufferSize` unless `output` is shorter than `ciphertext` by `overhead`, `.decryptionFailed`,
    ///   `.nonceExhausted`.
    package mutating func decrypt(
        _ ciphertext: UnsafeRawBufferPointer, additionalData: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard ciphertext.count == output.count + overhead else {
            throw CryptoError(.wrongBufferSize, "\(ciphertext.count) bytes do not decrypt to \(output.count)")
        }
        guard let key else { return output.copyMemory(from: ciphertext) }
        try checkNonce()
        guard
            ChaChaPoly.decrypt(ciphertext, key: key, counter: nonce, additionalData: additionalData, into: output)
        else { throw CryptoError(.decryptionFailed, "a message is not authentic under this key") }
        nonce += 1
    }

    /// Rekey(): the nonce goes on.
    package mutating func rekey() {
        guard let key else { return }
        self.key = ChaChaPoly.rekey(key)
    }

    // 2^64 - 1 is kept for Rekey().
    private func checkNonce() throws(CryptoError) {
        guard nonce < .max else { throw CryptoError(.nonceExhausted, "the key has seen 2^64 - 1 messages") }
    }
}

extension CipherState {
    package mutating func encrypt(_ plaintext: [UInt8], additionalData: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: plaintext.count + overhead)
        var outputSpan = output.mutableSpan
        try outputSpan.withUnsafeMutableBytes { (output) throws(CryptoError) in
            try plaintext.span.withUnsafeBytes { (plaintext) throws(CryptoError) in
                try additionalData.span.withUnsafeBytes { (additionalData) throws(CryptoError) in
                    try encrypt(plaintext, additionalData: additionalData, into: output)
                }
            }
        }
        return output
    }

    /// - Throws: `.messageTooShort` for a ciphertext without room for its tag, and what the other `decrypt` throws.
    package mutating func decrypt(_ ciphertext: [UInt8], additionalData: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        guard ciphertext.count >= overhead else {
            throw CryptoError(.messageTooShort, "\(ciphertext.count) bytes have no room for a tag")
        }
        var output = [UInt8](repeating: 0, count: ciphertext.count - overhead)
        var outputSpan = output.mutableSpan
        try outputSpan.withUnsafeMutableBytes { (output) throws(CryptoError) in
            try ciphertext.span.withUnsafeBytes { (ciphertext) throws(CryptoError) in
                try additionalData.span.withUnsafeBytes { (additionalData) throws(CryptoError) in
                    try decrypt(ciphertext, additionalData: additionalData, into: output)
                }
            }
        }
        return output
    }
}
