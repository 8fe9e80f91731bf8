package import EarshotModel

/// The device at the other end of a pairing, as people compare it.
package struct PairingPeer: Hashable, Sendable {
    /// What the device is called; anything that fits.
    package let deviceName: String
    package let deviceID: DeviceID
    package let agreementKey: AgreementPublicKey
}

/// What a primary device gives to a new one.
package struct PairingTerms: Hashable, Sendable {
    /// Whether the new device gets the identity key.
    package let isPrimary: Bool
    /// How long its credential is valid, in milliseconds.
    package let lifetime: Int64

    package init(isPrimary: Bool, lifetime: Int64) {
        self.isPrimary = isPrimary
        self.lifetime = lifetime
    }
}

/// Where the pairing of a primary device is.
package enum PairingStatus: Hashable, Sendable {
    /// There is none.
    case none
    /// The code waits for a new device, until this uptime.
    case waiting(until: Int64)
    /// A new device has the code; the user decides whether it is theirs.
    case asking(PairingPeer)
    /// The user has accepted, and the new device has not yet.
    case accepted(PairingPeer)
    case done(PairingPeer)
    /// It ended without a new device, for this reason.
    case failed(String)
}
