/// Something that happened, posted once, after the commit that makes it true.
public enum Event: Hashable, Sendable {
    /// The node's own state changed.
    case nodeStateChanged(NodeState)
    /// A message of this node is on its disk.
    case messageQueued(Message)
    /// A message of another user is on this node's disk.
    case messageReceived(Message)
    /// A message was written to a link to its recipient.
    indirect case messageSent(MessageStateChange)
    /// A message is on its recipient's disk.
    indirect case messageDelivered(MessageStateChange)
    /// A program of a message's recipient has dealt with it.
    indirect case messageHandled(MessageStateChange)
    /// A message's recipient has seen it.
    indirect case messageRead(MessageStateChange)
    /// A message will not be delivered; the state says why.
    indirect case messageFailed(MessageStateChange)
    /// A participant has begun to type. The node forgets it when it stops: nothing of it is ever on the disk.
    indirect case typingStarted(Typing)
    /// A participant no longer types: they said so, wrote, left, or were silent for a while.
    indirect case typingEnded(Typing)
    /// A message was edited or taken back, or somebody's reaction to it changed.
    indirect case messageUpdated(MessageUpdate)
    /// Something about a conversation of this node's user changed; the update says what.
    indirect case conversationUpdated(ConversationUpdate)
    /// Somebody else has joined a conversation of this node's user, or left it.
    indirect case participantUpdated(ParticipantUpdate)
    /// A program, or a person, has inserted a draft for a person to send.
    indirect case draftInserted(DraftChange)
    /// A draft has another content.
    indirect case draftUpdated(DraftChange)
    /// A person has sent a draft: it is a message now, which `messageQueued` has told before.
    indirect case draftSent(DraftChange)
    /// A draft was discarded, by a person or by whoever inserted it, or because its conversation was left or erased.
    indirect case draftDiscarded(DraftChange)
    /// A linked user tells the name of an open conversation that this node's user has not joined.
    indirect case conversationAdvertised(AdvertisedConversation)
    /// The node has more of a file that a message brings along, or something else than before. While it comes, this is posted
    /// now and then.
    indirect case fileUpdated(FileUpdate)
    /// A user was met for the first time.
    indirect case userDiscovered(User)
    /// Something about a known user changed; `changes` says what.
    indirect case userUpdated(User, changes: Set<UserChange>)
    /// This node's user says something else of themselves, here or on another of their devices: `Users.ownProfile()`.
    case profileUpdated
    /// A program has subscribed to a user: a `SubscribedUser` shows their values.
    case userSubscribed(UserID)
    /// A program has unsubscribed from a user, or others have taken their place.
    case userUnsubscribed(UserID)
    /// Another key claims the name of a pinned user. Nothing is sent to it before this node's user decides.
    indirect case identityConflict(IdentityConflict)
    /// A link could not be made, or ended with an error.
    indirect case linkFailed(LinkFailure)
    /// A user's clock is far ahead of this node's clock, or far behind it.
    indirect case clockSkewed(ClockSkew)
    /// This machine's clock was set. For a minute nothing that cannot be undone is decided by the new time: no message expires, and
    /// none that is scheduled goes out.
    case clockSet(ClockChange)
    /// This device's credential expires soon, and has not been renewed.
    indirect case credentialWillExpire(CredentialNotice)
    /// This device's credential has expired: nobody accepts a new link with it.
    indirect case credentialExpired(CredentialNotice)
    /// This device has a new credential.
    indirect case credentialRenewed(CredentialNotice)
    /// This device's credential is not yet valid: a clock is wrong, or was wrong when the credential was issued.
    indirect case credentialNotYetValid(CredentialNotice)
    /// A user has revoked a device of theirs, this node's user among them. There is never a link to it again.
    indirect case deviceRevoked(RevokedDevice)
    /// A node of another network is here: it has another network key, or only one of the two nodes has a key. There is
    /// never a link to it. Posted once for each such network and run of the node.
    case otherNetworkSeen(OtherNetwork)
    /// Another node with this device's keys is advertised: a copy of the home runs there, or an older one still does. Peers
    /// take the two for one. Posted once until it is gone.
    case deviceCopied(DeviceCopy)
    /// The disk takes no writes. The node tries again.
    case storageFailed(String)
    /// The disk takes writes again.
    case storageRecovered
    /// This node's database was older than what a peer holds of this node's messages, and the node has taken them back.
    indirect case historyRecovered(HistoryRecovery)
    /// A discovery source does not work, for this reason.
    case discoveryUnavailable(source: String, reason: String)
    case discoveryAvailable(source: String)
    /// The observer was too slow, and lost this many events. An observer of only this kind is told of every observer's
    /// losses.
    case eventsLost(count: Int)

