import NIOCore
import NIOEmbedded
import Testing

@testable import EarshotGateway

@Suite("Places for connections")
struct OpenConnectionsTests {
    private let connections = OpenConnections(limit: 2)

    private func connected() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "client")).wait()
        return channel
    }

    @Test("go to one more from the connection that has waited longest for a request")
    func longest() throws {
        let channels = [try connected(), try connected(), try connected()]
        let first = connections.add(channels[0])
        _ = connections.add(channels[1])
        // It was served last.
        #expect(first.beginResponse() && first.endResponse())
        #expect(!connections.add(channels[2]).isRefused)
        #expect(channels.map(\.isActive) == [true, false, true])
    }

    @Test("are kept while a response is under way, and one more is refused")
    func responding() throws {
        let channels = [try connected(), try connected(), try connected()]
        for channel in channels.prefix(2) { #expect(connections.add(channel).beginResponse()) }
        #expect(connections.add(channels[2]).isRefused)
        #expect(channels.map(\.isActive) == [true, true, true])
    }
}
