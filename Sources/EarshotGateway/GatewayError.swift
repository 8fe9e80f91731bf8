public import Earshot

/// Why the local API did not do what it was asked, on either side of it.
///
/// Its codes are those of `EarshotError`, and a few of its own.
public struct GatewayError: Error, Sendable, CustomStringConvertible {
    public let code: EarshotError.Code
    /// What happened, in a sentence.
    public let message: String
    /// What to do about it, if something can be done.
    public let remedy: String?
    public let cause: (any Error)?

    public init(_ code: EarshotError.Code, _ message: String, remedy: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    public var description: String { remedy.map { "\(message) (\($0))" } ?? message }
}

extension EarshotError.Code {
    /// Nobody listens on the socket.
    public static let noNode = Self("noNode")
    /// The node, or something in between, ended the connection before the answer was complete.
    public static let connectionLost = Self("connectionLost")
    /// The socket cannot be made.
    public static let socketUnusable = Self("socketUnusable")
    /// The request is not of the form that the endpoint takes.
    public static let invalidRequest = Self("invalidRequest")
    /// A text is not UTF-8.
    public static let invalidUTF8 = Self("invalidUTF8")
    /// The request is longer than the node reads.
    public static let tooLarge = Self("tooLarge")
    /// There is no such endpoint.
    public static let unknownEndpoint = Self("unknownEndpoint")
    /// The answer is not what this version of the client understands.
    public static let unexpectedResponse = Self("unexpectedResponse")
}
