/// The state of one message for one recipient.
///
/// `queued → sent → delivered → handled → read`, each step at most once and never back; or `failed`. A program need not deal
/// with a message that a person reads, nor a person read what a program has dealt with, so a message may skip either; one
/// that is handled after it was read stays `read`. A failure is final with one exception: a late receipt turns
/// `failed(.expired)` into `delivered`, because a receipt is proof.
public enum DeliveryState: Hashable, Sendable {
    /// Committed on the sender's disk.
    case queued
    /// Written to a link to the recipient.
    case sent
    /// Committed on the recipient's disk, as the recipient's signed receipt says.
    case delivered
    /// Dealt with by a program of the recipient, as the recipient's signed receipt says: its place in the recipient's inbox
    /// is after the message.
    case handled
    /// Seen by the recipient, as the recipient's signed receipt says.
    case read
    case failed(FailureReason)

    /// The state's name in the API: `queued`, `sent`, `delivered`, `handled`, `read`, `failed`.
    public var name: String {
        switch self {
        case .queued: "queued"
        case .sent: "sent"
        case .delivered: "delivered"
        case .handled: "handled"
        case .read: "read"
        case .failed: "failed"
        }
    }

    /// Whether the recipient has the message.
    public var isDelivered: Bool {
        switch self {
        case .delivered, .handled, .read: true
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
    /// The sender blocked the recipient before it was delivered.
    case blocked
    /// The sender gave the recipient's name to another key before the message was delivered.
    case identityChanged
    /// Its log belongs to the device that this one has replaced, and only that device can deliver it.
    case deviceReplaced
    /// The owner of the conversation had removed its sender before it was written, or before anybody else had it.
    case removed
}

/// How many of a message's recipients have come how far. Each state counts those who have come further, too.
public struct DeliveryCounts: Hashable, Sendable {
    public let recipients: Int
    public private(set) var sent = 0
    public private(set) var delivered = 0
    public private(set) var read = 0
    public private(set) var failed = 0

    package init(_ states: some Collection<DeliveryState>) {
        recipients = states.count
        for state in states {
            switch state {
            case .queued: break
            case .sent: sent += 1
            case .delivered, .handled: (sent, delivered) = (sent + 1, delivered + 1)
            case .read: (sent, delivered, read) = (sent + 1, delivered + 1, read + 1)
            case .failed: failed += 1
            }
        }
    }
}

extension Message {
    /// How many of its recipients have come how far.
    public var deliveryCounts: DeliveryCounts { DeliveryCounts(states.values) }
}
