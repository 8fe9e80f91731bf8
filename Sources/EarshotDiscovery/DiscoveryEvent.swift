public import EarshotModel

/// What a source says of one device. Only a hint: who is there is proved by the handshake.
public struct DiscoveredDevice: Sendable, Hashable {
    public let deviceID: DeviceID
    public var name: UserName
    /// `UserID.fingerprint` without spaces.
    public var fingerprint: String
    public var protocolVersion: Int
    public var networkTag: String?
    /// Where it may be reached: the best address of each of its records, then the second best of each, and so on. Of
    /// these the best first: routable, then link-local, then loopback. At most `Limits.advertisedAddresses`.
    public var addresses: [PeerAddress]

    public init(
        deviceID: DeviceID, name: UserName, fingerprint: String, protocolVersion: Int, networkTag: String?,
        addresses: [PeerAddress]
    ) {
        self.deviceID = deviceID
        self.name = name
        self.fingerprint = fingerprint
        self.protocolVersion = protocolVersion
        self.networkTag = networkTag
        self.addresses = addresses
    }
}

/// A change in who is there.
public enum DiscoveryEvent: Sendable, Hashable {
    case found(DiscoveredDevice)
    /// A device that was found says something else now, or is reached elsewhere.
    case updated(DiscoveredDevice)
    /// The last source that saw the device sees it no longer.
    case lost(DeviceID)
    /// Nobody is found by this source.
    case sourceUnavailable(source: String, reason: String)
    /// Devices are found, by this stack from now on: `DiscoveryStack.description`.
    case sourceAvailable(source: String)
    /// Someone else advertises this node's own device id: as a rule a copy of its home directory runs elsewhere.
    ///
    /// Told when the addresses change; there is none when nobody does so any more. Only a hint, as all that is advertised; and for two minutes at the most it may
    /// be what is left of an earlier run of this node that could not say goodbye.
    case ownDeviceElsewhere(addresses: [PeerAddress])
    /// Someone on the network advertises what cannot be read, or more than is kept track of.
    case malformed(instance: String, reason: String)
}
