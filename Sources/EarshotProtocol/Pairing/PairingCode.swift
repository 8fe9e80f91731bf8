package import EarshotCrypto
import EarshotModel

/// The one-time secret with which two devices of one user pair. People carry it from the one to the other.
package struct PairingCode: Sendable, Equatable {
    /// 128 bits: nobody guesses it, and nobody finds it from a recorded handshake either.
    package static let byteCount = 16

    package let secret: SecretBytes

    /// - Precondition: it has `byteCount` bytes.
    package init(secret: SecretBytes) {
        precondition(secret.count == Self.byteCount)
        self.secret = secret
    }

    package static func generate() -> PairingCode { PairingCode(secret: .random(count: byteCount)) }

    /// The pre-shared key of the handshake.
    package var key: SecretBytes {
        let bytes = hash("earshot pairing key v2")
        return SecretBytes(copying: bytes)
    }

    /// Tells the node that waits for this code from all others. It reveals nothing of the code.
    package var tag: [UInt8] { Array(hash("earshot pairing tag v2").prefix(8)) }

    private func hash(_ label: StaticString) -> [UInt8] {
        var hash = Blake2b(label: label)
        secret.withUnsafeBytes { hash.update($0) }
        return hash.finalize().bytes
    }
}
