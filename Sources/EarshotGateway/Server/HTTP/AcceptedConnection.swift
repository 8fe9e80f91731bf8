import NIOCore
import NIOHTTP1
import Synchronization

/// A connection that was accepted, until somebody serves it.
///
/// One that comes while the server ends is served by nobody: what the listener still holds is dropped. Streams that nobody has
/// finished would end the process then (`NIOAsyncWriter`), so this finishes them.
final class AcceptedConnection: Sendable {
    typealias Streams = NIOAsyncChannel<RequestPart, HTTPServerResponsePart>

    let connection: OpenConnection
    private let streams: Mutex<Streams?>

    /// On the channel's event loop.
    init(_ connection: OpenConnection) throws {
        self.connection = connection
        streams = Mutex(
            try Streams(
                wrappingChannelSynchronously: connection.channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)))
    }

    /// The parts that come and go, for the one who serves it.
    func take() -> Streams? { streams.withLock { $0.take() } }

    deinit {
        guard let streams = take() else { return }
        // Nobody waits for it: who could is gone.
        Task { [channel = connection.channel] in
            do { try await streams.executeThenClose { _, _ in } } catch { channel.close(promise: nil) }
        }
    }
}
