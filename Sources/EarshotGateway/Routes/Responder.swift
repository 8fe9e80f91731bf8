import Earshot
import Logging
import NIOHTTP1

/// Answers every request with its route, and every error in one form with a fitting status.
struct Responder: Sendable {
    private let router: Router
    private let logger: Logger

    init(node: Node, feed: EventFeed, tokens: TokenBook, door: PageDoor, held: HeldRequests = HeldRequests()) {
        router = Router(node: node, feed: feed, tokens: tokens, door: door, held: held)
        logger = node.configuration.logger
    }

    /// What a request on the page's port gets.
    func respondOnPage(to request: Request) async -> Response {
        let file = Page.response(to: request)
        var response = if let file { file } else { await respond(to: request) }
        for (name, value) in Page.headers { response.headers.replaceOrAdd(name: name, value: value) }
        return response
    }

    /// What takes in the body of a request that is too large for the memory; `nil` for all other requests.
    /// - Throws: `GatewayError` for what is refused before anything of the body is read.
    func intake(for request: Request) async throws(GatewayError) -> Intake? {
        do { return try await router.intake(for: request) } catch {
            throw GatewayError(any: error).shown(to: request.access)
        }
    }

    /// Every answer and every error, as the one who asks is told it.
    func respond(to request: Request) async -> Response {
        do { return try await router.respond(to: request).shown(to: request.access) } catch {
            let failure = GatewayError(any: error)
            if failure.code == .internalError {
                logger.error("a request failed", metadata: ["path": "\(request.path)", "error": "\(error)"])
            }
            return Response(failure.shown(to: request.access))
        }
    }
}

extension GatewayError {
    init(any error: any Error) {
        switch error {
        case let error as GatewayError: self = error
        case let error as EarshotError: self.init(error.code, error.message, error.parameters, cause: error)
        default: self.init(.internalError, "something went wrong in the node: \(error)", cause: error)
        }
    }
}

extension Response {
    /// The answer that reports an error.
    init(_ failure: GatewayError) {
        do { self = try .json(ErrorResponse(failure), status: failure.code.status) } catch {
            self.init(status: .internalServerError)
        }
        switch failure.code {
        // RFC 9110, section 10.2.1.
        case .methodNotAllowed:
            headers.add(name: "allow", value: failure.parameters.suggestions.joined(separator: ", "))
        // RFC 6750, section 3.
        case .unauthorized: headers.add(name: "www-authenticate", value: "Bearer realm=\"earshot\"")
        case .tooManyRequests, .overloaded: headers.add(name: "retry-after", value: "1")
        default: break
        }
    }
}

extension EarshotError.Code {
    /// The status of a response that reports the error (RFC 9110, section 15).
    var status: HTTPResponseStatus {
        switch self {
        case .invalidRequest, .invalidUTF8, .invalidLimit: .badRequest
        case .unauthorized: .unauthorized
        case .blocked, .notAdmitted, .notAuthor, .notOwner, .needsPrimary, .deviceRevoked, .passphraseNeeded,
            .forbidden, .foreignOrigin, .foreignUser:
            .forbidden
        case .unknownUser, .unknownConversation, .unknownMessage, .unknownToken, .unknownConsumer, .unknownDevice,
            .unknownTarget, .unknownFile, .unknownDraft, .unknownEndpoint:
            .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .ambiguousUser, .ambiguousMessage, .alreadySent, .undelivered, .identityConflict, .nameChanged,
            .tokenExists, .keyReused, .consumerExists, .consumerBusy, .alreadyAcknowledged,
            .tooManyTokens, .tooManyConsumers, .tooManyDevices, .notHandedOut, .notJoined, .tooManyConversations,
            .ambiguousConversation, .conversationExists, .conversationClosed, .decidedElsewhere, .notParticipant,
            .tooManyDrafts, .draftDiscarded, .retracted, .portInUse, .targetExists, .tooManyTargets, .targetBusy,
            .fileMissing, .fileChanged:
            .conflict
        case .gone: .gone
        case .tooSlow: .requestTimeout
        case .tooLarge, .fileTooLarge: .payloadTooLarge
        case .invalidMessage, .invalidProfile, .invalidName, .invalidConversation, .invalidConsumer, .invalidSearch,
            .invalidTarget, .targetUnusable, .invalidNotification, .unusableFile, .invalidRule, .notAPicture,
            .pictureTooLarge, .invalidAttachment, .invalidLink, .invalidCommand:
            .unprocessableEntity
        case .tooManyRequests: .tooManyRequests
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .overloaded, .stopped, .storeUnavailable, .storeDamaged, .storeNewer: .serviceUnavailable
        case .timedOut: .gatewayTimeout
        // RFC 4918, section 11.5.
        case .storeFull: .insufficientStorage
        default: .internalServerError
        }
    }
}
