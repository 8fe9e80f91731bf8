import Earshot
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves HTTP/1.1 at one address.
struct HTTPServer: Sendable {
    /// Where a server listens.
    enum Address: Sendable {
        /// A Unix socket at a path.
        case socket(String)
        /// A TCP port on loopback; 0 lets the system choose.
        case loopback(port: Int)
    }

    private typealias Listener = NIOAsyncChannel<AcceptedConnection, Never>

    let address: Address
    /// How many connections may be open at once.
    var connectionLimit = GatewayLimits.connections
    /// How long open responses may take after it is told to end.
    var shutdown = GatewayLimits.shutdown
    let logger: Logger
    /// Says what a request may do, from its head and from where it came in.
    let admit: @Sendable (HTTPRequestHead, Entrance) throws(GatewayError) -> Access
    /// What takes in the body of a request that is too large for the memory.
    let intake: @Sendable (Request) async throws(GatewayError) -> Intake?
    let respond: @Sendable (Request) async -> Response
    /// Called with each response, and the request unless its head could not be read, by tests.
    var observe: (@Sendable (Request?, Response) -> Void)?

    /// Serves until the task is cancelled. Then it lets open responses finish, for at most `shutdown`, and returns.
    ///
    /// - Parameter onListening: called once it answers, with the TCP port.
    /// - Throws: `IOError` if it cannot listen.
    func run(onListening: @escaping @Sendable (_ port: Int?) async -> Void) async throws {
        let connections = OpenConnections(limit: connectionLimit)
        let (listener, early) = try await listen(connections)
        // A task of its own, because the cancellation of this one lets responses finish.
        let serving = Task { try await serve(listener, early, onListening: onListening) }
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

    private func listen(_ connections: OpenConnections) async throws -> (Listener, EarlySocket?) {
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: GatewayLimits.backlog)
            // A client may end its sending side and wait for the answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
        switch address {
        case .socket(let path):
            let early = try EarlySocket(path)
            let listener = try await bootstrap.bind(unixDomainSocketPath: early.path, cleanupExistingSocketFile: true) {
                Self.prepare($0, connections)
            }
            return (listener, early)
        case .loopback(let port):
            let listener = try await bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: "127.0.0.1", port: port) { Self.prepare($0, connections) }
            return (listener, nil)
        }
    }

    private static func prepare(
        _ channel: any Channel, _ connections: OpenConnections
    ) -> EventLoopFuture<AcceptedConnection> {
        channel.eventLoop.makeCompletedFuture {
            let connection = connections.add(channel)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ReceivedBytes(connection))
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldCount = GatewayLimits.headerFields
            limits.maxHeaderFieldSize = GatewayLimits.headerBytes
            limits.maxHeaderListSize = GatewayLimits.headerBytes
            // This server answers the requests of a connection one after the other, and its errors itself.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: true,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(RequestParts(connection))
            return try AcceptedConnection(connection)
        }
    }

    private func serve(
        _ listener: Listener, _ early: EarlySocket?, onListening: @escaping @Sendable (Int?) async -> Void
    ) async throws {
        let port = listener.channel.localAddress?.port
        try await listener.executeThenClose { incoming in
            try early?.open(listener.channel)
            await onListening(port)
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in incoming {
                    group.addTask { await serve(connection, port: port) }
                }
            }
        }
    }

    private func serve(_ accepted: AcceptedConnection, port: Int?) async {
        guard let streams = accepted.take() else { return }
        let open = accepted.connection
        do {
            try await streams.executeThenClose { incoming, outgoing in
                var reader = RequestReader(incoming)
                let writer = ResponseWriter(connection: open, outgoing: outgoing)
                if open.isRefused {
                    try await refuse(nil, .tooManyConnections, writer)
                } else {
                    while try await answerNext(&reader, writer, open, port: port) {}
                }
                open.linger()
                outgoing.finish()
                try await reader.skipAll()
            }
        } catch let error as UnreadableBody where !Task.isCancelled {
            logger.warning("a response broke off: its content cannot be read", metadata: ["error": "\(error.cause)"])
        } catch {
            // The client has left.
            logger.trace("a connection of the local API broke off", metadata: ["error": "\(error)"])
        }
    }

    /// Reads one request and answers it.
    /// - Returns: whether another may follow on the connection.
    private func answerNext(
        _ reader: inout RequestReader, _ writer: ResponseWriter, _ open: OpenConnection, port: Int?
    ) async throws -> Bool {
        var access = Access?.none
        guard let (head, outcome) = try await read(&reader, writer, open, port: port, admitting: &access),
            open.beginResponse()
        else { return false }
        switch outcome {
        case .success(let request):
            var response = await respond(request)
            response.prove(to: request.access)
            defer { response.release?() }
            observe?(request, response)
            let staysOpen = head?.staysOpen ?? false
            try await writer.write(response, to: head, closes: !staysOpen)
            return open.endResponse() && staysOpen
        case .failure(let error):
            try await refuse(head, error, writer, to: access)
            return false
        }
    }

    private func refuse(
        _ head: HTTPRequestHead?, _ error: GatewayError, _ writer: ResponseWriter, to access: Access? = nil
    ) async throws {
        var response = Response(error)
        if let access { response.prove(to: access) }
        observe?(head.map { Request(method: $0.method, target: $0.uri, headers: $0.headers) }, response)
        try await writer.write(response, to: head)
    }

    /// - Parameter admitted: what the request may do, as soon as that is known.
    /// - Returns: a request, or why it is refused; `nil` at the end of the connection. The head is missing where it
    ///   could not be read.
    private func read(
        _ reader: inout RequestReader, _ writer: ResponseWriter, _ open: OpenConnection, port: Int?,
        admitting admitted: inout Access?
    ) async throws -> (HTTPRequestHead?, Result<Request, GatewayError>)? {
        var readHead: HTTPRequestHead?
        do {
            guard let head = try await reader.head() else { return nil }
            readHead = head
            try head.check()
            let access = try admit(head, open.entrance(at: port))
            admitted = access
            var request = Request(
                method: head.method, target: head.uri, headers: head.headers, access: access, connection: open)
            if let intake = try await intake(request) {
                if head.awaitsContinue { try await writer.writeContinue() }
                guard try await reader.body(into: intake, onPiece: open.requestContinues) else { return nil }
                request.intake = intake
            } else {
                try head.checkLength()
                if head.awaitsContinue { try await writer.writeContinue() }
                guard let body = try await reader.body() else { return nil }
                request.body = body
            }
            return (head, .success(request))
        } catch let error as GatewayError {
            return (readHead, .failure(error))
        }
    }
}

extension GatewayError {
    fileprivate static let tooManyConnections = GatewayError(
        .overloaded, "too many connections to the local API have a request under way; try again",
        .init(limit: GatewayLimits.connections))
}