    public var name: EventName {
        switch self {
        case .nodeStateChanged: .nodeStateChanged
        case .messageQueued: .messageQueued
        case .messageReceived: .messageReceived
        case .messageSent: .messageSent
        case .messageDelivered: .messageDelivered
        case .messageHandled: .messageHandled
        case .messageRead: .messageRead
        case .messageFailed: .messageFailed
        case .typingStarted: .typingStarted
        case .typingEnded: .typingEnded
        case .messageUpdated: .messageUpdated
        case .conversationUpdated: .conversationUpdated
        case .participantUpdated: .participantUpdated
        case .draftInserted: .draftInserted
        case .draftUpdated: .draftUpdated
        case .draftSent: .draftSent
        case .draftDiscarded: .draftDiscarded
        case .conversationAdvertised: .conversationAdvertised
        case .fileUpdated: .fileUpdated
        case .userDiscovered: .userDiscovered
        case .userUpdated: .userUpdated
        case .profileUpdated: .profileUpdated
        case .userSubscribed: .userSubscribed
        case .userUnsubscribed: .userUnsubscribed
        case .identityConflict: .identityConflict
        case .linkFailed: .linkFailed
        case .clockSkewed: .clockSkewed
        case .clockSet: .clockSet
        case .credentialWillExpire: .credentialWillExpire
        case .credentialExpired: .credentialExpired
        case .credentialRenewed: .credentialRenewed
        case .credentialNotYetValid: .credentialNotYetValid
        case .deviceRevoked: .deviceRevoked
        case .otherNetworkSeen: .otherNetworkSeen
        case .deviceCopied: .deviceCopied
        case .storageFailed: .storageFailed
        case .storageRecovered: .storageRecovered
        case .historyRecovered: .historyRecovered
        case .discoveryUnavailable: .discoveryUnavailable
        case .discoveryAvailable: .discoveryAvailable
        case .eventsLost: .eventsLost
        }
    }
}

/// The names of all events.
public enum EventName: String, Hashable, Sendable, CaseIterable {
    case nodeStateChanged
    case messageQueued, messageReceived, messageSent, messageDelivered, messageHandled, messageRead, messageFailed
    case messageUpdated
    case typingStarted, typingEnded
    case conversationUpdated, participantUpdated, conversationAdvertised
    case fileUpdated
    case draftInserted, draftUpdated, draftSent, draftDiscarded
    case userDiscovered, userUpdated, profileUpdated, userSubscribed, userUnsubscribed
    case identityConflict, deviceRevoked, linkFailed, clockSkewed, clockSet, otherNetworkSeen, deviceCopied
    case credentialWillExpire, credentialExpired, credentialRenewed, credentialNotYetValid
    case storageFailed, storageRecovered, historyRecovered
    case discoveryUnavailable, discoveryAvailable
    case eventsLost
}

/// A message's new state for one recipient.
///
/// A message of a conversation of many that fails does so for everybody: then `recipientID` is its sender.
public struct MessageStateChange: Hashable, Sendable {
    public let messageID: MessageID
    public let conversationID: ConversationID
    public let recipientID: UserID
    public let state: DeliveryState

    package init(messageID: MessageID, conversationID: ConversationID, recipientID: UserID, state: DeliveryState) {
        self.messageID = messageID
        self.conversationID = conversationID
        self.recipientID = recipientID
        self.state = state
    }
}

/// Somebody who types in a conversation.
public struct Typing: Hashable, Sendable {
    public let conversationID: ConversationID
    public let userID: UserID

    package init(conversationID: ConversationID, userID: UserID) {
        self.conversationID = conversationID
        self.userID = userID
    }
}

/// What changed about a user.
public enum UserChange: String, Hashable, Sendable, CaseIterable {
    case name, trust, isOnline
    /// They call themselves by another name than the one that is pinned to them, or do so no more: `User.claimedName`.
    case claimedName
    /// Whether the name is pinned to this key; if not, to which other.
    case pin
    /// What they say of themselves: `Users.profile(of:)`.
    case profile
}

