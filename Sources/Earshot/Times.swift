public import Foundation

// Points and spans of time as programs use them. Machines and the store count milliseconds.

extension Message {
    /// When its sender wrote it, by the sender's clock. The history can be read in this order, even if clocks differ.
    public var createdAt: Date { Date(milliseconds: timestamp.milliseconds) }

    /// When it fails if it is still not delivered, by the sender's clock.
    public var expiresAt: Date { Date(milliseconds: expiry) }
}

extension JournalEvent {
    /// When the commit was made that the event follows from.
    public var occurredAt: Date { Date(milliseconds: time) }
}

extension MessageTimes {
    /// When it was written to a link to the recipient.
    public var sentAt: Date? { sent.map(Date.init(milliseconds:)) }

    /// When this node heard that it is on the recipient's disk; for a received message, when it reached this node's.
    public var deliveredAt: Date? { delivered.map(Date.init(milliseconds:)) }

    /// When this node heard that a program of the recipient has dealt with it.
    public var handledAt: Date? { handled.map(Date.init(milliseconds:)) }

    /// When this node heard that the recipient has seen it.
    public var readAt: Date? { read.map(Date.init(milliseconds:)) }
}

extension User {
    /// When this node first had a link to one of the user's devices.
    public var firstSeenAt: Date { Date(milliseconds: firstSeen) }

    /// When this node last had a link to one of them.
    public var lastSeenAt: Date { Date(milliseconds: lastSeen) }
}

extension ClockSkew {
    /// How far the user's clock is ahead of this machine's; negative if it is behind.
    public var offset: Duration { .milliseconds(ahead) }
}

extension ClockChange {
    /// How far forward the clock was set; negative if it was set back.
    public var offset: Duration { .milliseconds(forward) }
}

extension CredentialNotice {
    /// When the credential begins.
    public var validFrom: Date { Date(milliseconds: notBefore) }

    /// When it ends.
    public var validUntil: Date { Date(milliseconds: notAfter) }
}

extension Node {
    /// When the node's credential expires. A running node renews it in time if it can.
    public var credentialExpiresAt: Date { Date(milliseconds: credentialExpiry) }
}

extension NodeStatus {
    /// When the node's credential expires.
    public var credentialExpiresAt: Date { Date(milliseconds: credentialExpiry) }
}

extension LinkStatus {
    /// When the link was established.
    public var establishedAt: Date { Date(milliseconds: establishedMilliseconds) }

    /// How far the peer's clock is ahead of this machine's; negative if it is behind. `nil` if it is unknown.
    public var clockOffset: Duration? { clockOffsetMilliseconds.map { .milliseconds($0) } }
}

extension BackupSummary {
    /// When the backup was made.
    public var createdAt: Date { Date(milliseconds: createdMilliseconds) }
}

extension UndeliveredMessage {
    /// When it was written.
    public var createdAt: Date { Date(milliseconds: timestamp) }
}

extension Date {
    /// - Parameter milliseconds: since 1970 (UTC).
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
