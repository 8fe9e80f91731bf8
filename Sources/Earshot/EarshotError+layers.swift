import EarshotCrypto
@_exported public import EarshotModel
import EarshotProtocol
import EarshotStore

extension EarshotError {
    init(_ error: ProtocolError) {
        let code: Code =
            switch error.code {
            case .unknownUser: .unknownUser
            case .unknownConversation: .unknownConversation
            case .notJoined: .notJoined
            case .conversationExists: .conversationExists
            case .conversationClosed: .conversationClosed
            case .notOwner: .notOwner
            case .decidedElsewhere: .decidedElsewhere
            case .notParticipant: .notParticipant
            case .invalidName: .invalidName
            case .tooManyConversations: .tooManyConversations
            case .invalidConversation: .invalidConversation
            case .unknownMessage: .unknownMessage
            case .invalidMessage: .invalidMessage
            case .blocked: .blocked
            case .identityConflict: .identityConflict
            case .notAdmitted: .notAdmitted
            case .nameChanged: .nameChanged
            case .alreadySent: .alreadySent
            case .needsPrimary: .needsPrimary
            case .unknownDevice: .unknownDevice
            case .tooManyDevices: .tooManyDevices
            case .deviceRevoked: .deviceRevoked
            case .keyReused: .keyReused
            case .alreadyAcknowledged: .alreadyAcknowledged
            case .unknownDraft: .unknownDraft
            case .draftDiscarded: .draftDiscarded
            case .tooManyDrafts: .tooManyDrafts
            case .unknownConsumer: .unknownConsumer
            case .consumerExists: .consumerExists
            case .invalidConsumer: .invalidConsumer
            case .tooManyConsumers: .tooManyConsumers
            case .notHandedOut: .notHandedOut
            case .overloaded: .overloaded
            case .storage: .storeUnavailable
            case .storageFull: .storeFull
            case .stopped: .stopped
            default: .internalError
            }
        let limit: Int? =
            switch code {
            case .tooManyConsumers: Limits.consumers
            case .tooManyConversations: Limits.conversationsOfMany
            default: nil
            }
        self.init(code, error.message, Parameters(limit: limit, index: error.index), cause: error)
    }

    init(_ error: StoreError) {
        let code: Code =
            switch error.code {
            case .damaged: .storeDamaged
            case .full: .storeFull
            case .newer: .storeNewer
            default: .storeUnavailable
            }
        self.init(code, error.message, cause: error)
    }

    /// The same error, about a user.
    func about(_ userID: UserID) -> EarshotError {
        var parameters = parameters
        parameters.userID = userID
        return EarshotError(code, message, parameters, cause: cause)
    }

    /// The same error, about where messages go.
    func about(_ destination: Destination) -> EarshotError {
        if case .user(let userID) = destination { about(userID) } else { self }
    }

    /// The same error, about what has a name.
    func named(_ name: String) -> EarshotError {
        var parameters = parameters
        parameters.name = name
        return EarshotError(code, message, parameters, cause: cause)
    }

    /// The same error, about a conversation.
    func about(_ conversation: Conversation) -> EarshotError {
        var parameters = parameters
        parameters.name = conversation.uniqueName
        if code == .notJoined, conversation.kind == .private { parameters.detail = .byInvitation }
        return EarshotError(code, message, parameters, cause: cause).about(conversation.destination)
    }

    /// The same error, about one of the messages of a call.
    package func about(index: Int) -> EarshotError {
        var parameters = parameters
        parameters.index = index
        return EarshotError(code, message, parameters, cause: cause)
    }

    /// The same error, about a message.
    func about(_ messageID: MessageID) -> EarshotError {
        var parameters = parameters
        parameters.messageID = messageID
        return EarshotError(code, message, parameters, cause: cause)
    }
}
