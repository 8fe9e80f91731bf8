import EarshotCrypto
import EarshotProtocol
import Foundation

/// The names of what the key files hold, written at their beginning.
private enum KeyFileLabel {
    static let identity = Array("earshot identity 1\n".utf8)
    static let device = Array("earshot device 1\n".utf8)
    static let network = Array("earshot network 1\n".utf8)
}

extension Home {
    /// Makes an identity, a device and its first credential.
    ///
    /// - Parameters:
    ///   - name: normalized and checked; see `UserName`.
    ///   - passphrase: seals the identity's secret key; without one, whoever can read the file can speak as the user.
    /// - Returns: the key that the user is.
    /// - Throws: `EarshotError`; nothing that was there before is changed.
    @discardableResult
    public func create(name: String, passphrase: Passphrase? = nil) throws(EarshotError) -> UserID {
        let userName: UserName
        do { userName = try UserName(typed: name) } catch {
            throw EarshotError(.invalidName, "\"\(name)\" is not a name: \(error)", remedy: "choose another name")
        }
        try prepareDirectory()
        try checkIsEmpty()
        let identity = SigningKey.generate()
        let signing = SigningKey.generate()
        let agreement = AgreementKey.generate()
        let keys = DeviceKeys(signing: signing, agreement: agreement)
        do {
            try write(keys, to: deviceFile)
            try writeCredential(issue(name: userName, identity: identity, keys: keys, now: Self.now))
            // Last, because it is what makes the home initialized.
            try writeIdentity(identity, passphrase: passphrase?.secret)
        } catch {
            // Half an identity is of no use, and would stand in the way of the next try.
            for file in [deviceFile, credentialFile, identityFile] { unlink(file) }
            throw error
        }
        return UserID(identity.publicKey)
    }

    /// - Throws: `EarshotError` `alreadyInitialized` where there are keys or a history: none of it is ever overwritten.
    private func checkIsEmpty() throws(EarshotError) {
        guard !isInitialized else {
            throw EarshotError(
                .alreadyInitialized, "there is an identity in \(path) already",
                remedy: "use it, or name another home with --home")
        }
        for file in [deviceFile, credentialFile, databaseFile] where access(file, F_OK) == 0 {
            throw EarshotError(
                .alreadyInitialized, "there is \(file) already, and its identity is missing",
                remedy: "put identity.key back in its place, or name another home with --home")
        }
    }

    /// Reads what a node needs to run, and renews the credential where that is due and possible.
    ///
    /// - Parameter passphrase: needed only to renew the credential of a sealed identity.
    /// - Throws: `EarshotError`.
    func unlock(passphrase: Passphrase?) throws(EarshotError) -> (local: LinkMaterial, signing: SigningKey) {
        try check()
        let keys = try readDevice()
        var credential = try readCredential()
        guard credential.deviceID == DeviceID(keys.signing.publicKey),
            credential.agreementKey == keys.agreement.publicKey
        else { throw foreign(credentialFile, "device.key") }
        let lifetime = credential.notAfter - credential.notBefore
        if Self.now >= credential.notBefore + lifetime * 2 / 3 || passphrase != nil {
            if let identity = try readIdentity(
                passphrase: passphrase?.secret, mustOpen: Self.now >= credential.notAfter)
            {
                guard UserID(identity.publicKey) == credential.userID else { throw foreign(identityFile, "credential") }
                credential = issue(name: credential.name, identity: identity, keys: keys, now: Self.now)
                try writeCredential(credential)
            }
        }
        let networkKey =
            access(networkFile, F_OK) == 0 ? try readSecret(networkFile, KeyFileLabel.network, count: 32) : nil
        let material = LinkMaterial(agreement: keys.agreement, credential: credential, networkKey: networkKey)
        return (material, keys.signing)
    }

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private func issue(name: UserName, identity: SigningKey, keys: DeviceKeys, now: Int64) -> Credential {
        Credential.issue(
            name: name, identityKey: identity, deviceKey: keys.signing,
            agreementKey: keys.agreement.publicKey, notBefore: now - Timing.credentialBackdating,
            notAfter: now + Timing.credentialLifetime)
    }

    // MARK: - Files

