import EarshotModel

/// The revoked devices that this node knows of, this node's user's own among them.
struct Revocations: Sendable {
    private var statements: [UserID: [DeviceID: Revocation]] = [:]
    /// How many of them are of strangers.
    private var strangers = 0

    init(_ revocations: [Revocation] = []) {
        for revocation in revocations { statements[revocation.userID, default: [:]][revocation.deviceID] = revocation }
    }

    func contains(_ deviceID: DeviceID, of userID: UserID) -> Bool { statements[userID]?[deviceID] != nil }

    /// Those of a user, ascending.
    func of(_ userID: UserID) -> [Revocation] {
        statements[userID, default: [:]].sorted { $0.key < $1.key }.map(\.value)
    }

    /// Whether one more of a user is remembered, here or anywhere.
    func hasRoom(for userID: UserID) -> Bool {
        statements[userID, default: [:]].count < Limits.revocationsPerUser
    }

    /// Whether one more is remembered: identities cost nothing, and revocations are kept for good.
    func admits(_ revocation: Revocation, isStranger: Bool) -> Bool {
        !contains(revocation.deviceID, of: revocation.userID) && hasRoom(for: revocation.userID)
            && (!isStranger || strangers < Limits.strangerRevocations)
    }

    mutating func add(_ revocation: Revocation, isStranger: Bool) {
        if isStranger { strangers += 1 }
        statements[revocation.userID, default: [:]][revocation.deviceID] = revocation
    }
}
