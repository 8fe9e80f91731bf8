package import EarshotCrypto
package import EarshotModel

/// Binds a user's name and a device's keys to the user's identity key, for a time.
package struct Credential: Hashable, Sendable {
    package let name: UserName
    package let userID: UserID
    package let deviceID: DeviceID
    package let agreementKey: AgreementPublicKey
    /// When it begins, in milliseconds since 1970.
    package let notBefore: Int64
    /// When it ends, in milliseconds since 1970: it is valid before this.
    package let notAfter: Int64
    /// Whether the device holds the identity key. Only that key can sign it, so no other device can claim it.
    package let isPrimary: Bool
    /// The times that a credential may name, from 1970 on: whole numbers that every language can represent.
    static let times: ClosedRange<Int64> = 0...Int64(Counting.largest)

    /// The encoded body, as it was signed.
    private let body: [UInt8]
    private let signature: Signature
    private let deviceSignature: Signature

    /// Issues a credential.
    /// - Parameters:
    ///   - identityKey: the secret half of the user's identity key, which vouches for the device.
    ///   - deviceKey: the secret half of the device's signing key, which proves that the device agrees.
    package static func issue(
        name: UserName, identityKey: SigningKey, deviceKey: SigningKey, agreementKey: AgreementPublicKey,
        isPrimary: Bool = false, notBefore: Int64, notAfter: Int64
    ) -> Credential {
        let request = CredentialRequest(
            name: name, deviceID: DeviceID(deviceKey.publicKey), agreementKey: agreementKey, isPrimary: isPrimary,
            notBefore: notBefore, notAfter: notAfter)
        let grant = CredentialGrant.issue(request, identityKey: identityKey)
        return Credential(
            request, userID: UserID(identityKey.publicKey), body: grant.body, signature: grant.signature,
            deviceSignature: deviceKey.signature(for: countersignedBytes(grant.body)))
    }

    private init(
        _ content: CredentialRequest, userID: UserID, body: [UInt8], signature: Signature, deviceSignature: Signature
    ) {
        name = content.name
        self.userID = userID
        deviceID = content.deviceID
        agreementKey = content.agreementKey
        notBefore = content.notBefore
        notAfter = content.notAfter
        isPrimary = content.isPrimary
        self.body = body
        self.signature = signature
        self.deviceSignature = deviceSignature
    }

    static func signedBytes(_ body: [UInt8]) -> [UInt8] {
        SignedBytes(label: "earshot credential v1").adding(body).bytes
    }

    static func countersignedBytes(_ body: [UInt8]) -> [UInt8] {
        SignedBytes(label: "earshot credential device v1").adding(body).bytes
    }

    /// Reads a credential, and checks that the identity and the device that it names have signed it. It does not check
    /// whether the credential is valid now.
    /// - Throws: `ProtocolError` `malformed` or `unauthentic`.
    package init(decoding bytes: [UInt8]) throws(ProtocolError) {
        guard bytes.count <= Limits.credentialBytes else {
            throw ProtocolError(.malformed, "a credential is over \(Limits.credentialBytes) bytes")
        }
        try self.init(wire: try Wire.decode(Wire.Credential.self, from: bytes, as: "a credential"))
    }

    /// Reads a credential that was checked before it was written to the disk.
    /// - Throws: `ProtocolError` `malformed`.
    init(stored bytes: [UInt8]) throws(ProtocolError) {
        try self.init(
            unproved: try Wire.decode(Wire.Credential.self, from: bytes, as: "a credential"))
    }

    init(wire: Wire.Credential) throws(ProtocolError) {
        try self.init(unproved: wire)
        guard Ed25519.isValid(signature, for: Self.signedBytes(body), by: userID.bytes32) else {
            throw ProtocolError(.unauthentic, "a credential is not signed by the identity that it names")
        }
        // Otherwise anybody could name somebody else's device, and take its place.
        guard Ed25519.isValid(deviceSignature, for: Self.countersignedBytes(body), by: deviceID.bytes32) else {
            throw ProtocolError(.unauthentic, "a credential is not signed by the device that it names")
        }
    }

    /// The device that a credential names. Nothing is proved.
    /// - Throws: `ProtocolError` `malformed`.
    static func deviceID(in wire: Wire.Credential) throws(ProtocolError) -> DeviceID {
        try checkLength(of: wire)
        let fields = try Wire.decode(Wire.CredentialBody.self, from: wire.body, as: "a credential")
        guard let deviceID = DeviceID(bytes: fields.deviceSigningKey) else { throw wrongKey }
        return deviceID
    }

    private static func checkLength(of wire: Wire.Credential) throws(ProtocolError) {
        guard wire.body.count + wire.signature.count + wire.deviceSignature.count <= Limits.credentialBytes else {
            throw ProtocolError(.malformed, "a credential is over \(Limits.credentialBytes) bytes")
        }
    }

    private static var wrongKey: ProtocolError {
        ProtocolError(.malformed, "a key in a credential has the wrong length")
    }

    private init(unproved wire: Wire.Credential) throws(ProtocolError) {
        try Self.checkLength(of: wire)
        let body = wire.body
        let fields = try Wire.decode(Wire.CredentialBody.self, from: body, as: "a credential")
        guard let userID = UserID(bytes: fields.identityKey), let deviceID = DeviceID(bytes: fields.deviceSigningKey),
            let agreementKey = AgreementPublicKey(bytes: fields.deviceAgreementKey),
            let signature = Signature(wire.signature), let deviceSignature = Signature(wire.deviceSignature)
        else { throw Self.wrongKey }
        guard Self.times.contains(fields.notBefore), Self.times.contains(fields.notAfter) else {
            throw ProtocolError(.malformed, "a time in a credential is out of range")
        }
        let name: UserName
        do { name = try UserName(fields.name) } catch {
            throw ProtocolError(.malformed, "the name in a credential is not valid: \(error)")
        }
        let content = CredentialRequest(
            name: name, deviceID: deviceID, agreementKey: agreementKey, isPrimary: fields.primary,
            notBefore: fields.notBefore, notAfter: fields.notAfter)
        self.init(
            content, userID: userID, body: body, signature: signature, deviceSignature: deviceSignature)
    }

    package func encoded() -> [UInt8] { Wire.encode(wire) }

    var wire: Wire.Credential {
        var wire = Wire.Credential()
        wire.body = body
        wire.signature = signature.bytes
        wire.deviceSignature = deviceSignature.bytes
        return wire
    }

    package func isValid(at wallClock: Int64) -> Bool { notBefore <= wallClock && wallClock < notAfter }

    /// Checks whether it is valid at a time.
    /// - Parameter clockOffset: how far its holder's clock is ahead of this node's, if known.
    /// - Throws: `ProtocolError` `credentialExpired` or `credentialNotYetValid`, which name the clock if that is the
    ///   likely cause.
    package func checkValidity(at wallClock: Int64, clockOffset: Int64? = nil) throws(ProtocolError) {
        guard !isValid(at: wallClock) else { return }
        let isExpired = wallClock >= notAfter
        let times = (
            notBefore: TimeSpan.text(milliseconds: notBefore - wallClock),
            notAfter: TimeSpan.text(milliseconds: wallClock - notAfter)
        )
        let what =
            "the credential of \(name) "
            + (isExpired ? "expired \(times.notAfter) ago" : "begins \(times.notBefore) from now")
        let cause: String
        if let clockOffset, ClockOffset.isLarge(clockOffset), isValid(at: wallClock + clockOffset) {
            let difference = ClockOffset.text(clockOffset)
            cause = " by this machine's clock; \(name)'s clock is \(difference) this one's: " + ClockOffset.remedy
        } else if clockOffset == nil {
            cause = ": \(name) must renew it, unless a clock is wrong"
        } else if isExpired {
            cause = " and was not renewed: \(name) must renew it"
        } else {
            cause = ", and \(name)'s clock says so, too: \(name) must renew it"
        }
        throw ProtocolError(isExpired ? .credentialExpired : .credentialNotYetValid, what + cause)
    }
}
