import NIOCore

/// One TCP connection.
final class TCPConnection: TransportConnection {
    /// How long a closing connection waits for the other end to take what was written.
    private static let patience = TimeAmount.seconds(2)

    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    var remoteAddress: PeerAddress? { channel.remoteAddress?.peerAddress }

    /// A connection that has ended holds nothing.
    var unwrittenBytes: Int {
        guard let options = channel.syncOptions else { return 0 }
        do { return try options.getOption(.bufferedWritableBytes) } catch { return 0 }
    }

    func deliver(to handler: ConnectionHandler) {
        do { try channel.pipeline.syncOperations.addHandler(LinkChannelHandler(handler)) } catch {
            // The pipeline is gone: the connection has ended before it began.
            channel.close(promise: nil)
            handler.disconnected()
        }
    }

    func write(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    func whenWritten(_ body: @escaping @Sendable () -> Void) {
        channel.writeAndFlush(ByteBuffer()).whenSuccess { body() }
    }

    func finish() {
        let channel = channel
        let patience = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
            patience.cancel()
            channel.close(promise: nil)
        }
    }

    func close() { channel.close(promise: nil) }
}
