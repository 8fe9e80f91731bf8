/// What is wrong with something that a peer sent, or that this node was asked to do.
package struct ProtocolError: Error, Hashable, CustomStringConvertible {
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        // What a peer did.
        /// Bytes that do not decode.
        package static let malformed = Code(description: "malformed")
        /// Something well-formed that the protocol forbids.
        package static let violation = Code(description: "violation")
        /// The cryptography does not hold: a wrong key, a changed byte, or somebody else's signature.
        package static let unauthentic = Code(description: "unauthentic")
        /// The peer speaks another version of the protocol.
        package static let unsupportedVersion = Code(description: "unsupportedVersion")
        /// The peer belongs to another network.
        package static let otherNetwork = Code(description: "otherNetwork")
        /// The peer's credential has expired.
        package static let credentialExpired = Code(description: "credentialExpired")
        /// The peer's credential is not yet valid.
        package static let credentialNotYetValid = Code(description: "credentialNotYetValid")
        /// The peer closed the link, with the reason in `closeReason`.
        package static let closedByPeer = Code(description: "closedByPeer")
        /// Nothing was heard for too long.
        package static let timeout = Code(description: "timeout")
        /// The peer makes this node do more than it may.
        package static let tooManyRequests = Code(description: "tooManyRequests")
        /// Nobody answers at an address.
        package static let unreachable = Code(description: "unreachable")
        /// This node closed the link, with the reason in `closeReason`.
        package static let closedHere = Code(description: "closedHere")

        // What this node was asked.
        package static let unknownUser = Code(description: "unknownUser")
        package static let unknownConversation = Code(description: "unknownConversation")
        /// This node's user does not belong to the conversation.
        package static let notJoined = Code(description: "notJoined")
        /// The conversation's owner has closed it.
        package static let conversationClosed = Code(description: "conversationClosed")
        /// Only the conversation's owner may do that, or an owner may not.
        package static let notOwner = Code(description: "notOwner")
        /// Another device of the conversation's owner writes its control log.
        package static let decidedElsewhere = Code(description: "decidedElsewhere")
        /// This node's user has created a conversation of that name.
        package static let conversationExists = Code(description: "conversationExists")
        /// The user does not belong to the conversation.
        package static let notParticipant = Code(description: "notParticipant")
        package static let tooManyConversations = Code(description: "tooManyConversations")
        /// The text cannot be the name of a conversation.
        package static let invalidName = Code(description: "invalidName")
        /// What a private conversation is to be is over a limit.
        package static let invalidConversation = Code(description: "invalidConversation")
        package static let unknownMessage = Code(description: "unknownMessage")
        package static let invalidMessage = Code(description: "invalidMessage")
        package static let blocked = Code(description: "blocked")
        /// The recipient is not among those whom this node admits.
        package static let notAdmitted = Code(description: "notAdmitted")
        /// The recipient claims a name that is pinned to another key.
        package static let identityConflict = Code(description: "identityConflict")
        /// The idempotency key belongs to another message.
        package static let keyReused = Code(description: "keyReused")
        /// What came with an acknowledgement of what is acknowledged already, and was not sent with it then.
        package static let alreadyAcknowledged = Code(description: "alreadyAcknowledged")
        /// No draft with that id waits.
        package static let unknownDraft = Code(description: "unknownDraft")
        /// A draft that is inserted again was discarded.
        package static let draftDiscarded = Code(description: "draftDiscarded")
        /// There are as many drafts as there may be.
        package static let tooManyDrafts = Code(description: "tooManyDrafts")
        package static let unknownConsumer = Code(description: "unknownConsumer")
        package static let consumerExists = Code(description: "consumerExists")
        /// The text cannot be the name of a consumer.
        package static let invalidConsumer = Code(description: "invalidConsumer")
        /// The message is not the next that the consumer is to acknowledge.
        package static let notHandedOut = Code(description: "notHandedOut")
        /// There are as many consumers as there may be.
        package static let tooManyConsumers = Code(description: "tooManyConsumers")
        /// Only a device with the identity key can do it.
        package static let needsPrimary = Code(description: "needsPrimary")
        /// This node's user has no such device.
        package static let unknownDevice = Code(description: "unknownDevice")
        /// This node's user has revoked this device.
        package static let deviceRevoked = Code(description: "deviceRevoked")
        /// There are as many devices of this node's user as there may be.
        package static let tooManyDevices = Code(description: "tooManyDevices")
        /// The user about whom was decided has another name by now.
        package static let nameChanged = Code(description: "nameChanged")
        /// It was sent already.
        package static let alreadySent = Code(description: "alreadySent")
        package static let overloaded = Code(description: "overloaded")
        package static let storage = Code(description: "storage")
        /// As `storage`, because there is no space left.
        package static let storageFull = Code(description: "storageFull")
        package static let stopped = Code(description: "stopped")
    }

    package let code: Code
    package let message: String
    /// Why a link was closed, if one was.
    package let closeReason: CloseReason?
    /// Which message of a call it is about, from 0, if it is about one of several.
    package private(set) var index: Int?

    package init(_ code: Code, _ message: String, closeReason: CloseReason? = nil) {
        self.code = code
        self.message = message
        self.closeReason = closeReason
    }

    package var description: String { message }

    /// The same error, about one of the messages of a call.
    func about(_ index: Int) -> ProtocolError {
        var error = self
        error.index = index
        return error
    }
}

