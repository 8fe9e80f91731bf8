import EarshotProtocol
import NIOCore

/// The end of a connection's pipeline: hands what comes to the node, in pieces as large as they come.
///
/// It runs on the node's own event loop, so the node is called directly, without a hop.
final class LinkChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let node: NodeShell
    private let connectionID: ConnectionID
    private var received: [UInt8] = []

    init(node: NodeShell, connectionID: ConnectionID) {
        self.node = node
        self.connectionID = connectionID
    }

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
        let connectionID = self.connectionID
        node.assumeIsolated { $0.received(bytes, on: connectionID) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let connectionID = self.connectionID
        node.assumeIsolated { $0.disconnected(connectionID) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
