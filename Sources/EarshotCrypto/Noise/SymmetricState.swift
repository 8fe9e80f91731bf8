import EarshotModel

/// The chaining key, the hash of all that was said, and the cipher of a handshake (Noise specification, section 5.2).
///
/// A value: copying it copies the handshake so far.
struct SymmetricState: Sendable {
    private var cipher = CipherState()
    /// `ck`
    private var chainingKey: SecretBytes
    /// `h`
    private(set) var handshakeHash: Bytes32

    /// InitializeSymmetric(protocol_name): a name of up to 32 bytes stands for its own hash, padded with zeros.
    init(protocolName: String) {
        let name = Array(protocolName.utf8)
        let padding = [UInt8](repeating: 0, count: max(0, Bytes32.count - name.count))
        handshakeHash = Bytes32(name + padding) ?? name.withUnsafeBytes { SHA256.hash($0) }
        chainingKey = SecretBytes(copying: handshakeHash.bytes, isOfLink: true)
    }

    /// How many bytes `encryptAndHash` adds to its input: none before the first `mixKey`.
    var overhead: Int { cipher.overhead }

    /// MixHash(data).
    mutating func mixHash(_ data: [UInt8]) {
        data.withUnsafeBytes { mixHash($0) }
    }

    private mutating func mixHash(_ data: UnsafeRawBufferPointer) {
        handshakeHash = handshakeHash.withUnsafeBytes { SHA256.hash($0, data) }
    }

    /// MixKey(input_key_material).
    mutating func mixKey(_ input: SecretBytes) {
        var outputs = HKDF(chainingKey: chainingKey, input: input)
        chainingKey = outputs.next()
        cipher = CipherState(key: outputs.next())
    }

    /// MixKeyAndHash(input_key_material), for pre-shared keys.
    mutating func mixKeyAndHash(_ input: SecretBytes) {
        var outputs = HKDF(chainingKey: chainingKey, input: input)
        chainingKey = outputs.next()
        outputs.next().withUnsafeBytes { mixHash($0) }
        cipher = CipherState(key: outputs.next())
    }

    /// EncryptAndHash(plaintext).
    mutating func encryptAndHash(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        let ciphertext = try cipher.encrypt(plaintext, additionalData: handshakeHash.bytes)
        mixHash(ciphertext)
        return ciphertext
    }

    /// DecryptAndHash(ciphertext).
    mutating func decryptAndHash(_ ciphertext: [UInt8]) throws(CryptoError) -> [UInt8] {
        let plaintext = try cipher.decrypt(ciphertext, additionalData: handshakeHash.bytes)
        mixHash(ciphertext)
        return plaintext
    }

    /// Split(): the cipher of what the initiator sends, and that of what the responder sends.
    func split() -> (initiator: CipherState, responder: CipherState) {
        let nothing = SecretBytes(copying: [], isOfLink: true)
        var outputs = HKDF(chainingKey: chainingKey, input: nothing)
        return (CipherState(key: outputs.next()), CipherState(key: outputs.next()))
    }
}
