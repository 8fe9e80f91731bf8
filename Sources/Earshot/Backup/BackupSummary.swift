/// A summary of a backup.
public struct BackupSummary: Sendable, Hashable {
    public let userID: UserID
    public let name: UserName
    /// The device that wrote the history.
    public let deviceID: DeviceID
    /// When the backup was made, in milliseconds since 1970.
    package let createdMilliseconds: Int64
    /// The number of entries of all logs.
    public let entryCount: Int
    /// Own messages that their recipients had not yet acknowledged: the first `listedLimit` of them.
    public let undelivered: [UndeliveredMessage]
    public let undeliveredCount: Int
    /// Messages that were scheduled, and whose time had not come.
    public let scheduledCount: Int

    public static let listedLimit = 100
}

/// An own message that waited for its recipient when the backup was made.
public struct UndeliveredMessage: Sendable, Hashable {
    public let messageID: MessageID
    public let recipientID: UserID
    /// `nil` for a recipient who is no longer known.
    public let recipientName: UserName?
    public let text: String
    /// Milliseconds since 1970.
    package let timestamp: Int64
}

/// The device that a restored backup becomes.
public enum RestoredDevice: Sendable, Hashable {
    /// A new device. It keeps the identity, the history and the trust, and writes logs of its own. The old device may
    /// run on. Messages that waited in the backup stay with the old device, and are shown as failed here
    /// (`FailureReason.deviceReplaced`).
    case new
    /// The device that the backup is from, which must never run again. This one delivers the messages that waited.
    case same
}
