public import Foundation

// Points and spans of time as programs use them. Machines and the store count milliseconds.

extension Message {
    /// When its sender wrote it, by the sender's clock. Messages are ordered by it, also where their clocks differ.
    public var createdAt: Date { Date(milliseconds: timestamp.milliseconds) }

    /// When it fails if it is not delivered, by the sender's clock.
    public var expiresAt: Date { Date(milliseconds: expiry) }
}

extension User {
    /// When there first was a link to one of the user's devices.
    public var firstSeenAt: Date { Date(milliseconds: firstSeen) }

    /// When there last was one.
    public var lastSeenAt: Date { Date(milliseconds: lastSeen) }
}

extension ClockSkew {
    /// How far the user's clock is ahead of this machine's; negative if it is behind.
    public var offset: Duration { .milliseconds(ahead) }
}

extension CredentialNotice {
    /// When the credential begins.
    public var validFrom: Date { Date(milliseconds: notBefore) }

    /// When it ends.
    public var validUntil: Date { Date(milliseconds: notAfter) }
}

extension Node {
    /// Until when the node's credential is valid. A node that runs renews it in time where it can.
    public var credentialExpiresAt: Date { Date(milliseconds: credentialExpiry) }
}

extension NodeStatus {
    /// Until when the node's credential is valid.
    public var credentialExpiresAt: Date { Date(milliseconds: credentialExpiry) }
}

extension LinkStatus {
    /// Since when there is the link.
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
