import COpenSSL
import EarshotModel

/// ChaCha20-Poly1305 and BLAKE2b as OpenSSL computes them: two to three times as fast as libsodium where the input is large, and
/// slower where it is small.
///
/// The results are the same. Where OpenSSL is missing, or lacks one of them, as one that was built for FIPS 140 does, libsodium
/// takes its place.
enum LargeInputs {
    /// From here on OpenSSL is faster.
    static let leastBytes = 4096

    /// Loaded when the first large input comes.
    private static let library: COpenSSLFunctions? = {
        var functions = COpenSSLFunctions()
        return copenssl_load(&functions) ? functions : nil
    }()

    // OpenSSL shares what it has fetched between threads, and these are never given back.
    nonisolated(unsafe) private static let chaChaPoly = library?.CIPHER_fetch(nil, "ChaCha20-Poly1305", nil)
    nonisolated(unsafe) private static let blake2b512 = library?.MD_fetch(nil, "BLAKE2B-512", nil)

    /// Encrypts, without additional data. `output` is as long as `plaintext`, which it may start on; the tag follows it.
    /// - Returns: whether OpenSSL could.
    static func encrypt(
        _ plaintext: UnsafeRawBufferPointer, key: UnsafePointer<UInt8>, nonce: UnsafePointer<UInt8>,
        into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        withCipher { openSSL, context, cipher in
            var count: Int32 = 0
            return openSSL.EncryptInit_ex2(context, cipher, key, nonce, nil) == 1
                && openSSL.EncryptUpdate(context, output, &count, plaintext.octets, Int32(plaintext.count)) == 1
                && openSSL.EncryptFinal_ex(context, output + Int(count), &count) == 1
                && openSSL.CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, Int32(ChaChaPoly.tagBytes), output + plaintext.count) == 1
        } ?? false
    }

    /// Decrypts, without additional data.
    /// - Returns: whether the ciphertext is authentic, or `nil` where OpenSSL could not tell. Unless it is, `output` holds
    ///   nothing of the plaintext.
    static func decrypt(
        _ ciphertext: UnsafeRawBufferPointer, key: UnsafePointer<UInt8>, nonce: UnsafePointer<UInt8>,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool? {
        withCipher { openSSL, context, cipher in
            // OpenSSL asks for a pointer that it may change, and does not use it so.
            let tag = UnsafeMutableRawPointer(mutating: ciphertext.baseAddress?.advanced(by: output.count))
            var count: Int32 = 0
            guard openSSL.DecryptInit_ex2(context, cipher, key, nonce, nil) == 1,
                openSSL.CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(ChaChaPoly.tagBytes), tag) == 1
            else { return nil }
            if openSSL.DecryptUpdate(context, output.octets, &count, ciphertext.octets, Int32(output.count)) == 1,
                openSSL.DecryptFinal_ex(context, output.octets.map { $0 + Int(count) }, &count) == 1
            {
                return true
            }
            output.initializeMemory(as: UInt8.self, repeating: 0)
            return false
        } ?? nil
    }

    private static func withCipher<Result>(
        _ body: (COpenSSLFunctions, OpaquePointer, OpaquePointer) -> Result
    ) -> Result? {
        guard let library, let chaChaPoly, let context = library.CIPHER_CTX_new() else { return nil }
        // It wipes the key.
        defer { library.CIPHER_CTX_free(context) }
        return body(library, context, chaChaPoly)
    }

    /// BLAKE2b with a digest of 64 bytes over two inputs, one after the other.
    /// - Returns: its first half; `nil` where OpenSSL could not.
    static func blake2b512(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bytes32? {
        guard let openSSL = library, let blake2b512, let context = openSSL.MD_CTX_new() else { return nil }
        defer { openSSL.MD_CTX_free(context) }
        return withUnsafeTemporaryAllocation(byteCount: 2 * Bytes32.count, alignment: 8) { digest in
            guard openSSL.DigestInit_ex2(context, blake2b512, nil) == 1,
                openSSL.DigestUpdate(context, first.baseAddress, first.count) == 1,
                openSSL.DigestUpdate(context, second.baseAddress, second.count) == 1,
                openSSL.DigestFinal_ex(context, digest.octets, nil) == 1
            else { return nil }
            return Bytes32(exactly: UnsafeRawBufferPointer(rebasing: digest[..<Bytes32.count]))
        }
    }
}
