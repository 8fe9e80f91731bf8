/// A message as the local API shows it.
public struct GatewayMessage: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let conversationID: String
    public let sender: GatewayParty
    /// Everyone it is meant for, and what has become of it for each.
    public var recipients: [GatewayDelivery]
    /// Empty where the content was deleted.
    public let text: String
    /// Whether the content was deleted: here, or by the recipient, from whom the message came back after this node's
    /// database was replaced by an older copy.
    public let isDeleted: Bool
    public let headers: [String: String]
    /// The sender's clock: ISO 8601 in UTC with milliseconds.
    public let timestamp: String
    /// The same in milliseconds since 1970.
    public let timestampMilliseconds: Int64
    /// When it fails if it is not delivered, in the same two forms.
    public let expiry: String
    public let expiryMilliseconds: Int64
}

/// Who sent or receives something.
public struct GatewayParty: Codable, Hashable, Sendable, Identifiable {
    /// The user's key.
    public let id: String
    /// Left out for a user that this node does not know.
    public let name: String?

    public init(id: String, name: String?) {
        self.id = id
        self.name = name
    }
}

/// What has become of a message for one recipient.
public struct GatewayDelivery: Codable, Hashable, Sendable, Identifiable {
    /// The recipient's key.
    public let id: String
    /// Left out for a user that this node does not know.
    public let name: String?
    /// `queued`, `sent`, `delivered`, `read` or `failed`.
    public let state: String
    /// Why it failed: `expired`, `cancelled`, `rejected`, `blocked`, `identityChanged`,
    /// `tooLarge` or `deviceReplaced`.
    public let reason: String?
}
