import Earshot

extension GatewayError {
    /// The error as somebody is told it: who may not read learns what is wrong with the request, and nothing of what the
    /// node knows.
    func shown(to access: Access) -> GatewayError { access.mayRead ? self : toldWithoutReading }

    var toldWithoutReading: GatewayError {
        var about = EarshotError.Parameters()
        about.detail = parameters.detail
        (about.limit, about.index) = (parameters.limit, parameters.index)
        guard Self.aboutRequest.contains(code) else {
            return GatewayError(code, "\(Self.words(code)); a token with the scope read is told more", about)
        }
        (about.name, about.suggestions) = (parameters.name, parameters.suggestions)
        return GatewayError(code, message, about)
    }

    /// Errors that say nothing but what stands in the request, or how busy the node is.
    private static let aboutRequest: Set<EarshotError.Code> = [
        .invalidRequest, .invalidUTF8, .invalidLimit, .invalidMessage, .invalidAttachment, .invalidLink, .invalidName,
        .tooLarge, .headersTooLarge, .tooSlow, .unknownEndpoint, .methodNotAllowed, .unauthorized, .forbidden,
        .foreignOrigin, .tooManyRequests, .keyReused, .draftDiscarded, .stopped, .overloaded, .deviceRevoked,
    ]

    /// What is said instead of a message that may name somebody or something.
    private static func words(_ code: EarshotError.Code) -> String {
        switch code {
        case .unknownUser, .ambiguousUser:
            "no user that this node knows has the name, or several have it: give the whole key"
        case .unknownConversation, .ambiguousConversation, .notJoined, .conversationClosed:
            "this node's user is in no conversation of that name, or in several: give the whole id of one"
        case .unknownMessage, .ambiguousMessage, .notAuthor, .retracted, .alreadySent:
            "there is no such message that this can be done with: give the whole id of one"
        case .unknownDraft: "no such draft waits that this token has inserted"
        case .unknownFile, .fileMissing: "there is no such file here: upload it first"
        case .blocked, .notAdmitted, .identityConflict, .nameChanged:
            "nothing can be sent to this user now, and the owner of the node decides about that"
        case .tooManyDrafts: "so many drafts wait already: one has to be sent or discarded first"
        case .storeFull, .storeUnavailable, .storeDamaged: "the node's disk takes no writes now"
        default: "the node cannot do this: \(code)"
        }
    }
}
