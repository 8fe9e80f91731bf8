import Earshot

/// A node as the local API shows it.
package struct GatewayStatus: Codable, Hashable, Sendable {
    /// The user's key, and its beginning as people compare it.
    package let id: String
    package let fingerprint: String
    package let name: String
    package let deviceID: String
    /// The version of the program that runs the node.
    package let version: String
    /// The TCP port that peers connect to. Left out while the node does not listen.
    package let port: UInt16?
    /// Where peers may connect to: the addresses of the interfaces on which the node looks for peers, each with the
    /// port.
    package let addresses: [String]
    package let discovery: GatewayDiscovery
    package let links: [GatewayLink]
    package let knownUsers: Int
    /// Messages that wait for their recipients' receipts.
    package let undeliveredMessages: UInt64
    /// The recipients whom they wait for, and how many wait for each.
    package let undelivered: [GatewayUndelivered]
    /// When the node's credential expires: ISO 8601 in UTC, and milliseconds since 1970.
    package let credentialExpiry: String
    package let credentialExpiryMilliseconds: Int64
    /// Distinguishes the node's network from others. Left out by a node without a network key.
    package let networkTag: String?
    /// Devices of other networks that are seen now.
    package let otherNetworks: Int
    /// Where a copy of this device is advertised: another node that has its keys. Left out where there is none.
    package let copies: [String]?
    /// `true` if the user has revoked this device: nobody links to it, and it sends nothing any more. Left out otherwise.
    package let isRevoked: Bool?
    /// Devices and addresses that the node is linked to, dials, or will dial.
    package let dialTargets: Int
}

/// How the node finds peers, as the local API shows it.
package struct GatewayDiscovery: Codable, Hashable, Sendable {
    /// `daemon`, `embedded`, `other`, `none`, `off` or `starting`.
    package let stack: String
    /// Of `none`: why nothing works. Of `other`: the name of the stack.
    package let detail: String?
    /// Devices that are seen now, of this network and of others.
    package let devices: Int
    /// The operations open in the DNS-SD stacks now. The number does not grow with devices that come and go.
    package let operations: Int
}

/// A link to a device, as the local API shows it.
package struct GatewayLink: Codable, Hashable, Sendable {
    package let user: GatewayParty
    package let deviceID: String
    package let address: String?
    /// Whether this node dialled the other.
    package let isOutbound: Bool
    /// When the link was established: ISO 8601 in UTC with milliseconds, and milliseconds since 1970.
    package let establishedAt: String
    package let establishedAtMilliseconds: Int64
    /// How far the peer's clock is ahead of this machine's; negative for behind. Left out if it is unknown.
    package let clockOffsetMilliseconds: Int64?
}

/// How many messages wait for one recipient.
package struct GatewayUndelivered: Codable, Hashable, Sendable {
    package let user: GatewayParty
    package let count: UInt64
}

extension GatewayStatus {
    init(_ status: NodeStatus) {
        id = status.userID.description
        fingerprint = status.userID.fingerprint
        name = status.name.text
        deviceID = status.deviceID.description
        version = Earshot.version
        port = status.port
        addresses = status.addresses.map(\.description)
        discovery = GatewayDiscovery(status)
        links = status.links.map { GatewayLink($0) }
        knownUsers = status.knownUsers
        undeliveredMessages = status.undeliveredMessages
        undelivered = status.undelivered.map { GatewayUndelivered($0) }
        credentialExpiry = Timestamp.text(status.credentialExpiry)
        credentialExpiryMilliseconds = status.credentialExpiry
        networkTag = status.networkTag
        otherNetworks = status.otherNetworks
        copies = status.copies.isEmpty ? nil : status.copies.map(\.description)
        isRevoked = status.isRevoked ? true : nil
        dialTargets = status.dialTargets
    }
}

extension GatewayDiscovery {
    init(_ status: NodeStatus) {
        (stack, detail) = Self.words(status.discovery)
        devices = status.devices
        operations = status.discoveryOperations
    }

    private static func words(_ discovery: NodeDiscovery) -> (stack: String, detail: String?) {
        switch discovery {
        case .off: ("off", nil)
        case .starting: ("starting", nil)
        case .daemon: ("daemon", nil)
        case .embedded: ("embedded", nil)
        case .other(let name): ("other", name)
        case .none(let reason): ("none", reason)
        }
    }
}

extension GatewayLink {
    init(_ link: LinkStatus) {
        user = GatewayParty(id: link.userID.description, name: link.name.text)
        deviceID = link.deviceID.description
        address = link.address
        isOutbound = link.isOutbound
        establishedAt = Timestamp.text(link.establishedMilliseconds)
        establishedAtMilliseconds = link.establishedMilliseconds
        clockOffsetMilliseconds = link.clockOffsetMilliseconds
    }
}

extension GatewayUndelivered {
    init(_ undelivered: UndeliveredCount) {
        user = GatewayParty(id: undelivered.userID.description, name: undelivered.name?.text)
        count = undelivered.count
    }
}
