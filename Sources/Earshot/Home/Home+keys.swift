import EarshotCrypto
import EarshotProtocol
import Foundation

extension Home {
    /// Makes an identity, a device and its first credential.
    ///
    /// - Parameters:
    ///   - name: normalized and checked; see `UserName`.
    ///   - passphrase: seals the identity's secret key. Without one, anybody who can read the file can speak as the
    ///     user.
    /// - Returns: the user's id, which is their public key.
    /// - Throws: `EarshotError`; then nothing that was there before has changed.
    @discardableResult
    public func create(name: String, passphrase: Passphrase? = nil) throws(EarshotError) -> UserID {
        try create(name: name, passphrase: passphrase, now: Self.now)
    }

    /// - Parameter now: the wall clock, in milliseconds since 1970.
    package func create(name: String, passphrase: Passphrase?, now: Int64) throws(EarshotError) -> UserID {
        let userName: UserName
        do { userName = try UserName(typed: name) } catch {
            throw EarshotError(.invalidName, "\"\(Excerpt.of(name))\" is not a name: \(error)", .init(name: name))
        }
        if let reservation = userName.reservation {
            throw EarshotError(
                .invalidName, "\"\(name)\" is not a name: a name \(reservation)", .init(.reservedCharacter, name: name))
        }
        try prepareDirectory()
        try checkIsEmpty()
        let identity = SigningKey.generate()
        let signing = SigningKey.generate()
        let agreement = AgreementKey.generate()
        let keys = DeviceKeys(signing: signing, agreement: agreement)
        do {
            try write(keys, to: deviceFile)
            try writeCredential(issue(name: userName, identity: identity, keys: keys, now: now))
            // Last, because this file makes the home initialized.
            try writeIdentity(identity, passphrase: passphrase)
        } catch {
            // Half an identity is useless, and would stand in the way of the next try.
            for file in [deviceFile, credentialFile, identityFile] { unlink(file) }
            throw error
        }
        return UserID(identity.publicKey)
    }

    /// Who the home directory belongs to, as its credential says.
    /// - Throws: `EarshotError` `notInitialized`, `looseHome`, `unusableHome`.
    package func owner() throws(EarshotError) -> (userID: UserID, name: UserName) {
        try check()
        let credential = try readCredential()
        return (credential.userID, credential.name)
    }

    /// - Throws: `EarshotError` `alreadyInitialized` if there are keys or a history, which are never overwritten.
    func checkIsEmpty() throws(EarshotError) {
        guard !isInitialized else {
            throw EarshotError(
                .alreadyInitialized, "there is an identity in \(path) already",
                .init(path: path))
        }
        for file in [deviceFile, credentialFile, databaseFile] where access(file, F_OK) == 0 {
            throw EarshotError(
                .alreadyInitialized, "there is \(file) already, and its identity is missing",
                .init(.identityMissing, path: file))
        }
    }

    /// Reads what a node needs to run, and renews the credential if that is due and possible.
    ///
    /// An expired credential, or one that could not be renewed, is no error: the history can still be read, and a
    /// running node reports it (`CredentialKeeper`).
    /// - Parameters:
    ///   - passphrase: opens a sealed identity, whose credential cannot be renewed without it.
    ///   - now: the wall clock, in milliseconds since 1970.
    /// - Throws: `EarshotError`.
    func unlock(passphrase: Passphrase?, now: Int64 = Home.now) throws(EarshotError) -> UnlockedHome {
        try check()
        let keys = try readDevice()
        let credential = try readCredential()
        guard credential.deviceID == DeviceID(keys.signing.publicKey),
            credential.agreementKey == keys.agreement.publicKey
        else { throw foreign(credentialFile, "device.key") }
        let identity = try identityAccess(passphrase: passphrase)
        let networkKey = try networkKey()
        var home = UnlockedHome(keys: keys, credential: credential, identity: identity, networkKey: networkKey)
        let renewal = CredentialSchedule.renewal(notBefore: credential.notBefore, notAfter: credential.notAfter)
        // Credentials of an earlier version do not say that their device is a primary one.
        let isDue = now >= renewal || now < credential.notBefore || !credential.isPrimary
        guard identity.isAtHand, isDue || passphrase != nil else { return home }
        let renewed = try issue(replacing: credential, identity: identity, keys: keys, now: now)
        do { try writeCredential(renewed) } catch {
            home.renewalFailure = error
            return home
        }
        home.credential = renewed
        return home
    }

    /// Issues a credential for the same name and keys, valid from now on, and puts it in the old one's place.
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    /// - Throws: `EarshotError`; then the old credential is still in the file.
    func renew(
        _ credential: Credential, identity: IdentityAccess, keys: DeviceKeys, now: Int64
    ) throws(EarshotError) -> Credential {
        let renewed = try issue(replacing: credential, identity: identity, keys: keys, now: now)
        try writeCredential(renewed)
        return renewed
    }

