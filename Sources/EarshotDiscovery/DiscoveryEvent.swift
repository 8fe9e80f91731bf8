package import EarshotModel

/// What a source reports about a device. It is only a hint: the handshake proves who is there.
package struct DiscoveredDevice: Sendable, Hashable {
    package let deviceID: DeviceID
    package var name: UserName
    /// `UserID.fingerprint` without spaces.
    package var fingerprint: String
    package var protocolVersion: Int
    package var networkTag: String?
    /// Where it may be reached: the best address of each of its records, then the second best of each, and so on, at
    /// most `Limits.advertisedAddresses`. They are sorted by reach: routable, then link-local, then loopback.
    package var addresses: [PeerAddress]

    package init(
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

/// A change of the devices that are there.
package enum DiscoveryEvent: Sendable, Hashable {
    case found(DiscoveredDevice)
    /// A known device advertises something new about itself, or has other addresses.
    case updated(DiscoveredDevice)
    /// The last source that saw the device sees it no longer.
    case lost(DeviceID)
    /// Nobody is found by this source.
    case sourceUnavailable(source: String, reason: String)
    /// Devices are found, by this stack from now on: `DiscoveryStack.description`.
    case sourceAvailable(source: String)
    /// Someone else advertises this node's own device id. As a rule a copy of its home directory runs elsewhere.
    ///
    /// Reported when the addresses change; empty once nobody does so. Like every advertisement it is only a hint, and
    /// for at most two minutes it may be left over from an earlier run of this node that could not say goodbye.
    case ownDeviceElsewhere(addresses: [PeerAddress])
    /// Someone on the network advertises something unreadable, or more than this node keeps track of.
    case malformed(instance: String, reason: String)
}
