public import EarshotCrypto
public import EarshotModel

/// This node itself: its user, its device and their keys.
public struct LocalDevice: Sendable {
    public let signingKey: SigningKey
    public var link: LinkConfiguration

    public init(signingKey: SigningKey, link: LinkConfiguration) {
        precondition(
            link.credential.deviceID == DeviceID(signingKey.publicKey)
                && link.credential.agreementKey == link.agreementKey.publicKey,
            "a node shows the credential of its own keys")
        self.signingKey = signingKey
        self.link = link
    }

    public var name: UserName { link.credential.name }
    public var userID: UserID { link.credential.userID }
    public var deviceID: DeviceID { link.credential.deviceID }
}