    /// Makes a device of the user who has accepted it.
    /// - Parameter passphrase: seals the identity, if the device gets that.
    /// - Throws: `EarshotError` `alreadyInitialized`, `unusableHome`, `looseHome`; then nothing was written.
    func join(_ gift: PairingGift, keys: DeviceKeys, passphrase: Passphrase?) throws(EarshotError) {
        try prepareDirectory()
        try checkIsEmpty()
        do {
            try write(keys, to: deviceFile)
            if let key = gift.networkKey { try write(KeyFileLabel.network, [key], to: networkFile) }
            // The last of these files makes the home initialized.
            try writeCredential(gift.credential)
            if let identity = gift.identityKey { try writeIdentity(identity, passphrase: passphrase) }
        } catch {
            for file in [identityFile, networkFile, deviceFile, credentialFile] { unlink(file) }
            throw error
        }
    }

    private func issue(
        replacing credential: Credential, identity: IdentityAccess, keys: DeviceKeys, now: Int64
    ) throws(EarshotError) -> Credential {
        let key = try identityKey(identity)
        guard UserID(key.publicKey) == credential.userID else { throw foreign(identityFile, "credential") }
        return issue(name: credential.name, identity: key, keys: keys, now: now)
    }

    private func identityAccess(passphrase: Passphrase?) throws(EarshotError) -> IdentityAccess {
        guard try PrivateFile.isThere(identityFile) else { return .elsewhere }
        guard try isSealed else { return .file }
        guard let passphrase else { return .sealed }
        return .unlocked(try readIdentity(passphrase: passphrase.secret))
    }

    private func identityKey(_ access: IdentityAccess) throws(EarshotError) -> SigningKey {
        switch access {
        case .file: try readIdentity(passphrase: nil)
        case .unlocked(let key): key
        case .sealed: throw Self.sealedError
        case .elsewhere: throw Self.needsPrimary
        }
    }

    static let needsPrimary = EarshotError(
        .needsPrimary, "only a device that holds the identity can do this, and this one does not")

    /// Has the identity's key sign a credential for a device of its user.
    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded`, `unusableHome`.
    func grant(_ request: CredentialRequest, identity: IdentityAccess) throws(EarshotError) -> CredentialGrant {
        .issue(request, identityKey: try identityKey(identity))
    }

    /// The secret half of the identity key, for a second primary device.
    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded`, `unusableHome`.
    func identitySeed(_ identity: IdentityAccess) throws(EarshotError) -> SecretBytes {
        try identityKey(identity).seed
    }

    /// Has the identity's key revoke a device of its user.
    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded`, `unusableHome`.
    func revocation(of deviceID: DeviceID, identity: IdentityAccess) throws(EarshotError) -> Revocation {
        .sign(deviceID, with: try identityKey(identity))
    }

    /// Has the identity's key say that a device holds it, in a conversation.
    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded`, `unusableHome`.
    func primaryProof(
        of deviceID: DeviceID, in conversationID: ConversationID, identity: IdentityAccess
    ) throws(EarshotError) -> Signature {
        PrimaryProof.sign(deviceID, in: conversationID, with: try identityKey(identity))
    }

    /// Has the identity's key sign what the other devices of its user are told, for the device that tells them.
    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded`, `unusableHome`.
    func signed(
        _ decision: Decision, for deviceID: DeviceID, identity: IdentityAccess
    ) throws(EarshotError) -> Decision {
        decision.signed(for: deviceID, with: try identityKey(identity))
    }

    /// Has the identity's key say where the logs of a device end.
    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded`, `unusableHome`.
    func cuts(
        of deviceID: DeviceID, after ends: [ConversationID: [LogPlace]], identity: IdentityAccess
    ) throws(EarshotError) -> [ConversationID: DeviceCut] {
        let key = try identityKey(identity)
        return ends.reduce(into: [:]) { $0[$1.key] = .sign(deviceID, after: $1.value, in: $1.key, with: key) }
    }

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// A clock that has just begun, in 1970, leaves no room to date a credential back.
    func issue(name: UserName, identity: SigningKey, keys: DeviceKeys, now: Int64) -> Credential {
        Credential.issue(
            name: name, identityKey: identity, deviceKey: keys.signing,
            agreementKey: keys.agreement.publicKey, isPrimary: true,
            notBefore: max(0, now - Timing.credentialBackdating),
            notAfter: now + Timing.credentialLifetime)
    }

    private func foreign(_ file: String, _ other: String) -> EarshotError {
        EarshotError(
            .unusableHome, "\(file) and \(other) are not of one identity",
            .init(.mismatched, path: file))
    }
}

/// The secret keys of a device.
struct DeviceKeys: Sendable {
    let signing: SigningKey
    let agreement: AgreementKey
}

/// Where a node gets the identity's key to renew its credential.
enum IdentityAccess: Sendable {
    /// It is not sealed, and is read from its file when needed.
    case file
    /// It is sealed, and stays open for as long as the node lives.
    case unlocked(SigningKey)
    /// It is sealed, and nobody gave the passphrase.
    case sealed
    /// Another device of the user holds it.
    case elsewhere

    var isAtHand: Bool {
        switch self {
        case .file, .unlocked: true
        case .sealed, .elsewhere: false
        }
    }

    /// Whether this device holds the identity, sealed or not.
    var isHere: Bool {
        if case .elsewhere = self { false } else { true }
    }
}

/// What a node needs from the files of its home.
struct UnlockedHome: Sendable {
    let keys: DeviceKeys
    var credential: Credential
    let identity: IdentityAccess
    let networkKey: NetworkKey?
    /// Why the credential was not renewed although that was due.
    var renewalFailure: EarshotError?
}