/// Why a link was closed, as one end tells the other. The number goes over the wire.
package enum CloseReason: UInt32, Sendable, CaseIterable, CustomStringConvertible {
    /// The node stops.
    case shutdown = 1
    /// Another link to the same device stays.
    case duplicate = 2
    /// The peer broke the protocol.
    case violation = 3
    case unsupportedVersion = 4
    case otherNetwork = 5
    /// The credential is malformed, not signed by the identity that it names, or for other keys.
    case credentialInvalid = 6
    case credentialExpired = 7
    case credentialNotYetValid = 8
    /// The name is pinned to another key.
    case identityConflict = 9
    case blocked = 10
    /// The disk does not take what the peer sent. The peer should send it again later.
    case storageFailure = 11
    /// Too many links or handshakes.
    case overloaded = 12
    case timeout = 13
    /// A node reached itself.
    case ownIdentity = 14
    /// A log of this node differs from what the peer holds of it. The next link begins by taking it back.
    case logDiffers = 15
    /// The node admits only some users, and not this one.
    case notAdmitted = 16
    /// The peer asks for more than it may that moves no log forward.
    case tooManyRequests = 17
    /// The device's user has revoked it.
    case revoked = 18
    /// The node waits for no pairing with this code.
    case noPairing = 19

    /// The reason's name in the API.
    package var name: String {
        switch self {
        case .shutdown: "shutdown"
        case .duplicate: "duplicate"
        case .violation: "violation"
        case .unsupportedVersion: "unsupportedVersion"
        case .otherNetwork: "otherNetwork"
        case .credentialInvalid: "credentialInvalid"
        case .credentialExpired: "credentialExpired"
        case .credentialNotYetValid: "credentialNotYetValid"
        case .identityConflict: "identityConflict"
        case .blocked: "blocked"
        case .storageFailure: "storageFailure"
        case .overloaded: "overloaded"
        case .timeout: "timeout"
        case .ownIdentity: "ownIdentity"
        case .logDiffers: "logDiffers"
        case .notAdmitted: "notAdmitted"
        case .tooManyRequests: "tooManyRequests"
        case .revoked: "revoked"
        case .noPairing: "noPairing"
        }
    }

    package var description: String {
        switch self {
        case .shutdown: "the node stops"
        case .duplicate: "another link to the same device stays"
        case .violation: "the peer broke the protocol"
        case .unsupportedVersion: "the peer speaks another version of the protocol"
        case .otherNetwork: "the peer belongs to another network"
        case .credentialInvalid: "the credential does not hold"
        case .credentialExpired: "the credential has expired; is the clock right?"
        case .credentialNotYetValid: "the credential is not yet valid; is the clock right?"
        case .identityConflict: "the name is pinned to another key"
        case .blocked: "the user is blocked"
        case .storageFailure: "the disk does not take what was sent"
        case .overloaded: "there are too many links"
        case .timeout: "the other end was silent for too long"
        case .ownIdentity: "the node reached its own identity"
        case .logDiffers: "the two ends hold different entries of a log; they are compared on the next link"
        case .notAdmitted: "the user is not among those whom the node admits"
        case .tooManyRequests: "the peer asks for more than it may"
        case .revoked: "its user has revoked the device"
        case .noPairing: "the node waits for no pairing with this code"
        }
    }
}
