import Earshot

/// An event, as the local API shows it. The name determines which fields there are.
package struct GatewayEvent: Codable, Hashable, Sendable {
    /// One of `EventName`, or `eventsGone` (`goneName`).
    package let name: String
    /// The event's place in the journal. Left out for events that the journal does not keep.
    package internal(set) var id: String?
    /// Of `eventsGone`: the place of the first event that is left. Others that should have come before it are gone.
    package internal(set) var first: String?
    /// Of `nodeStateChanged`: the state's name, and the port while the node runs.
    package internal(set) var nodeState: String?
    package internal(set) var port: UInt16?
    /// Of `messageQueued` and `messageReceived`, and of `draftSent` unless it is gone.
    package internal(set) var message: GatewayMessage?
    /// Of `messageSent`, `messageDelivered`, `messageHandled`, `messageRead` and `messageFailed`.
    package internal(set) var stateChange: GatewayStateChange?
    /// Of `draftInserted`, `draftUpdated`, `draftSent` and `draftDiscarded`.
    package internal(set) var draft: GatewayDraftChange?
    /// Of `conversationUpdated`.
    package internal(set) var conversation: GatewayConversationUpdate?
    /// Of `participantUpdated`.
    package internal(set) var participant: GatewayParticipantUpdate?
    /// Of `conversationAdvertised`.
    package internal(set) var advertised: GatewayAdvertisedConversation?
    /// Of `messageUpdated`.
    package internal(set) var update: GatewayMessageUpdate?
    /// Of `typingStarted` and `typingEnded`: where the user types.
    package internal(set) var conversationID: String?
    /// Of `userDiscovered`, `userUpdated`, `userSubscribed`, `userUnsubscribed`, `typingStarted`, `typingEnded`,
    /// `clockSkewed`, `deviceRevoked` and `historyRecovered`, and of `linkFailed` if the peer is known.
    package internal(set) var user: GatewayUser?
    /// Of `fileUpdated`.
    package internal(set) var file: GatewayFile?
    /// Of `userUpdated`: what changed, as in `UserChange`.
    package internal(set) var changes: [String]?
    /// Of `identityConflict`.
    package internal(set) var conflict: GatewayConflict?
    /// Of `linkFailed`: where the peer was, and the code of the error.
    package internal(set) var address: String?
    package internal(set) var code: String?
    /// Of `linkFailed`, if one of the two ends said why it closed the link: `identityConflict`, `blocked`, ...
    package internal(set) var closeReason: String?
    /// Of `discoveryUnavailable` and `discoveryAvailable`: the discovery source.
    package internal(set) var source: String?
    /// Of `linkFailed`, `storageFailed` and `discoveryUnavailable`: the reason.
    package internal(set) var reason: String?
    /// Of `clockSkewed`: how far the user's clock is ahead; negative if it is behind.
    package internal(set) var aheadMilliseconds: Int64?
    /// Of `clockSet`: how far forward this machine's clock was set; negative if it was set back.
    package internal(set) var forwardMilliseconds: Int64?
    /// Of `otherNetworkSeen`: the tag of the other network. Left out for nodes without a network key.
    package internal(set) var networkTag: String?
    /// Of `deviceCopied`: where the copy is advertised.
    package internal(set) var addresses: [String]?
    /// Of `deviceRevoked`: whose device it was (`user` names them if they are known and not this node's user), and its id.
    package internal(set) var userID: String?
    package internal(set) var deviceID: String?
    /// Of `credentialWillExpire`, `credentialExpired`, `credentialRenewed` and `credentialNotYetValid`.
    package internal(set) var credential: GatewayCredentialNotice?
    /// Of `eventsLost`: how many; of `historyRecovered`: how many messages the node has again.
    package internal(set) var count: Int?
    /// Of `historyRecovered`: messages that have a new id, because their old one was taken.
    package internal(set) var renamed: [GatewayRenaming]?

    init(name: String) { self.name = name }

    /// Some of what should come next is not in the journal any more. It has no id of its own: a client that has seen
    /// only this knows nothing of what is left.
    static func gone(before first: EventID) -> GatewayEvent {
        var event = GatewayEvent(name: goneName)
        event.first = first.description
        return event
    }

    /// The name of the event that only a stream has, and no node posts.
    package static let goneName = "eventsGone"

    /// Whether events are missing here: then the node is to be asked what is so now.
    package var isIncomplete: Bool { name == Self.goneName || name == EventName.eventsLost.rawValue }
}

/// A message's new state for one recipient.
package struct GatewayStateChange: Codable, Hashable, Sendable {
    package let messageID: String
    package let conversationID: String
    package let recipient: GatewayDelivery

    package init(messageID: String, conversationID: String, recipient: GatewayDelivery) {
        self.messageID = messageID
        self.conversationID = conversationID
        self.recipient = recipient
    }
}

/// Consecutive messages that have new ids, in the same order: the number after the hyphen counts on.
package struct GatewayRenaming: Codable, Hashable, Sendable {
    /// The first message's old id, and its new one.
    package let from: String
    package let to: String
    package let count: UInt64

    init(_ renamed: RenamedMessages) {
        from = renamed.from.description
        to = renamed.to.description
        count = renamed.count
    }
}

/// Another key that claims the name of a pinned user.
package struct GatewayConflict: Codable, Hashable, Sendable {
    package let name: String
    package let pinnedID: String
    package let claimedBy: String
}

/// The state of the credential of the node's own device.
package struct GatewayCredentialNotice: Codable, Hashable, Sendable {
    /// When it begins and when it ends: as text (ISO 8601, UTC), and in milliseconds since 1970.
    package let notBefore: String
    package let notBeforeMilliseconds: Int64
    package let notAfter: String
    package let notAfterMilliseconds: Int64
    /// Why it is not renewed: `sealed`, `needsPrimary` or `failed`. Left out if it is renewed.
    package let problem: String?
    /// Why the renewal failed.
    package let reason: String?

    init(_ notice: CredentialNotice) {
        notBefore = Timestamp.text(notice.notBefore)
        notBeforeMilliseconds = notice.notBefore
        notAfter = Timestamp.text(notice.notAfter)
        notAfterMilliseconds = notice.notAfter
        (problem, reason) =
            switch notice.problem {
            case nil: (nil, nil)
            case .sealed: ("sealed", nil)
            case .needsPrimary: ("needsPrimary", nil)
            case .failed(let reason): ("failed", reason)
            }
    }
}
