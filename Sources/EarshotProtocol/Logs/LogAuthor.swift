import EarshotCrypto
import EarshotModel

/// The author of this device's logs, and the key that signs them.
struct LogAuthor: Sendable {
    let userID: UserID
    let deviceID: DeviceID
    let signingKey: SigningKey
    let salts: EntrySalts
    /// That of its user with themselves, in which their devices tell each other what they share.
    let ownConversation: ConversationRecord

    init(_ local: LocalDevice) {
        userID = local.userID
        deviceID = local.deviceID
        signingKey = local.signingKey
        salts = EntrySalts(local.signingKey)
        ownConversation = .direct(local.userID, local.userID)
    }
}
