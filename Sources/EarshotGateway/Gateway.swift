package import Earshot
import Foundation
import Logging

/// The local API of a node: HTTP/1.1 and JSON on a Unix socket that only the node's owner may use, and, where somebody
/// asked for it, on a TCP port on loopback, where nothing works without a token.
///
/// Run it beside the node:
/// ```swift
/// group.addTask { try await node.run() }
/// group.addTask { try await Gateway(node: node).run() }
/// ```
package struct Gateway: Sendable {
    /// How the API is served on loopback TCP.
    package struct HTTPOptions: Sendable {
        /// 0 lets the system choose.
        package var port: Int
        /// Called with the port once it answers.
        package var onListening: @Sendable (_ port: Int) async -> Void

        package init(
            port: Int = GatewayLimits.httpPort, onListening: @escaping @Sendable (Int) async -> Void = { _ in }
        ) {
            self.port = port
            self.onListening = onListening
        }
    }

    private let node: Node
    private let http: HTTPOptions?
    private let requestsPerSecond: Int
    private let shutdown: Duration
    private let onListening: @Sendable () async -> Void
    /// Called with each response, and the request unless its head could not be read, by tests.
    var observe: (@Sendable (Request?, Response) -> Void)?

    /// - Parameters:
    ///   - http: how it is served on TCP; `nil` for not at all.
    ///   - requestsPerSecond: with one token, on average.
    ///   - shutdown: how long open requests may take when the gateway ends.
    ///   - onListening: called once the socket answers.
    package init(
        node: Node, http: HTTPOptions? = nil, requestsPerSecond: Int = GatewayLimits.requestsPerSecond,
        shutdown: Duration = GatewayLimits.shutdown, onListening: @escaping @Sendable () async -> Void = {}
    ) {
        self.node = node
        self.http = http
        self.requestsPerSecond = requestsPerSecond
        self.shutdown = shutdown
        self.onListening = onListening
        #if DEBUG || EXCHANGES
            if let log = ExchangeLog(ProcessInfo.processInfo.environment) { observe = { log.add($0, $1) } }
        #endif
    }

    /// Serves requests until the task is cancelled. Then it lets open requests finish, for at most `shutdown`, removes
    /// the socket and returns.
    ///
    /// - Throws: `GatewayError` `socketUnusable`, `portInUse`; `EarshotError` `storeDamaged`, `storeUnavailable`.
    package func run() async throws {
        let path = node.home.socketFile
        try SocketPath.check(path)
        let tokens = try await TokenBook(node: node)
        let places = GatewayPlaces(openFiles: OpenFiles.raiseLimit())
        let rates = RequestRates(perSecond: requestsPerSecond)
        let gatekeeper = Gatekeeper(tokens: tokens, rates: rates)
        let feed = EventFeed(node: node)
        let door = PageDoor(node: node, tokens: tokens)
        await door.endOldSessions()
        let responder = Responder(
            node: node, feed: feed, tokens: tokens, door: door,
            held: HeldRequests(limit: places.heldRequests, tokens: tokens))
        @Sendable func server(_ address: HTTPServer.Address) -> HTTPServer {
            HTTPServer(
                address: address, connectionLimit: places.connections, shutdown: shutdown,
                logger: node.configuration.logger,
                admit: { head, entrance throws(GatewayError) in try gatekeeper.admit(head, entrance) },
                intake: { request throws(GatewayError) in try await responder.intake(for: request) },
                respond: { await responder.respond(to: $0) }, observe: observe)
        }
        @Sendable func pageServer(_ port: Int, nonce: String) -> HTTPServer {
            let gatekeeper = PageGatekeeper(tokens: tokens, rates: rates, nonce: nonce)
            return HTTPServer(
                address: .loopback(port: port), connectionLimit: places.connections, shutdown: shutdown,
                logger: node.configuration.logger,
                admit: { head, entrance throws(GatewayError) in try gatekeeper.admit(head, entrance) },
                intake: { request throws(GatewayError) in try await responder.intake(for: request) },
                respond: { await responder.respondOnPage(to: $0) })
        }
        let (isReachable, reachable) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        if http == nil { reachable.yield() }
        try await withThrowingTaskGroup { group in
            group.addTask { await tokens.run() }
            group.addTask { await feed.run() }
            group.addTask { await door.removeOldFiles() }
            group.addTask {
                await door.run { port, nonce, onListening in
                    let server = pageServer(port, nonce: nonce)
                    try await serve(HTTPOptions(port: port, onListening: onListening), with: server) {}
                }
            }
            if let http {
                group.addTask { try await serve(http, with: server(.loopback(port: http.port))) { reachable.yield() } }
            }
            // After the port, which may be taken: then nobody has seen a socket that goes away.
            group.addTask {
                guard await isReachable.first(where: { true }) != nil else { return }
                try await serveSocket(with: server(.socket(path)), at: path)
            }
            // Not `waitForAll`, which would wait for the others when one has failed.
            while try await group.next() != nil {}
        }
    }

    private func serveSocket(with server: HTTPServer, at path: String) async throws {
        let (logger, onListening) = (node.configuration.logger, onListening)
        do {
            try await server.run { _ in await onListening() }
        } catch  where !Task.isCancelled {
            throw GatewayError(
                .socketUnusable, "the local API cannot listen on \(path): \(error)",
                .init(.unwritable, path: path), cause: error)
        } catch {
            // It was told to end, but a request took longer than `shutdown`.
            logger.debug("the local API was cut off", metadata: ["error": "\(error)"])
        }
    }

    private func serve(
        _ http: HTTPOptions, with server: HTTPServer, onListening: @escaping @Sendable () -> Void
    ) async throws {
        do {
            try await server.run { port in
                await http.onListening(port ?? http.port)
                onListening()
            }
        } catch  where !Task.isCancelled {
            throw GatewayError(
                .portInUse, "the local API cannot listen on 127.0.0.1:\(http.port): \(error)",
                .init(.localAPI, port: UInt16(exactly: http.port)), cause: error)
        } catch {
            node.configuration.logger.debug("the local API was cut off", metadata: ["error": "\(error)"])
        }
    }
}

/// How many connections each server takes, and how many requests may hold theirs, where a process may have so many
/// files open.
struct GatewayPlaces: Hashable, Sendable {
    let connections: Int
    let heldRequests: Int

    /// A process with hardly any files still serves some connections, and the node has the rest.
    private static let fewest = 16

    init(openFiles: Int) {
        let left = (openFiles - GatewayLimits.otherFiles) / 2
        connections = min(GatewayLimits.connections, max(Self.fewest, left))
        // Both kinds of clients have as many, and a fifth of the connections is left for requests that end soon.
        heldRequests = connections * 2 / 5
    }
}
