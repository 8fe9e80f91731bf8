package import Earshot
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The local API of a node: HTTP/1.1 and JSON on a Unix socket that only the node's owner may use.
///
/// Run it beside the node:
/// ```swift
/// group.addTask { try await node.run() }
/// group.addTask { try await Gateway(node: node).run() }
/// ```
package struct Gateway: Sendable {
    private let node: Node
    private let onListening: @Sendable () async -> Void

    /// - Parameter onListening: called once the socket answers.
    package init(node: Node, onListening: @escaping @Sendable () async -> Void = {}) {
        self.node = node
        self.onListening = onListening
    }

    /// Serves requests until the task is cancelled. Then it lets open requests finish, for at most
    /// `GatewayLimits.shutdown`, removes the socket and returns.
    ///
    /// - Throws: `GatewayError` `socketUnusable`.
    package func run() async throws {
        let path = node.home.socketFile
        try SocketPath.check(path)
        // The server removes a socket that a dead node has left. It cannot belong to a living node, because this node
        // has the lock of the home directory.
        let application = makeApplication(socket: path)
        var configuration = ServiceGroupConfiguration(services: [application], logger: node.configuration.logger)
        configuration.maximumGracefulShutdownDuration = GatewayLimits.shutdown
        defer { unlink(path) }
        do {
            try await Self.runGracefully(ServiceGroup(configuration: configuration))
        } catch  where !Task.isCancelled {
            throw GatewayError(
                .socketUnusable, "the local API cannot listen on \(path): \(error)",
                .init(.unwritable, path: path), cause: error)
        } catch {
            // It was told to end, but a request took longer than `GatewayLimits.shutdown`.
            node.configuration.logger.debug("the local API was cut off", metadata: ["error": "\(error)"])
        }
    }

    private func makeApplication(socket path: String) -> some ApplicationProtocol {
        let (logger, onListening) = (node.configuration.logger, onListening)
        return Application(
            router: makeRouter(for: node),
            server: .http1(configuration: .init(idleTimeout: GatewayLimits.idleConnection)),
            configuration: ApplicationConfiguration(
                address: .unixDomainSocket(path: path),
                availableConnectionsDelegate: .maximum(GatewayLimits.connections, logger: logger)),
            onServerRunning: { _ in
                // Until now the home directory's own mode keeps others out.
                if chmod(path, 0o600) != 0 {
                    logger.warning("the mode of the socket cannot be set", metadata: ["path": "\(path)"])
                }
                await onListening()
            },
            logger: logger)
    }

    /// Turns the cancellation of the task into a graceful shutdown: the group runs in a task of its own, which the
    /// cancellation does not reach.
    private static func runGracefully(_ group: ServiceGroup) async throws {
        let running = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
        }
    }
}
