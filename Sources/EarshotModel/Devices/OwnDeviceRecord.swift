/// A device of this node's own user, as this node knows it.
package struct OwnDeviceRecord: Hashable, Sendable {
    package let deviceID: DeviceID
    /// The encoded credential that it showed last. It may have expired.
    package var credential: [UInt8]
    package var name: DeviceName
    /// Where it was reached, the latest first; at most `Limits.addressesPerDevice`.
    package var addresses: [PeerAddress]
    /// Milliseconds since 1970.
    package var lastSeen: Int64

    package init(
        deviceID: DeviceID, credential: [UInt8], name: DeviceName = DeviceName(), addresses: [PeerAddress] = [],
        lastSeen: Int64
    ) {
        self.deviceID = deviceID
        self.credential = credential
        self.name = name
        self.addresses = addresses
        self.lastSeen = lastSeen
    }
}

/// What a user calls one of their devices, and since when: of two names the later one counts on all devices.
package struct DeviceName: Hashable, Sendable {
    /// Empty for a device without a name.
    package let text: String
    /// Milliseconds since 1970.
    package let givenAt: Int64

    package init() { (text, givenAt) = ("", 0) }

    /// - Returns: `nil` for a text that is over `Limits.nameBytes` or holds characters that move the cursor, and for a time over
    ///   `Counting.largest`.
    package init?(_ text: String, givenAt: Int64) {
        guard text.utf8.count <= Limits.nameBytes, (0...Int64(Counting.largest)).contains(givenAt),
            !text.unicodeScalars.contains(where: { [.control, .format].contains($0.properties.generalCategory) })
        else { return nil }
        self.text = text
        self.givenAt = givenAt
    }

    /// Whether it takes the place of another.
    package func replaces(_ other: DeviceName) -> Bool { (other.givenAt, other.text) < (givenAt, text) }
}