    private func writeIdentity(_ identity: SigningKey, passphrase: SecretBytes?) throws(EarshotError) {
        guard let passphrase else {
            try write(KeyFileLabel.identity, [identity.seed], to: identityFile)
            return
        }
        let box: [UInt8]
        do { box = try PassphraseBox.seal(identity.seed, passphrase: passphrase) } catch {
            throw EarshotError(
                .unusableHome, "the identity cannot be sealed: \(error)", remedy: "is there enough memory?",
                cause: error)
        }
        try Self.writePrivate(box, to: identityFile)
    }

    /// - Returns: `nil` for a sealed identity without a passphrase, unless it must be opened.
    private func readIdentity(passphrase: SecretBytes?, mustOpen: Bool) throws(EarshotError) -> SigningKey? {
        let file = try PrivateFile.read(identityFile)
        guard let bytes = Self.box(in: file) else {
            return try signingKey(try readSecret(identityFile, KeyFileLabel.identity, count: 32), of: identityFile)
        }
        guard let passphrase else {
            guard mustOpen else { return nil }
            throw EarshotError(
                .credentialExpired, "the credential has expired, and the identity that renews it is sealed",
                remedy: "start once with --passphrase-file, or type the passphrase at the terminal")
        }
        do { return try signingKey(try PassphraseBox.open(bytes, passphrase: passphrase), of: identityFile) } catch let
            error as CryptoError
        {
            guard error.code == .wrongPassphrase else { throw malformed(identityFile, error) }
            throw EarshotError(.wrongPassphrase, "the passphrase is wrong", remedy: "try again", cause: error)
        } catch let error as EarshotError {
            throw error
        } catch {
            throw malformed(identityFile, error)
        }
    }

    /// Whether the identity's secret is sealed with a passphrase.
    public var isSealed: Bool {
        get throws(EarshotError) {
            Self.box(in: try PrivateFile.read(identityFile)) != nil
        }
    }

    /// The bytes of a sealed identity. Those of one that is not sealed are never copied out of wiped memory.
    private static func box(in file: SecretBytes) -> [UInt8]? {
        file.withUnsafeBytes { bytes in
            guard !bytes.starts(with: KeyFileLabel.identity) else { return nil }
            let copy = Array(bytes)
            return PassphraseBox.isBox(copy) ? copy : nil
        }
    }

    private func readDevice() throws(EarshotError) -> DeviceKeys {
        let secrets = try readSecret(deviceFile, KeyFileLabel.device, count: 64)
        let halves = secrets.withUnsafeBytes { bytes in
            (SecretBytes(copying: bytes.prefix(32)), SecretBytes(copying: bytes.dropFirst(32)))
        }
        do {
            return DeviceKeys(
                signing: try SigningKey(seed: halves.0), agreement: try AgreementKey(secret: halves.1))
        } catch { throw malformed(deviceFile, error) }
    }

    private func write(_ keys: DeviceKeys, to file: String) throws(EarshotError) {
        try write(KeyFileLabel.device, [keys.signing.seed, keys.agreement.secret], to: file)
    }

    private func readCredential() throws(EarshotError) -> Credential {
        let bytes = try PrivateFile.read(credentialFile).withUnsafeBytes { Array($0) }
        do { return try Credential(decoding: bytes) } catch { throw malformed(credentialFile, error) }
    }

    private func writeCredential(_ credential: Credential) throws(EarshotError) {
        try Self.writePrivate(credential.encoded(), to: credentialFile)
    }

    static func writePrivate(_ bytes: [UInt8], to file: String) throws(EarshotError) {
        var failure: EarshotError?
        bytes.withUnsafeBytes { bytes in
            do throws(EarshotError) { try PrivateFile.write(bytes, to: file) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func write(_ label: [UInt8], _ secrets: [SecretBytes], to file: String) throws(EarshotError) {
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

    private func readSecret(_ file: String, _ label: [UInt8], count: Int) throws(EarshotError) -> SecretBytes {
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

    private func foreign(_ file: String, _ other: String) -> EarshotError {
        EarshotError(
            .unusableHome, "\(file) and \(other) are not of one identity",
            remedy: "restore both from the same backup")
    }

    private func malformed(_ file: String, _ cause: (any Error)?) -> EarshotError {
        EarshotError(
            .unusableHome, "\(file) does not hold what it should", remedy: "restore it from a backup", cause: cause)
    }
}

/// The secret keys of a device.
struct DeviceKeys {
    let signing: SigningKey
    let agreement: AgreementKey
}

/// What the files give for the handshake.
struct LinkMaterial {
    let agreement: AgreementKey
    let credential: Credential
    let networkKey: SecretBytes?
}
