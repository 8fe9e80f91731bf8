/// The state of a node at one moment.
public struct NodeStatus: Sendable, Hashable {
    public let name: UserName
    public let userID: UserID
    public let deviceID: DeviceID
    /// The TCP port that it listens on, while it runs.
    public let port: UInt16?
    /// Where peers may connect to, while it runs: the addresses of the interfaces on which it looks for peers.
    public let addresses: [PeerAddress]
    public let discovery: NodeDiscovery
    public let links: [LinkStatus]
    public let knownUsers: Int
    /// Messages that wait for their recipients' receipts; in a group each participant is one.
    public let undeliveredMessages: UInt64
    /// The recipients whom they wait for, ordered by name.
    public let undelivered: [UndeliveredCount]
    /// Milliseconds since 1970.
    package let credentialExpiry: Int64
    /// Distinguishes the node's network from others, and holds no secret; `nil` without a network key.
    public let networkTag: String?
    /// Devices of other networks that discovery sees now.
    public let otherNetworks: Int
    /// Devices that discovery sees now, of this network and of others.
    public let devices: Int
    /// The operations that discovery has open in the DNS-SD stacks now: `DiscoveryStatus.operationCount`.
    public let discoveryOperations: Int
    /// Where a copy of this device is advertised: another node that has its keys.
    public let copies: [PeerAddress]
    /// Whether the user has revoked this device: nobody links to it, and it sends nothing any more.
    public let isRevoked: Bool
    /// Devices and addresses that this node is linked to, dials, or will dial.
    public let dialTargets: Int
}

/// The state of a link at one moment.
public struct LinkStatus: Sendable, Hashable {
    public let userID: UserID
    public let deviceID: DeviceID
    public let name: UserName
    public let address: String?
    /// Whether this node dialled the other.
    public let isOutbound: Bool
    /// Milliseconds since 1970.
    package let establishedMilliseconds: Int64
    /// How far the peer's clock is ahead of this machine's, in milliseconds; negative for behind. `nil` if it is unknown.
    package let clockOffsetMilliseconds: Int64?
}

/// How many messages wait for one recipient.
public struct UndeliveredCount: Sendable, Hashable {
    public let userID: UserID
    /// `nil` for a user who was forgotten.
    public let name: UserName?
    public let count: UInt64
}
