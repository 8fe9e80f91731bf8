import Earshot

/// Something that happened, as the local API tells it. Which fields there are depends on the name.
public struct GatewayEvent: Codable, Hashable, Sendable {
    /// One of `EventName`.
    public let name: String
    /// Of `nodeStateChanged`: the state's name, and the port while the node runs.
    public internal(set) var nodeState: String?
    public internal(set) var port: UInt16?
    /// Of `messageQueued` and `messageReceived`.
    public internal(set) var message: GatewayMessage?
    /// Of `messageSent`, `messageDelivered`, `messageRead` and `messageFailed`.
    public internal(set) var stateChange: GatewayStateChange?
    /// Of `userDiscovered`, `userUpdated`, `clockSkewed` and `historyRecovered`, and of `linkFailed` where the peer is known.
    public internal(set) var user: GatewayUser?
    /// Of `userUpdated`: what changed, of `UserChange`.
    public internal(set) var changes: [String]?
    /// Of `identityConflict`.
    public internal(set) var conflict: GatewayConflict?
    /// Of `linkFailed`: where the peer was, and the code of the error.
    public internal(set) var address: String?
    public internal(set) var code: String?
    /// Of `linkFailed`, where one of the two ends said why it closed the link: `identityConflict`, `blocked`, ...
    public internal(set) var closeReason: String?
    /// Of `discoveryUnavailable` and `discoveryAvailable`: the way of finding peers.
    public internal(set) var source: String?
    /// Why, of `linkFailed`, `storageFailed` and `discoveryUnavailable`.
    public internal(set) var reason: String?
    /// Of `clockSkewed`: how far the user's clock is ahead; negative if it is behind.
    public internal(set) var aheadMilliseconds: Int64?
    /// Of `otherNetworkSeen`: what tells the other network from this one. Left out for nodes without a network key.
    public internal(set) var networkTag: String?
    /// Of `credentialWillExpire`, `credentialExpired`, `credentialRenewed` and `credentialNotYetValid`.
    public internal(set) var credential: GatewayCredentialNotice?
    /// Of `eventsLost`: how many; of `historyRecovered`: how many messages the node has again.
    public internal(set) var count: Int?
    /// Of `historyRecovered`: messages that have another id now, because the old one was taken.
    public internal(set) var renamed: [GatewayRenaming]?

    init(name: String) { self.name = name }
}

/// That a message has another state for one recipient.
public struct GatewayStateChange: Codable, Hashable, Sendable {
    public let messageID: String
    public let conversationID: String
    public let recipient: GatewayDelivery

    public init(messageID: String, conversationID: String, recipient: GatewayDelivery) {
        self.messageID = messageID
        self.conversationID = conversationID
        self.recipient = recipient
    }
}

/// That messages which follow each other have other ids, in the same order: the number after the hyphen goes on.
public struct GatewayRenaming: Codable, Hashable, Sendable {
    /// The first one's old id, and its new one.
    public let from: String
    public let to: String
    public let count: UInt64

    init(_ renamed: RenamedMessages) {
        from = renamed.from.description
        to = renamed.to.description
        count = renamed.count
    }
}

/// That another key claims the name of a pinned user.
public struct GatewayConflict: Codable, Hashable, Sendable {
    public let name: String
    public let pinnedID: String
    public let claimedBy: String
}

/// What there is to say about the credential of the node's own device.
public struct GatewayCredentialNotice: Codable, Hashable, Sendable {
    /// When it begins and when it ends: as text (ISO 8601, UTC), and in milliseconds since 1970.
    public let notBefore: String
    public let notBeforeMilliseconds: Int64
    public let notAfter: String
    public let notAfterMilliseconds: Int64
    /// What the user can do, if there is something to do.
    public let remedy: String?

    init(_ notice: CredentialNotice) {
        notBefore = Timestamp.text(notice.notBefore)
        notBeforeMilliseconds = notice.notBefore
        notAfter = Timestamp.text(notice.notAfter)
        notAfterMilliseconds = notice.notAfter
        remedy = notice.remedy
    }
}
