/// A device as this node last met it.
public struct DeviceRecord: Hashable, Sendable {
    public let deviceID: DeviceID
    public let userID: UserID
    /// The credential it showed, encoded: what proves its log entries.
    public var credential: [UInt8]
    /// Where it was reached, the latest first; at most `Limits.addressesPerDevice`.
    public var addresses: [PeerAddress]

    public init(deviceID: DeviceID, userID: UserID, credential: [UInt8], addresses: [PeerAddress]) {
        self.deviceID = deviceID
        self.userID = userID
        self.credential = credential
        self.addresses = addresses
    }
}
