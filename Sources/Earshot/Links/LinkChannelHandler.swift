import NIOCore

/// The end of a connection's pipeline. It hands incoming bytes to the node, in pieces as large as they come.
///
/// It runs on the node's own event loop, so the node is called directly, without a hop.
final class LinkChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handler: ConnectionHandler
    private var received: [UInt8] = []

    init(_ handler: ConnectionHandler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if received.isEmpty {
            received = Array(buffer.readableBytesView)
        } else {
            received.append(contentsOf: buffer.readableBytesView)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard !received.isEmpty else { return }
        let bytes = received
        received = []
        handler.received(bytes)
    }

    func channelInactive(context: ChannelHandlerContext) { handler.disconnected() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
