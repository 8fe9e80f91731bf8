import CSodium
import EarshotModel

/// HASH of the suite: SHA-256 (Noise specification, section 12.5).
enum SHA256 {
    static func hash(_ head: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer? = nil) -> Bytes32 {
        var state = crypto_hash_sha256_state()
        crypto_hash_sha256_init(&state)
        for part in [head, tail] {
            guard let part, let start = part.octets else { continue }
            crypto_hash_sha256_update(&state, start, UInt64(part.count))
        }
        return Bytes32 { _ = crypto_hash_sha256_final(&state, $0) }
    }
}

/// HKDF(chaining_key, input_key_material, num_outputs), an output at a time (section 4.3; RFC 5869).
struct HKDF {
    private let temporaryKey: SecretBytes
    private var previous: SecretBytes?
    private var counter: UInt8 = 0

    init(chainingKey: SecretBytes, input: SecretBytes) {
        temporaryKey = input.withUnsafeBytes { HMAC.authenticate($0, key: chainingKey) }
    }

    /// The next output: `HMAC(temp_key, previous output || counter)`. The specification asks for at most three.
    mutating func next() -> SecretBytes {
        counter += 1
        let output = withUnsafeBytes(of: counter) { counter in
            previous?.withUnsafeBytes { HMAC.authenticate($0, counter, key: temporaryKey) }
                ?? HMAC.authenticate(counter, key: temporaryKey)
        }
        previous = output
        return output
    }
}
