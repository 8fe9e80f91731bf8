package import Earshot
import Foundation
import Logging

/// The local API of a node: HTTP/1.1 and JSON on a Unix socket that only the node's owner may use.
///
/// Run it beside the node:
/// ```swift
/// group.addTask { try await node.run() }
/// group.addTask { try await Gateway(node: node).run() }
/// ```
package struct Gateway: Sendable {
    private let node: Node
    private let shutdown: Duration
    private let onListening: @Sendable () async -> Void

    /// - Parameters:
    ///   - shutdown: how long open requests may take when the gateway ends.
    ///   - onListening: called once the socket answers.
    package init(
        node: Node, shutdown: Duration = GatewayLimits.shutdown, onListening: @escaping @Sendable () async -> Void = {}
    ) {
        self.node = node
        self.shutdown = shutdown
        self.onListening = onListening
    }

    /// Serves requests until the task is cancelled. Then it lets open requests finish, for at most `shutdown`, removes
    /// the socket and returns.
    ///
    /// - Throws: `GatewayError` `socketUnusable`.
    package func run() async throws {
        let path = node.home.socketFile
        try SocketPath.check(path)
        let (logger, onListening) = (node.configuration.logger, onListening)
        let responder = Responder(node: node)
        let server = HTTPServer(socketPath: path, shutdown: shutdown, logger: logger) {
            await responder.respond(to: $0)
        }
        defer { unlink(path) }
        do {
            try await server.run {
                // Until now the home directory's own mode keeps others out.
                if chmod(path, 0o600) != 0 {
                    logger.warning("the mode of the socket cannot be set", metadata: ["path": "\(path)"])
                }
                await onListening()
            }
        } catch  where !Task.isCancelled {
            throw GatewayError(
                .socketUnusable, "the local API cannot listen on \(path): \(error)",
                .init(.unwritable, path: path), cause: error)
        } catch {
            // It was told to end, but a request took longer than `shutdown`.
            logger.debug("the local API was cut off", metadata: ["error": "\(error)"])
        }
    }
}
