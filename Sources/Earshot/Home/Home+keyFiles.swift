import EarshotCrypto
import EarshotProtocol
import Foundation

/// The labels at the beginning of the key files.
enum KeyFileLabel {
    static let identity = Array("earshot identity 1\n".utf8)
    static let device = Array("earshot device 1\n".utf8)
    static let network = Array("earshot network 1\n".utf8)
}

/// The contents of the key files.
extension Home {
    func writeIdentity(_ identity: SigningKey, passphrase: Passphrase?) throws(EarshotError) {
        guard let passphrase else {
            try write(KeyFileLabel.identity, [identity.seed], to: identityFile)
            return
        }
        let box: [UInt8]
        do {
            box = try PassphraseBox.seal(identity.seed, passphrase: passphrase.secret, cost: passphrase.cost)
        } catch {
            throw EarshotError(
                .unusableHome, "the identity cannot be sealed: \(error)", .init(.outOfMemory),
                cause: error)
        }
        try Self.writePrivate(box, to: identityFile)
    }

    /// - Throws: `EarshotError` `passphraseNeeded` for a sealed identity without a passphrase, `wrongPassphrase`,
    ///   `unusableHome`.
    func readIdentity(passphrase: SecretBytes?) throws(EarshotError) -> SigningKey {
        let file = try PrivateFile.read(identityFile)
        guard let bytes = Self.box(in: file) else {
            return try signingKey(try readSecret(identityFile, KeyFileLabel.identity, count: 32), of: identityFile)
        }
        guard let passphrase else { throw Self.sealedError }
        do { return try signingKey(try PassphraseBox.open(bytes, passphrase: passphrase), of: identityFile) } catch let
            error as CryptoError
        {
            guard error.code == .wrongPassphrase else { throw malformed(identityFile, error) }
            throw EarshotError(.wrongPassphrase, "the passphrase is wrong", cause: error)
        } catch let error as EarshotError {
            throw error
        } catch {
            throw malformed(identityFile, error)
        }
    }

    static let sealedError = EarshotError(
        .passphraseNeeded, "the identity is sealed, and its passphrase is needed to renew the credential",
        .init(.sealed))

    /// Whether the identity's secret is sealed with a passphrase.
    public var isSealed: Bool {
        get throws(EarshotError) {
            guard try PrivateFile.isThere(identityFile) else { return false }
            return Self.box(in: try PrivateFile.read(identityFile)) != nil
        }
    }

    /// The bytes of a sealed identity. The bytes of one that is not sealed are never copied out of wiped memory.
    private static func box(in file: SecretBytes) -> [UInt8]? {
        file.withUnsafeBytes { bytes in
            guard !bytes.starts(with: KeyFileLabel.identity) else { return nil }
            let copy = Array(bytes)
            return PassphraseBox.isBox(copy) ? copy : nil
        }
    }

    /// Whether this is a linked device: it holds no identity key, and a credential that a primary device issued.
    public var isLinked: Bool {
        guard access(identityFile, F_OK) != 0, access(deviceFile, F_OK) == 0 else { return false }
        do { return try !readCredential().isPrimary } catch { return false }
    }

    func readDevice() throws(EarshotError) -> DeviceKeys {
        let secrets = try readSecret(deviceFile, KeyFileLabel.device, count: 64)
        let halves = secrets.withUnsafeBytes { bytes in
            (SecretBytes(copying: bytes.prefix(32)), SecretBytes(copying: bytes.dropFirst(32)))
        }
        do {
            return DeviceKeys(
                signing: try SigningKey(seed: halves.0), agreement: try AgreementKey(secret: halves.1))
        } catch { throw malformed(deviceFile, error) }
    }

    func write(_ keys: DeviceKeys, to file: String) throws(EarshotError) {
        try write(KeyFileLabel.device, [keys.signing.seed, keys.agreement.secret], to: file)
    }

    func readCredential() throws(EarshotError) -> Credential {
        let bytes = try PrivateFile.read(credentialFile).withUnsafeBytes { Array($0) }
        do { return try Credential(decoding: bytes) } catch { throw malformed(credentialFile, error) }
    }

    func writeCredential(_ credential: Credential) throws(EarshotError) {
        try Self.writePrivate(credential.encoded(), to: credentialFile)
    }

    static func writePrivate(_ bytes: [UInt8], to file: String) throws(EarshotError) {
        var failure: EarshotError?
        bytes.withUnsafeBytes { bytes in
            do throws(EarshotError) { try PrivateFile.write(bytes, to: file) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    func write(_ label: [UInt8], _ secrets: [SecretBytes], to file: String) throws(EarshotError) {
        let count = secrets.reduce(label.count) { $0 + $1.count }
        let whole = SecretBytes(count: count) { buffer in
            buffer.copyBytes(from: label)
            var offset = label.count
            for secret in secrets {
                secret.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyBytes(from: $0)
                }
                offset += secret.count
            }
        }
        var failure: EarshotError?
        whole.withUnsafeBytes { bytes in
            do throws(EarshotError) { try PrivateFile.write(bytes, to: file) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    func readSecret(_ file: String, _ label: [UInt8], count: Int) throws(EarshotError) -> SecretBytes {
        let whole = try PrivateFile.read(file)
        let secret = whole.withUnsafeBytes { bytes in
            bytes.starts(with: label) ? SecretBytes(copying: bytes.dropFirst(label.count)) : nil
        }
        guard let secret, secret.count == count else { throw malformed(file, nil) }
        return secret
    }

    private func signingKey(_ seed: SecretBytes, of file: String) throws(EarshotError) -> SigningKey {
        do { return try SigningKey(seed: seed) } catch { throw malformed(file, error) }
    }

    private func malformed(_ file: String, _ cause: (any Error)?) -> EarshotError {
        EarshotError(
            .unusableHome, "\(file) does not hold what it should", .init(.malformed, path: file), cause: cause)
    }
}