/// Two keys that claim one name.
public struct IdentityConflict: Hashable, Sendable {
    public let name: UserName
    public let pinnedID: UserID
    public let claimedBy: UserID

    package init(name: UserName, pinnedID: UserID, claimedBy: UserID) {
        self.name = name
        self.pinnedID = pinnedID
        self.claimedBy = claimedBy
    }
}

/// Why there is no link to a peer.
public struct LinkFailure: Hashable, Sendable {
    /// The peer's address, if it was dialled or is known.
    public let address: String
    /// The user, if the peer has proved who it is. Of a node of another network, the user whose device was dialled.
    public let userID: UserID?
    /// The code of the error, for programs, and its text, for people.
    public let code: String
    public let message: String
    /// Why the link was closed, if one of the two ends said so.
    public let closeReason: String?

    package init(address: String, userID: UserID?, code: String, message: String, closeReason: String? = nil) {
        self.address = address
        self.userID = userID
        self.code = code
        self.message = message
        self.closeReason = closeReason
    }
}

/// A user's clock that is far from this machine's.
public struct ClockSkew: Hashable, Sendable {
    public let userID: UserID
    /// How far the user's clock is ahead, in milliseconds; negative if it is behind.
    package let ahead: Int64

    package init(userID: UserID, ahead: Int64) {
        self.userID = userID
        self.ahead = ahead
    }
}

/// How this machine's clock was set.
public struct ClockChange: Hashable, Sendable {
    /// How far forward, in milliseconds; negative for backward.
    package let forward: Int64

    package init(forward: Int64) { self.forward = forward }
}

/// Another network, as its nodes advertise it: a hint, which nobody has proved.
public struct OtherNetwork: Hashable, Sendable {
    /// `nil` for the network of the nodes without a key.
    public let tag: String?

    package init(tag: String?) { self.tag = tag }
}

/// Where a copy of this device is advertised: a hint, which nobody has proved.
public struct DeviceCopy: Hashable, Sendable {
    public let addresses: [PeerAddress]

    package init(addresses: [PeerAddress]) { self.addresses = addresses }
}

/// The state of this device's own credential.
public struct CredentialNotice: Hashable, Sendable {
    /// When it begins and when it ends, in milliseconds since 1970 (UTC).
    package let notBefore: Int64
    package let notAfter: Int64
    /// Why it is not renewed; `nil` if it is.
    public let problem: RenewalProblem?

    package init(notBefore: Int64, notAfter: Int64, problem: RenewalProblem? = nil) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.problem = problem
    }

    /// Why a node does not renew its credential.
    public enum RenewalProblem: Hashable, Sendable {
        /// The identity is sealed, and the node was started without its passphrase.
        case sealed
        /// This device does not hold the identity, and has met no primary device of its user in time.
        case needsPrimary
        /// The renewal failed, for a reason that is for people.
        case failed(reason: String)
    }
}

/// What a node whose database was restored from an older copy has taken back from a peer.
public struct HistoryRecovery: Hashable, Sendable {
    /// The user whose device gave it back, who is also the messages' recipient.
    public let userID: UserID
    /// How many of its own messages the node has again.
    public let count: Int
    /// Messages that were written after the database was restored, in places that were taken. Each has a new id, and
    /// its old id may now be that of another message.
    public let renamed: [RenamedMessages]

    package init(userID: UserID, count: Int, renamed: [RenamedMessages]) {
        self.userID = userID
        self.count = count
        self.renamed = renamed
    }
}

/// Messages that follow each other in a log and have new ids, in the same order.
public struct RenamedMessages: Hashable, Sendable {
    /// The first message's old id, and its new one.
    public let from: MessageID
    public let to: MessageID
    public let count: UInt64

    package init(from: MessageID, to: MessageID, count: UInt64) {
        self.from = from
        self.to = to
        self.count = count
    }

    /// - Returns: the id that a message has now; `nil` if it is not one of these.
    public func newID(of messageID: MessageID) -> MessageID? {
        guard messageID.log == from.log, messageID.sequence >= from.sequence, messageID.sequence - from.sequence < count
        else { return nil }
        return MessageID(log: to.log, sequence: to.sequence + (messageID.sequence - from.sequence))
    }
}
