/// What is in a backup.
public struct BackupSummary: Sendable, Hashable {
    public let userID: UserID
    public let name: UserName
    /// The device that wrote the history.
    public let deviceID: DeviceID
    /// When the backup was made, in milliseconds since 1970.
    package let createdMilliseconds: Int64
    /// Entries of all logs.
    public let entryCount: Int
    /// Own messages that their recipients had not acknowledged at that time: the first `listedLimit` of them.
    public let undelivered: [UndeliveredMessage]
    public let undeliveredCount: Int

    public static let listedLimit = 100
}

/// An own message that waited for its recipient when a backup was made.
public struct UndeliveredMessage: Sendable, Hashable {
    public let messageID: MessageID
    public let recipientID: UserID
    /// `nil` for a recipient who is not known any more.
    public let recipientName: UserName?
    public let text: String
    /// Milliseconds since 1970.
    package let timestamp: Int64
}

/// As which device a backup is restored.
public enum RestoredDevice: Sendable, Hashable {
    /// A new one: it goes on with the identity, the history and the trust, and writes logs of its own. The old one may
    /// run on. Messages that waited in the backup stay with the old device, and are shown as failed here
    /// (`FailureReason.deviceReplaced`).
    case new
    /// The one that the backup is of, which must never run again: messages that waited are delivered by this one.
    case same
}
