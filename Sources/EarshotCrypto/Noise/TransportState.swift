package import EarshotModel

/// The two ciphers of a link after its handshake (Noise specification, sections 5.1 and 7.3).
///
/// Messages must be opened in the order in which they were sealed, none left out. A copy would use nonces a second time,
/// which gives plaintext away: seal with one copy only.
package struct TransportState: Sendable {
    /// Of a Noise message, its tag included (section 3).
    package static let maximumMessageBytes = 65535
    /// By how much a message is longer than its plaintext.
    package static let tagBytes = 16

    /// Names this session and no other (section 11.2, channel binding).
    package let handshakeHash: Bytes32
    /// The key that the peer proved to have.
    package let remoteStaticKey: AgreementPublicKey

    private var sending: CipherState
    private var receiving: CipherState

    package init(
        sending: CipherState, receiving: CipherState, handshakeHash: Bytes32, remoteStaticKey: AgreementPublicKey
    ) {
        self.sending = sending
        self.receiving = receiving
        self.handshakeHash = handshakeHash
        self.remoteStaticKey = remoteStaticKey
    }

    /// Encrypts the next message. Allocates nothing.
    /// - Parameter output: 16 bytes longer than `plaintext`; it may start at the same address, and not overlap otherwise.
    /// - Throws: `.messageTooLong`, `.wrongBufferSize`, `.nonceExhausted`.
    package mutating func seal(
        _ plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        try Self.checkLength(plaintext.count + Self.tagBytes)
        try sending.encrypt(plaintext, additionalData: Self.noData, into: output)
    }

    /// Decrypts the next message. Allocates nothing. An error leaves the state as it was, and no plaintext in `output`.
    /// - Parameter output: 16 bytes shorter than `ciphertext`; it may start at the same address, and not overlap
    ///   otherwise.
    /// - Throws: `.messageTooLong`, `.messageTooShort`, `.wrongBufferSize`, `.decryptionFailed`, `.nonceExhausted`.
    package mutating func open(
        _ ciphertext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        try Self.checkLength(ciphertext.count)
        try receiving.decrypt(ciphertext, additionalData: Self.noData, into: output)
    }

    /// Encrypts the next message into a new array.
    /// - Throws: `.messageTooLong`, `.nonceExhausted`.
    package mutating func seal(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        try Self.checkLength(plaintext.count + Self.tagBytes)
        return try sending.encrypt(plaintext)
    }

    /// Decrypts the next message into a new array. An error leaves the state as it was.
    /// - Throws: `.messageTooLong`, `.messageTooShort`, `.decryptionFailed`, `.nonceExhausted`.
    package mutating func open(_ ciphertext: [UInt8]) throws(CryptoError) -> [UInt8] {
        try Self.checkLength(ciphertext.count)
        return try receiving.decrypt(ciphertext)
    }

    /// Rekey() of section 4.2 for what this side seals from now on; the peer calls `rekeyReceiving()` at the same place.
    /// The nonce goes on.
    package mutating func rekeySending() {
        sending.rekey()
    }

    /// Rekey() of section 4.2 for what this side opens from now on. The nonce goes on.
    package mutating func rekeyReceiving() {
        receiving.rekey()
    }

    private static var noData: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    private static func checkLength(_ count: Int) throws(CryptoError) {
        guard count <= maximumMessageBytes else {
            throw CryptoError(.messageTooLong, "a message of \(count) bytes is too long")
        }
        guard count >= tagBytes else {
            throw CryptoError(.messageTooShort, "a message of \(count) bytes has no room for a tag")
        }
    }
}
