import Earshot
import Logging
import NIOHTTP1

/// Answers every request with its endpoint, and every error in one form with a fitting status.
struct Responder: Sendable {
    private let router: Router
    private let logger: Logger

    init(node: Node) {
        router = .endpoints(of: node)
        logger = node.configuration.logger
    }

    func respond(to request: Request) async -> Response {
        do {
            guard let response = try await router.respond(to: request) else {
                throw GatewayError(.unknownEndpoint, "there is no \(request.method) \(request.path)")
            }
            return response
        } catch {
            let failure = Self.failure(of: error)
            if failure.code == .internalError {
                logger.error("a request failed", metadata: ["path": "\(request.path)", "error": "\(error)"])
            }
            return Self.response(of: failure)
        }
    }

    private static func response(of failure: GatewayError) -> Response {
        do { return try .json(ErrorResponse(failure), status: failure.code.status) } catch {
            return Response(status: .internalServerError)
        }
    }

    private static func failure(of error: any Error) -> GatewayError {
        switch error {
        case let error as GatewayError: error
        case let error as EarshotError: GatewayError(error.code, error.message, error.parameters, cause: error)
        default: GatewayError(.internalError, "something went wrong in the node: \(error)", cause: error)
        }
    }
}

extension EarshotError.Code {
    /// The status of a response that reports the error (RFC 9110, section 15).
    var status: HTTPResponseStatus {
        switch self {
        case .invalidRequest, .invalidUTF8, .invalidLimit: .badRequest
        case .blocked, .notAdmitted: .forbidden
        case .unknownUser, .unknownMessage, .unknownEndpoint: .notFound
        case .ambiguousUser, .alreadySent, .undelivered, .identityConflict, .nameChanged: .conflict
        case .tooLarge: .payloadTooLarge
        case .invalidMessage, .invalidName: .unprocessableEntity
        case .overloaded, .stopped, .storeUnavailable, .storeDamaged, .storeNewer: .serviceUnavailable
        case .timedOut: .gatewayTimeout
        // RFC 4918, section 11.5.
        case .storeFull: .insufficientStorage
        default: .internalServerError
        }
    }
}
