import Earshot
import Hummingbird
import Logging

/// Answers every error in one form, with the status that fits.
struct ErrorMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch {
            let failure = Self.failure(of: error, request: request)
            if failure.code == .internalError {
                context.logger.error(
                    "a request failed", metadata: ["path": "\(request.uri.path)", "error": "\(error)"])
            }
            return try .json(ErrorResponse(failure), status: failure.code.status)
        }
    }

    private static func failure(of error: any Error, request: Request) -> GatewayError {
        switch error {
        case let error as GatewayError: return error
        case let error as EarshotError:
            return GatewayError(error.code, error.message, error.parameters, cause: error)
        case let error as HTTPError where error.status == .notFound:
            return GatewayError(.unknownEndpoint, "there is no \(request.method) \(request.uri.path)")
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return GatewayError(.invalidRequest, "the request cannot be read: \(error)", cause: error)
        default: return GatewayError(.internalError, "something went wrong in the node: \(error)", cause: error)
        }
    }
}

extension EarshotError.Code {
    /// The status of a response that reports the error (RFC 9110, section 15).
    var status: HTTPResponse.Status {
        switch self {
        case .invalidRequest, .invalidUTF8, .invalidLimit: .badRequest
        case .blocked, .notAdmitted: .forbidden
        case .unknownUser, .unknownMessage, .unknownEndpoint: .notFound
        case .ambiguousUser, .alreadySent, .undelivered, .identityConflict, .nameChanged: .conflict
        case .tooLarge: .contentTooLarge
        case .invalidMessage, .invalidName: .unprocessableContent
        case .overloaded, .stopped, .storeUnavailable, .storeDamaged, .storeNewer: .serviceUnavailable
        case .timedOut: .gatewayTimeout
        // RFC 4918, section 11.5.
        case .storeFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        default: .internalServerError
        }
    }
}
