import Earshot
import NIOCore
import NIOHTTP1

/// What comes over a connection.
enum RequestPart: Sendable {
    case head(HTTPRequestHead)
    case body(ByteBuffer)
    case end
    /// The rest of the connection cannot be read, for this reason.
    case fault(GatewayError)
}

/// Makes the faults of a client a part of what it sent, so that they are answered in their turn, and reports a
/// channel's events to its open connection.
final class RequestParts: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = RequestPart

    /// The client took too long for its request.
    struct Late: Sendable {}

    private let connection: OpenConnection
    private var isInBody = false
    private var isFaulty = false
    /// Closes the connection if its client reads nothing for too long.
    private var stall: Scheduled<Void>?

    init(_ connection: OpenConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFaulty else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            isInBody = true
            context.fireChannelRead(Self.wrapInboundOut(.head(head)))
        case .body(let piece): context.fireChannelRead(Self.wrapInboundOut(.body(piece)))
        case .end:
            isInBody = false
            context.fireChannelRead(Self.wrapInboundOut(.end))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let fault = GatewayError(parser: error, isInBody: isInBody) {
            report(fault, context)
        } else if !(error is ByteToMessageDecoderError) {
            context.fireErrorCaught(error)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is Late:
            let seconds = GatewayLimits.request.nanoseconds / 1_000_000_000
            report(GatewayError(.tooSlow, "the request did not come within \(seconds) seconds"), context)
            return
        case ChannelEvent.inputClosed: connection.clientFinished()
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stall?.cancel()
        connection.clientFinished()
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall?.cancel()
        let channel = context.channel
        stall =
            channel.isWritable
            ? nil : context.eventLoop.scheduleTask(in: GatewayLimits.unread) { channel.close(promise: nil) }
        context.fireChannelWritabilityChanged()
    }

    private func report(_ fault: GatewayError, _ context: ChannelHandlerContext) {
        guard !isFaulty else { return }
        isFaulty = true
        context.fireChannelRead(Self.wrapInboundOut(.fault(fault)))
        // It may not have come with bytes that end a read.
        context.fireChannelReadComplete()
    }
}

/// Tells a connection what comes over it: that a request has begun, long before its head is whole, and how much is sent
/// that nobody reads.
final class ReceivedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: OpenConnection

    init(_ connection: OpenConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.receivedBytes(Self.unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }
}
