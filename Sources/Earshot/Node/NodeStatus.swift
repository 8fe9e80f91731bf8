/// A node at one moment.
public struct NodeStatus: Sendable, Hashable {
    public let name: UserName
    public let userID: UserID
    public let deviceID: DeviceID
    /// The TCP port that it listens on, while it runs.
    public let port: UInt16?
    public let links: [LinkStatus]
    public let knownUsers: Int
    /// Messages that wait for their recipients' receipts.
    public let undeliveredMessages: UInt64
    /// Milliseconds since 1970.
    public let credentialExpiry: Int64
    /// Tells the node's network from others, without a secret in it; `nil` without a network key.
    public let networkTag: String?
    /// Devices that discovery sees now and that belong to other networks.
    public let otherNetworks: Int
}

/// A link at one moment.
public struct LinkStatus: Sendable, Hashable {
    public let userID: UserID
    public let deviceID: DeviceID
    public let name: UserName
    public let address: String?
    /// Whether this node dialled.
    public let isOutbound: Bool
}
