import NIOCore
import NIOHTTP1
import NIOPosix

/// A request to a node over its Unix socket.
struct HTTPRequest: Sendable {
    let method: HTTPMethod
    let uri: String
    /// JSON.
    var body: ByteBuffer?
    /// Sent again with the same key, it does nothing twice.
    var idempotencyKey: String?
    /// The last event that the client knows (WHATWG HTML, section 9.2.4).
    var lastEventID: String?

    fileprivate var head: HTTPRequestHead {
        var headers: HTTPHeaders = ["host": "node", "connection": "close"]
        if let body {
            headers.add(name: "content-type", value: "application/json")
            headers.add(name: "content-length", value: "\(body.readableBytes)")
        } else if method != .GET {
            headers.add(name: "content-length", value: "0")
        }
        if let idempotencyKey { headers.add(name: "idempotency-key", value: idempotencyKey) }
        if let lastEventID { headers.add(name: "last-event-id", value: lastEventID) }
        return HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)
    }
}

/// The connection of one request, and the response on it, which may be long in coming: a stream of events.
///
/// Each request has a connection of its own. A Unix socket makes that cheap, and no request meets a connection that the
/// node is about to close because it was idle.
struct HTTPConnection: Sendable {
    /// The pieces of a response's body. The connection reads no faster than the caller takes the pieces. The sequence
    /// ends when the body is complete, and throws if the connection ends before that.
    typealias Body = NIOAsyncChannelInboundStream<ByteBuffer>

    private let channel: NIOAsyncChannel<ByteBuffer, Never>
    private let response: EventLoopFuture<HTTPResponseHead>
    private let socketPath: String

    /// Connects and sends a request.
    ///
    /// - Throws: `IOError` if nobody listens.
    init(sending request: HTTPRequest, to socketPath: String) async throws {
        self.socketPath = socketPath
        (channel, response) = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(unixDomainSocketPath: socketPath) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let head = channel.eventLoop.makePromise(of: HTTPResponseHead.self)
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(HTTPExchange(request, head: head))
                    let channel = try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(inboundType: ByteBuffer.self, outboundType: Never.self))
                    return (channel, head.futureResult)
                }
            }
    }

    /// Waits for the response, and closes the connection when `body` returns.
    ///
    /// - Throws: `GatewayError` `connectionLost` if the connection ends before the head of the response has come;
    ///   `CancellationError`; and what `body` throws.
    func withResponse<Result: Sendable>(
        _ body: (HTTPResponseHead, Body) async throws -> Result
    ) async throws -> Result {
        try await channel.executeThenClose { inbound in
            let head: HTTPResponseHead
            do {
                head = try await withTaskCancellationHandler {
                    try await response.get()
                } onCancel: {
                    channel.channel.close(promise: nil)
                }
            } catch {
                try Task.checkCancellation()
                throw GatewayError(transport: error, socketPath: socketPath)
            }
            return try await body(head, inbound)
        }
    }
}

/// The connection ended without a response.
struct NoResponse: Error, CustomStringConvertible {
    let description = "it ended before an answer came"
}

/// Sends a request once it is connected, keeps the head of the response apart from the pieces of its body, and closes
/// the connection after the last.
final class HTTPExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequest
    private let head: EventLoopPromise<HTTPResponseHead>

    init(_ request: HTTPRequest, head: EventLoopPromise<HTTPResponseHead>) {
        self.request = request
        self.head = head
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(Self.wrapOutboundOut(.head(request.head)), promise: nil)
        if let body = request.body {
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let response):
            head.succeed(response)
        case .body(let piece):
            context.fireChannelRead(Self.wrapInboundOut(piece))
        case .end:
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        head.fail(error)  // Without effect once the head has come.
        context.fireErrorCaught(error)
    }

    /// The last call, even if nobody listens.
    func handlerRemoved(context: ChannelHandlerContext) {
        head.fail(NoResponse())
    }
}
