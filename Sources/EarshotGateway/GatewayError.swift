package import Earshot

/// Why the local API did not do what it was asked, for both the client and the server.
///
/// Its codes are those of `EarshotError`, and a few of its own.
package struct GatewayError: Error, Sendable, CustomStringConvertible {
    package let code: EarshotError.Code
    /// What happened, in a sentence.
    package let message: String
    /// The details, for programs.
    package let parameters: EarshotError.Parameters
    package let cause: (any Error)?

    package init(
        _ code: EarshotError.Code, _ message: String, _ parameters: EarshotError.Parameters = .init(),
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.parameters = parameters
        self.cause = cause
    }

    package var description: String { message }

    /// The same error, about one of the messages of a request.
    package func about(index: Int) -> GatewayError {
        var parameters = parameters
        parameters.index = index
        return GatewayError(code, message, parameters, cause: cause)
    }
}

extension EarshotError.Code {
    /// Nobody listens on the socket.
    package static let noNode = Self("noNode")
    /// The node, or something in between, ended the connection before the answer was complete.
    package static let connectionLost = Self("connectionLost")
    /// The socket cannot be made.
    package static let socketUnusable = Self("socketUnusable")
    /// The request does not have the form that the endpoint takes.
    package static let invalidRequest = Self("invalidRequest")
    /// A text is not UTF-8.
    package static let invalidUTF8 = Self("invalidUTF8")
    /// The request is longer than the node reads.
    package static let tooLarge = Self("tooLarge")
    /// There is no such endpoint.
    package static let unknownEndpoint = Self("unknownEndpoint")
    /// The endpoint does not have this method.
    package static let methodNotAllowed = Self("methodNotAllowed")
    /// The request comes from somebody else's page, or names a host that is not this one.
    package static let foreignOrigin = Self("foreignOrigin")
    /// The page belongs to another user of the machine than the one who asks for it.
    package static let foreignUser = Self("foreignUser")
    /// The request shows no valid token where one is needed.
    package static let unauthorized = Self("unauthorized")
    /// The headers of the request are longer than the node reads.
    package static let headersTooLarge = Self("headersTooLarge")
    /// The request came too slowly.
    package static let tooSlow = Self("tooSlow")
    /// There were too many requests within a second, or too many are open.
    package static let tooManyRequests = Self("tooManyRequests")
    /// This version of the client does not understand the answer.
    package static let unexpectedResponse = Self("unexpectedResponse")
}

extension EarshotError.Detail {
    /// The message was handed over before the error: the node may still accept it.
    package static let mayBeAccepted = Self("mayBeAccepted")
    /// The port is the one of the local API on TCP.
    package static let localAPI = Self("localAPI")
    /// The text is not the id of a message.
    package static let notAMessageID = Self("notAMessageID")
}
