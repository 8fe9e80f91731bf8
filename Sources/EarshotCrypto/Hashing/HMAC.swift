import CSodium
import EarshotModel

/// HMAC with SHA-256 (RFC 2104): HMAC-HASH of the Noise suite (section 4.3), and what webhooks are signed with.
package enum HMAC {
    static func authenticate(_ message: UnsafeRawBufferPointer..., key: SecretBytes) -> SecretBytes {
        var state = crypto_auth_hmacsha256_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        _ = key.withOctets { crypto_auth_hmacsha256_init(&state, $0, key.count) }
        for part in message {
            guard let start = part.octets else { continue }
            crypto_auth_hmacsha256_update(&state, start, UInt64(part.count))
        }
        return SecretBytes(
            count: Bytes32.count, isOfLink: true, writtenBy: { _ = crypto_auth_hmacsha256_final(&state, $0) })
    }

    /// - Parameter key: of any length but 0.
    /// - Returns: the code, 32 bytes.
    package static func sha256(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        Sodium.start()
        let key = key.withUnsafeBytes { SecretBytes(copying: $0) }
        return message.withUnsafeBytes { message in
            authenticate(message, key: key).withUnsafeBytes { Array($0) }
        }
    }
}
