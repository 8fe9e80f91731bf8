import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves HTTP/1.1 on a Unix socket.
struct HTTPServer: Sendable {
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    let socketPath: String
    /// How long open responses may take after it is told to end.
    let shutdown: Duration
    let logger: Logger
    let respond: @Sendable (Request) async -> Response

    /// Serves until the task is cancelled. Then it lets open responses finish, for at most `shutdown`, and returns.
    ///
    /// - Parameter onListening: called once the socket answers.
    /// - Throws: `IOError` if the socket cannot be made.
    func run(onListening: @escaping @Sendable () async -> Void) async throws {
        let connections = OpenConnections()
        let listener = try await listen(connections)
        // A task of its own, because the cancellation of this one lets responses finish.
        let serving = Task { try await serve(listener, onListening: onListening) }
        try await withTaskCancellationHandler {
            try await serving.value
        } onCancel: {
            listener.channel.close(promise: nil)
            connections.end()
            let cutOff = listener.channel.eventLoop.scheduleTask(in: TimeAmount(shutdown)) {
                serving.cancel()
            }
            Task {
                _ = await serving.result
                cutOff.cancel()
            }
        }
    }

    private func listen(
        _ connections: OpenConnections
    ) async throws -> NIOAsyncChannel<(OpenConnection, Connection), Never> {
        // A socket that a dead node has left is removed. It cannot belong to a living node, because this node has the
        // lock of the home directory.
        try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // A client may end its sending side and wait for the answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(unixDomainSocketPath: socketPath, cleanupExistingSocketFile: true) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = connections.add(channel)
                    let pipeline = channel.pipeline.syncOperations
                    // This server already answers the requests of a connection one after the other.
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try pipeline.addHandler(IdleStateHandler(readTimeout: GatewayLimits.idleConnection))
                    try pipeline.addHandler(ConnectionWatch(connection))
                    return (
                        connection,
                        try Connection(
                            wrappingChannelSynchronously: channel,
                            configuration: .init(isOutboundHalfClosureEnabled: true))
                    )
                }
            }
    }

    private func serve(
        _ listener: NIOAsyncChannel<(OpenConnection, Connection), Never>,
        onListening: @escaping @Sendable () async -> Void
    ) async throws {
        try await listener.executeThenClose { incoming in
            await onListening()
            try await withThrowingTaskGroup(of: Void.self) { group in
                var free = GatewayLimits.connections
                for try await (open, connection) in incoming {
                    if free > 0 { free -= 1 } else { try await group.next() }
                    group.addTask { await serve(connection, open) }
                }
                try await group.waitForAll()
            }
        }
    }

    private func serve(_ connection: Connection, _ open: OpenConnection) async {
        do {
            try await connection.executeThenClose { incoming, outgoing in
                var reader = RequestReader(incoming)
                while let (head, body) = try await reader.next(), open.beginResponse() {
                    let response = await respond(
                        Request(method: head.method, target: head.uri, headers: head.headers, body: body))
                    let writer = ResponseWriter(connection: open, outgoing: outgoing)
                    try await writer.write(response, to: head)
                    guard open.endResponse(), head.isKeepAlive else { break }
                }
                // Closing at once would drop what has not left yet; the client closes when it has read everything.
                outgoing.finish()
                try await reader.skipAll()
            }
        } catch {
            // The client sent something other than HTTP, and was told so, or it has left.
            logger.trace("a connection of the local API broke off", metadata: ["error": "\(error)"])
        }
    }
}
