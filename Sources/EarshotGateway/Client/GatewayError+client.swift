import Earshot
import Foundation
import NIOCore

extension GatewayError {
    /// An error that the node reported.
    init(_ response: ErrorResponse) {
        self.init(
            EarshotError.Code(response.error.code), response.error.message,
            EarshotError.Parameters(response.error.parameters))
    }

    /// An error of the connection.
    init(transport error: any Error, socketPath: String) {
        switch error {
        case let error as IOError where [ENOENT, ECONNREFUSED].contains(error.errnoCode):
            self.init(.noNode, "no node listens on \(socketPath)", .init(path: socketPath), cause: error)
        default:
            self.init(.connectionLost, "the connection to the node was lost: \(error)", cause: error)
        }
    }

    /// The same error for a message that was already handed over: the node may still accept it.
    var whileSending: GatewayError {
        guard code == .timedOut || code == .connectionLost else { return self }
        return GatewayError(
            code, "\(message); it is not known whether the node has accepted the message",
            .init(.mayBeAccepted), cause: cause)
    }
}
