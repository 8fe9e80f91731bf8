/// What went wrong in a cryptographic operation.
///
/// A peer learns only that the link closes. Which check failed is for this node's own log.
package struct CryptoError: Error, Sendable {
    /// The kind of failure, for decisions.
    package let code: Code
    /// One sentence for people. It never holds secret bytes.
    package let message: String
    /// The error underneath, where there is one.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension CryptoError {
    /// An open set: new codes may be added, so a `switch` over it needs a `default`.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        package var description: String { name }

        /// A key, seed or pre-shared key is not as long as the algorithm asks.
        package static let invalidKeyLength = Code(name: "invalidKeyLength")
        /// A peer's public key makes a shared secret that anyone can compute (RFC 7748, section 6.1).
        package static let lowOrderKey = Code(name: "lowOrderKey")
        /// The handshake pattern wants a pre-shared key and has none, or the other way round.
        package static let presharedKeyMismatch = Code(name: "presharedKeyMismatch")
        /// Writing when it is the peer's turn, reading when it is ours, or either after the last handshake message.
        package static let outOfTurn = Code(name: "outOfTurn")
        /// The handshake has not come to its end yet.
        package static let handshakeUnfinished = Code(name: "handshakeUnfinished")
        /// A Noise message would be, or is, longer than 65535 bytes.
        package static let messageTooLong = Code(name: "messageTooLong")
        /// A message ends before the fields that it must have.
        package static let messageTooShort = Code(name: "messageTooShort")
        /// The output buffer is not exactly as long as the result.
        package static let wrongBufferSize = Code(name: "wrongBufferSize")
        /// A message is not authentic under this key and nonce: forged, altered, replayed or out of order.
        package static let decryptionFailed = Code(name: "decryptionFailed")
        /// The key has encrypted 2^64 - 1 messages, and must not be used again.
        package static let nonceExhausted = Code(name: "nonceExhausted")
        /// The passphrase does not open this box, or the box was altered.
        package static let wrongPassphrase = Code(name: "wrongPassphrase")
        /// The bytes are not a box of a version and with parameters that this program accepts.
        package static let malformedBox = Code(name: "malformedBox")
        /// Sealed bytes of a version that this program does not know yet.
        package static let newerVersion = Code(name: "newerVersion")
        /// A secret is longer than a box holds.
        package static let secretTooLong = Code(name: "secretTooLong")
        /// The system has not as much memory as deriving the key takes.
        package static let outOfMemory = Code(name: "outOfMemory")
    }
}

extension CryptoError: CustomStringConvertible {
    package var description: String {
        guard let cause else { return "\(code): \(message)" }
        return "\(code): \(message) (\(cause))"
    }
}
