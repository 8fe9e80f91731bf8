import Earshot

/// A node as the local API shows it.
public struct GatewayStatus: Codable, Hashable, Sendable {
    /// The user's key, and its beginning as people compare it.
    public let id: String
    public let fingerprint: String
    public let name: String
    public let deviceID: String
    /// The TCP port that peers connect to. Left out while the node does not listen.
    public let port: UInt16?
    public let links: [GatewayLink]
    public let knownUsers: Int
    /// Messages that wait for their recipients' receipts.
    public let undeliveredMessages: UInt64
    /// Until when the node's credential is valid: ISO 8601 in UTC, and milliseconds since 1970.
    public let credentialExpiry: String
    public let credentialExpiryMilliseconds: Int64
    /// Tells the node's network from others. Left out by a node without a network key.
    public let networkTag: String?
    /// Devices that are seen now and belong to other networks.
    public let otherNetworks: Int
}

/// A link to a device, as the local API shows it.
public struct GatewayLink: Codable, Hashable, Sendable {
    public let user: GatewayParty
    public let deviceID: String
    public let address: String?
    /// Whether this node dialled.
    public let isOutbound: Bool
}

extension GatewayStatus {
    init(_ status: NodeStatus) {
        id = status.userID.description
        fingerprint = status.userID.fingerprint
        name = status.name.text
        deviceID = status.deviceID.description
        port = status.port
        links = status.links.map { GatewayLink($0) }
        knownUsers = status.knownUsers
        undeliveredMessages = status.undeliveredMessages
        credentialExpiry = Timestamp.text(status.credentialExpiry)
        credentialExpiryMilliseconds = status.credentialExpiry
        networkTag = status.networkTag
        otherNetworks = status.otherNetworks
    }
}

extension GatewayLink {
    init(_ link: LinkStatus) {
        user = GatewayParty(id: link.userID.description, name: link.name.text)
        deviceID = link.deviceID.description
        address = link.address
        isOutbound = link.isOutbound
    }
}
