package import EarshotCrypto
package import EarshotModel

/// This node itself: its user, its device and their keys.
package struct LocalDevice: Sendable {
    package let signingKey: SigningKey
    package var link: LinkConfiguration

    package init(signingKey: SigningKey, link: LinkConfiguration) {
        precondition(
            link.credential.deviceID == DeviceID(signingKey.publicKey)
                && link.credential.agreementKey == link.agreementKey.publicKey,
            "a node shows the credential of its own keys")
        self.signingKey = signingKey
        self.link = link
    }

    package var name: UserName { link.credential.name }
    package var userID: UserID { link.credential.userID }
    package var deviceID: DeviceID { link.credential.deviceID }
}
