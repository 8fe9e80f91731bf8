package import EarshotCrypto
package import EarshotModel

/// A credential that its device has not signed yet: what a primary device gives to another one.
package struct CredentialGrant: Hashable, Sendable {
    /// The encoded body, as the identity key has signed it.
    let body: [UInt8]
    let signature: Signature

    init(body: [UInt8], signature: Signature) {
        self.body = body
        self.signature = signature
    }

    /// - Parameter identityKey: the secret half of the user's identity key, which vouches for the device.
    package static func issue(_ request: CredentialRequest, identityKey: SigningKey) -> CredentialGrant {
        var wire = Wire.CredentialBody()
        wire.name = request.name.text
        wire.identityKey = Wire.bytes(identityKey.publicKey)
        wire.deviceSigningKey = Wire.bytes(request.deviceID)
        wire.deviceAgreementKey = Wire.bytes(request.agreementKey)
        wire.notBefore = request.notBefore
        wire.notAfter = request.notAfter
        wire.primary = request.isPrimary
        let body = Wire.encode(wire)
        return CredentialGrant(body: body, signature: identityKey.signature(for: Credential.signedBytes(body)))
    }

    /// The credential, which the device that it names signs.
    /// - Parameter deviceKey: the secret half of the device's signing key, which proves that the device agrees.
    /// - Throws: `ProtocolError` `malformed` or `unauthentic`, also for a grant to another device.
    package func signed(by deviceKey: SigningKey) throws(ProtocolError) -> Credential {
        var wire = Wire.Credential()
        wire.body = body
        wire.signature = signature.bytes
        wire.deviceSignature = deviceKey.signature(for: Credential.countersignedBytes(body)).bytes
        return try Credential(wire: wire)
    }
}

/// What a credential is to say.
package struct CredentialRequest: Hashable, Sendable {
    package let name: UserName
    package let deviceID: DeviceID
    package let agreementKey: AgreementPublicKey
    /// Whether the device holds the identity key.
    package let isPrimary: Bool
    /// Milliseconds since 1970.
    package let notBefore: Int64
    package let notAfter: Int64

    package init(
        name: UserName, deviceID: DeviceID, agreementKey: AgreementPublicKey, isPrimary: Bool, notBefore: Int64,
        notAfter: Int64
    ) {
        self.name = name
        self.deviceID = deviceID
        self.agreementKey = agreementKey
        self.isPrimary = isPrimary
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}
