import Earshot

/// A device of the node's own user, as the local API shows it.
package struct GatewayDevice: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    /// Left out for a device that has none.
    package let name: String?
    package let fingerprint: String
    /// Whether it holds the identity's key.
    package let isPrimary: Bool
    package let isThisDevice: Bool
    /// Whether there is a link to it now.
    package let isOnline: Bool
    package let isRevoked: Bool
    /// When the credential ends that it showed last: ISO 8601 in UTC with milliseconds.
    package let credentialEnd: String?
    /// When it was linked last. Left out for this device.
    package let lastSeen: String?

    init(_ device: UserDevice) {
        id = device.deviceID.description
        name = device.name.isEmpty ? nil : device.name
        fingerprint = device.fingerprint
        isPrimary = device.isPrimary
        isThisDevice = device.isThisDevice
        isOnline = device.isOnline
        isRevoked = device.isRevoked
        credentialEnd = device.credentialEnd.map(Timestamp.text)
        lastSeen = device.lastSeen.map(Timestamp.text)
    }
}

/// A pairing code that was just made. Nobody can get the text again.
package struct GatewayPairingCode: Codable, Hashable, Sendable {
    package let code: String
    package let expiresInSeconds: Double
}

/// Where the pairing with a new device is.
package struct GatewayPairing: Codable, Hashable, Sendable {
    /// One of `DevicePairing.State`.
    package let state: String
    /// Of the new device, once it has shown that it has the code.
    package let deviceID: String?
    package let deviceName: String?
    package let fingerprint: String?
    /// Why it failed.
    package let reason: String?

    init(_ pairing: DevicePairing) {
        state = pairing.state.rawValue
        deviceID = pairing.deviceID?.description
        deviceName = pairing.deviceName
        fingerprint = pairing.fingerprint
        reason = pairing.reason
    }
}
