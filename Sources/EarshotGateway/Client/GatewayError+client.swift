import Earshot
import Foundation
import NIOCore

extension GatewayError {
    /// What the node said.
    init(_ response: ErrorResponse) {
        self.init(EarshotError.Code(response.error.code), response.error.message, remedy: response.error.remedy)
    }

    /// What the connection said.
    init(transport error: any Error, socketPath: String) {
        switch error {
        case let error as IOError where [ENOENT, ECONNREFUSED].contains(error.errnoCode):
            self.init(.noNode, "no node listens on \(socketPath)", remedy: "start one with: earshot up", cause: error)
        default:
            self.init(
                .connectionLost, "the connection to the node was lost: \(error)", remedy: "does it still run?",
                cause: error)
        }
    }

    /// The same where a message was handed over: the node may accept it though nobody hears of that any more.
    var whileSending: GatewayError {
        guard code == .timedOut || code == .connectionLost else { return self }
        return GatewayError(
            code, "\(message); it is not known whether the node has accepted the message",
            remedy: "before you send it again, see whether it is there: earshot history NAME", cause: cause)
    }
}
