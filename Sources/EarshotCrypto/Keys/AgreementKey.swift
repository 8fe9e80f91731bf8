import CSodium
package import EarshotModel

/// A secret X25519 key (RFC 7748): a device's Noise static key, or the ephemeral key of one handshake.
package struct AgreementKey: Sendable {
    /// Bytes of a secret key, a public key and a shared secret alike: the DHLEN of the Noise specification.
    package static let keyBytes = 32

    package let publicKey: AgreementPublicKey
    package let secret: SecretBytes

    /// - Parameter secret: 32 uniformly random bytes, clamped in use and not before (RFC 7748, section 5).
    /// - Throws: `.invalidKeyLength` for any other number.
    package init(secret: SecretBytes) throws(CryptoError) {
        guard secret.count == AgreementKey.keyBytes else {
            throw CryptoError(.invalidKeyLength, "an X25519 key is 32 bytes, and this one is \(secret.count)")
        }
        self.init(checked: secret)
    }

    private init(checked secret: SecretBytes) {
        self.secret = secret
        publicKey = AgreementPublicKey(
            Bytes32 { output in
                _ = secret.withOctets { crypto_scalarmult_curve25519_base(output, $0) }
            })
    }

    /// A new key for one handshake.
    package static func ephemeral() -> AgreementKey {
        AgreementKey(checked: .random(count: keyBytes, isOfLink: true))
    }

    /// A new key from the system's random number generator.
    package static func generate() -> AgreementKey {
        AgreementKey(checked: .random(count: keyBytes))
    }

    /// The X25519 function itself; derive keys from the result, do not use it as one.
    /// - Throws: `.lowOrderKey` where the result would be all zero, whatever our key (RFC 7748, section 6.1).
    package func sharedSecret(with remote: AgreementPublicKey) throws(CryptoError) -> SecretBytes {
        var status: CInt = -1
        let shared = SecretBytes(
            count: AgreementKey.keyBytes, isOfLink: true,
            writtenBy: { output in
                status = secret.withOctets { crypto_scalarmult_curve25519(output, $0, remote.bytes) }
            })
        guard status == 0 else { throw CryptoError(.lowOrderKey, "the peer's public key is a point of low order") }
        return shared
    }
}
