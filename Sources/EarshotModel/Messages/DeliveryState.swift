/// The state of one message for one recipient.
///
/// `queued → sent → delivered → read`, each step at most once and never back; or `failed`. A failure is final with one
/// exception: a late receipt turns `failed(.expired)` into `delivered`, because a receipt is proof.
public enum DeliveryState: Hashable, Sendable {
    /// Committed on the sender's disk.
    case queued
    /// Written to a link to the recipient.
    case sent
    /// Committed on the recipient's disk, as the recipient's signed receipt says.
    case delivered
    /// Seen by the recipient, as the recipient's signed receipt says.
    case read
    case failed(FailureReason)

    /// The state's name in the API: `queued`, `sent`, `delivered`, `read`, `failed`.
    public var name: String {
        switch self {
        case .queued: "queued"
        case .sent: "sent"
        case .delivered: "delivered"
        case .read: "read"
        case .failed: "failed"
        }
    }

    /// Whether the recipient has the message.
    public var isDelivered: Bool {
        switch self {
        case .delivered, .read: true
        case .queued, .sent, .failed: false
        }
    }
}

/// Why a message will not be delivered.
public enum FailureReason: String, Hashable, Sendable, CaseIterable {
    /// Its time to live ended before the recipient could be reached.
    case expired
    /// Its sender took it back before it was sent.
    case cancelled
    /// The recipient's node refused it.
    case rejected
    /// The sender blocked the recipient before it was delivered.
    case blocked
    /// The sender gave the recipient's name to another key before the message was delivered.
    case identityChanged
    /// It is over a limit of the recipient's node.
    case tooLarge
    /// Its log belongs to the device that this one has replaced, and only that device can deliver it.
    case deviceReplaced
}
