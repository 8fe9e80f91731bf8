/// A device as this node last met it.
package struct DeviceRecord: Hashable, Sendable {
    package let deviceID: DeviceID
    package let userID: UserID
    /// The encoded credential that it showed; it proves the device's log entries.
    package var credential: [UInt8]
    /// Where the device was reached, the latest first; at most `Limits.addressesPerDevice`.
    package var addresses: [PeerAddress]

    package init(deviceID: DeviceID, userID: UserID, credential: [UInt8], addresses: [PeerAddress]) {
        self.deviceID = deviceID
        self.userID = userID
        self.credential = credential
        self.addresses = addresses
    }
}
