/// A user's statement, signed by the identity key, that a device is no longer theirs. It is permanent.
package struct Revocation: Hashable, Sendable {
    package let userID: UserID
    package let deviceID: DeviceID
    package let signature: Signature

    package init(userID: UserID, deviceID: DeviceID, signature: Signature) {
        self.userID = userID
        self.deviceID = deviceID
        self.signature = signature
    }
}

/// A device that its user has revoked: nobody who knows of it links to the device any more.
public struct RevokedDevice: Hashable, Sendable {
    public let userID: UserID
    public let deviceID: DeviceID

    package init(userID: UserID, deviceID: DeviceID) {
        self.userID = userID
        self.deviceID = deviceID
    }
}
