import CSodium

/// Any number of bytes, encrypted under a passphrase in chunks: for what does not fit into a `PassphraseBox`.
///
/// Argon2id makes the key. libsodium's secretstream (XChaCha20-Poly1305) encrypts each chunk, so that none can be
/// changed, removed, moved or repeated, and marks the last one. docs/BACKUP.md describes the bytes.
package enum SealedStream {
    /// Bytes of a chunk before it is sealed. Each but the last has just as many.
    package static let chunkBytes = 64 * 1024
    /// What sealing adds to a chunk.
    package static let overheadBytes = Int(crypto_secretstream_xchacha20poly1305_ABYTES)
    package static let headerBytes = SealedStreamHeader.count + overheadBytes
}

/// Seals a stream.
package final class SealedStreamWriter {
    private var state: crypto_secretstream_xchacha20poly1305_state
    private let header: SealedStreamHeader
    /// The bytes before the first chunk. They end with an empty chunk, which only the right passphrase opens.
    package private(set) var beginning: [UInt8] = []

    /// - Throws: `.outOfMemory`.
    package init(passphrase: SecretBytes, cost: PassphraseCost = .moderate) throws(CryptoError) {
        let salt = SecretBytes.random(count: SealedStreamHeader.saltBytes).withUnsafeBytes { Array($0) }
        let key = try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost)
        var stream = [UInt8](repeating: 0, count: SealedStreamHeader.streamBytes)
        var state = crypto_secretstream_xchacha20poly1305_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        _ = key.withOctets { crypto_secretstream_xchacha20poly1305_init_push(&state, &stream, $0) }
        self.state = state
        header = SealedStreamHeader(cost: cost, salt: salt, stream: stream)
        beginning = header.bytes + seal([], isLast: false)
    }

    deinit { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }

    /// Seals the next chunk.
    package func seal(_ chunk: [UInt8], isLast: Bool) -> [UInt8] {
        precondition(chunk.count <= SealedStream.chunkBytes, "a chunk is not larger than its limit")
        var sealed = [UInt8](repeating: 0, count: chunk.count + SealedStream.overheadBytes)
        let tag = isLast ? crypto_secretstream_xchacha20poly1305_tag_final() : 0
        _ = crypto_secretstream_xchacha20poly1305_push(
            &state, &sealed, nil, chunk, UInt64(chunk.count), header.bytes, UInt64(header.bytes.count), tag)
        return sealed
    }
}

/// Opens what a `SealedStreamWriter` has sealed.
package final class SealedStreamReader {
    private var state: crypto_secretstream_xchacha20poly1305_state
    private let header: SealedStreamHeader

    /// - Parameter beginning: the first `SealedStream.headerBytes` of the stream, or all of a shorter one.
    /// - Throws: `.malformedBox`, `.newerVersion`; `.wrongPassphrase`, also where the header was altered; `.outOfMemory`.
    package init(beginning: [UInt8], passphrase: SecretBytes) throws(CryptoError) {
        let header = try SealedStreamHeader(reading: Array(beginning.prefix(SealedStreamHeader.count)))
        guard beginning.count == SealedStream.headerBytes else {
            throw CryptoError(.malformedBox, "the header of the sealed stream is not whole")
        }
        let key = try PassphraseKey.derive(from: passphrase, salt: header.salt, cost: header.cost)
        var state = crypto_secretstream_xchacha20poly1305_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        let status = key.withOctets {
            crypto_secretstream_xchacha20poly1305_init_pull(&state, header.stream, $0)
        }
        guard status == 0 else { throw CryptoError(.malformedBox, "the header of the sealed stream does not hold") }
        self.header = header
        self.state = state
        do { _ = try open(Array(beginning[SealedStreamHeader.count...])) } catch {
            throw CryptoError(.wrongPassphrase, "the passphrase is wrong, or the header was altered", cause: error)
        }
    }

    deinit { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }

    /// Opens the next chunk.
    /// - Throws: `.decryptionFailed` for one that was changed, or is not the next one.
    package func open(_ sealed: [UInt8]) throws(CryptoError) -> (chunk: [UInt8], isLast: Bool) {
        guard (SealedStream.overheadBytes...SealedStream.chunkBytes + SealedStream.overheadBytes).contains(sealed.count)
        else { throw CryptoError(.decryptionFailed, "a chunk of \(sealed.count) bytes is too short or too long") }
        var chunk = [UInt8](repeating: 0, count: sealed.count - SealedStream.overheadBytes)
        var tag: UInt8 = 0
        let status = crypto_secretstream_xchacha20poly1305_pull(
            &state, &chunk, nil, &tag, sealed, UInt64(sealed.count), header.bytes, UInt64(header.bytes.count))
        guard status == 0 else { throw CryptoError(.decryptionFailed, "a chunk of the sealed stream was altered") }
        return (chunk, tag == crypto_secretstream_xchacha20poly1305_tag_final())
    }
}
